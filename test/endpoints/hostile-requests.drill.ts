// Thousands of requests that no client would send, drawn at random over paths, methods, parameters, credentials and
// media types, in every profile and login mode. Whatever was asked: no fault of the server, a well-formed refusal, no
// header that the input could break out of, and the caching rule of HDR-01. SEED repeats a run, HOSTILE_REQUESTS says
// how many requests each configuration gets (1500).
import { expect } from 'chai';
import { RandomRequests } from '#test/support/hostile/random-requests.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

const requests = Number(process.env.HOSTILE_REQUESTS ?? 1500);
const atOnce = 8;

const uncached = /^\/(?:token|device_authorization|device\/code|userinfo|introspect)$/;

function expectFit(answer: Response, text: string, method: string): void {
  const path = new URL(answer.url).pathname;
  expect(answer.status).to.be.below(500);
  const location = answer.headers.get('location');
  if (location !== null) expect(location).to.match(/^[\x21-\x7e]+$/);
  const built = answer.status !== 405 && answer.status !== 204;
  if (built && uncached.test(path)) expect(answer.headers.get('cache-control')).to.equal('no-store');
  if (path.startsWith('/.well-known/')) expect(answer.headers.get('cache-control')).to.equal(null);
  if (answer.status < 400 || method === 'HEAD') return;
  if (!(answer.headers.get('content-type') ?? '').startsWith('application/json')) return;
  const refusal = JSON.parse(text) as { error?: unknown; error_description?: unknown };
  expect(refusal.error).to.match(/^[a-z_]+$/);
  // RFC 6749 §5.2: printable ASCII without quote and backslash.
  if (refusal.error_description !== undefined) {
    expect(refusal.error_description).to.match(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  }
}

describe('hostile requests', () => {
  const { seed } = seededRandom();
  let idp: RunningIdp | undefined;
  afterEach(async () => {
    await idp?.stop();
    idp = undefined;
  });

  const logins = {
    password: {},
    'two steps and TOTP': { two_step: true, totp: true },
    persona: { mode: 'persona', auto_login: true },
  };
  for (const security_profile of ['dev', 'stricter-dev', 'oauth21']) {
    for (const [mode, login] of Object.entries(logins)) {
      verifies(['TOK-21', 'HDR-01', 'HDR-02'], `${security_profile}, ${mode} (SEED=${seed})`, async () => {
        const oauth = {
          ...demoSettings.oauth,
          dynamic_registration: { enabled: true },
          client_id_metadata_documents: { enabled: true, allowed_hosts: ['localhost'] },
        };
        const server = { rate_limit_token_endpoint: '1000000/second' };
        const running = await startIdp({ command: 'oidc', settings: { security_profile, login, oauth, server } });
        idp = running;
        const known = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'openid' };
        const tokens = (await token(running, known)).body as Readonly<Record<string, string>>;
        const random = new RandomRequests(seededRandom(seed), tokens);
        const answered = new Set<number>();
        for (let count = 0; count < requests; count += atOnce) {
          const sent = Array.from({ length: atOnce }, () => random.next(running.baseUrl));
          await Promise.all(
            sent.map(async ({ url, init }) => {
              const answer = await fetch(url, { ...init, redirect: 'manual' });
              const text = await answer.text();
              answered.add(answer.status);
              try {
                expectFit(answer, text, init.method);
              } catch (error) {
                const asked = JSON.stringify({ url, ...init }).slice(0, 2000);
                throw new Error(`${asked}\n${answer.status} ${text.slice(0, 500)}`, { cause: error });
              }
            }),
          );
        }
        expect([...answered]).to.include.members([200, 302, 400, 401, 404, 405]);
        expect(running.log()).not.to.contain('unexpected fault');
      });
    }
  }
});
