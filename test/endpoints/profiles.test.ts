// What a security profile fixes at process start, one program per profile: rate limit, debugging and cross-origin rules.
import { expect } from 'chai';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, postTo } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

const profiles = ['dev', 'stricter-dev', 'oauth21'] as const;
type Profile = (typeof profiles)[number];

const settings = (profile: Profile, rateLimited: boolean) => ({
  security_profile: profile,
  rate_limit_enabled: rateLimited,
  server: { debug: true, rate_limit_token_endpoint: '3/hour' },
  oauth: { dynamic_registration: { enabled: true }, clients: [{ client_id: 'web', client_secret: 'web-secret' }] },
});

describe('security profiles from the start of the process', () => {
  const running = new Map<Profile, RunningIdp>();
  before(async () => {
    for (const profile of profiles) {
      running.set(profile, await startIdp({ command: 'oidc', settings: settings(profile, false) }));
    }
  });
  after(() => Promise.all([...running.values()].map((idp) => idp.stop())));

  const program = (profile: Profile): RunningIdp => {
    const idp = running.get(profile);
    if (idp === undefined) throw new Error(`${profile} is not running`);
    return idp;
  };

  async function statuses(idp: RunningIdp, path: string): Promise<number[]> {
    const answered: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const answer = await postTo(idp, path, { grant_type: 'client_credentials' });
      answered.push(answer.status);
      if (answer.status !== 429) continue;
      expect(answer.body.error).to.equal('rate_limit_exceeded');
      expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 3600);
      expect(answer.headers.get('cache-control')).to.equal(null);
    }
    return answered;
  }

  verifies('PRF-11', 'limit the rate always under stricter-dev, otherwise by the setting', async () => {
    expect(await statuses(program('stricter-dev'), '/token')).to.deep.equal([200, 200, 200, 429, 429]);
    // Counted separately, and reads of the path are not counted.
    expect((await call(program('stricter-dev'), '/register')).status).to.equal(405);
    expect(await statuses(program('stricter-dev'), '/register')).to.deep.equal([400, 400, 400, 429, 429]);
    for (const profile of ['dev', 'oauth21'] as const) {
      expect(await statuses(program(profile), '/token'), profile).to.deep.equal([200, 200, 200, 200, 200]);
      const limited = await startIdp({ command: 'oidc', settings: settings(profile, true) });
      try {
        expect(await statuses(limited, '/token'), profile).to.deep.equal([200, 200, 200, 429, 429]);
      } finally {
        await limited.stop();
      }
    }
  });

  verifies('PRF-12', 'turn debugging off under stricter-dev, otherwise by the setting', async () => {
    for (const [profile, debug] of [
      ['dev', true],
      ['stricter-dev', false],
      ['oauth21', true],
    ] as const) {
      const { body } = await call(program(profile), '/api/config');
      expect((body.effective as { debug: boolean }).debug, profile).to.equal(debug);
    }
  });

  verifies(
    'PRF-13',
    'answer loopback origins under stricter-dev without a configured list, and every origin otherwise',
    async () => {
      const allowed = async (profile: Profile, origin: string) =>
        (
          await call(program(profile), '/.well-known/openid-configuration', { headers: { Origin: origin } })
        ).headers.get('access-control-allow-origin');
      expect(await allowed('dev', 'https://anywhere.example')).to.equal('https://anywhere.example');
      expect(await allowed('oauth21', 'https://anywhere.example')).to.equal('*');
      expect(await allowed('stricter-dev', 'https://anywhere.example')).to.equal(null);
      for (const origin of ['http://localhost', 'http://localhost:5173', 'http://127.0.0.1:3000']) {
        expect(await allowed('stricter-dev', origin)).to.equal(origin);
      }
      for (const origin of [
        'https://localhost',
        'http://localhost.evil.example',
        'http://127.0.0.1.evil.example',
        'null',
      ]) {
        expect(await allowed('stricter-dev', origin), origin).to.equal(null);
      }
    },
  );
});
