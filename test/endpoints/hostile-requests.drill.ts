// Thousands of random requests over paths, methods, parameters, credentials and media types, in every profile and login
// mode. For each, the server must not fail, must return a well-formed error without header injection, and must follow the
// caching rule of HDR-01. SEED repeats a run. HOSTILE_REQUESTS sets the number of requests for each configuration (1500).
import { expect } from 'chai';
import { unruly } from '#test/support/hostile/hostile-texts.ts';
import { basic, sessionCookieAt } from '#test/support/http.ts';
import { type SeededRandom, seededRandom } from '#test/support/seeded-random.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

const requests = Number(process.env.HOSTILE_REQUESTS ?? 1500);
const atOnce = 8;

const paths = [
  ...['/authorize', '/authorize', '/authorize', '/token', '/token', '/token', '/userinfo', '/introspect', '/revoke'],
  ...['/device_authorization', '/device/code', '/device', '/login', '/logout', '/end_session', '/ui/logout'],
  ...['/register', '/register/x', '/register/%00', '/register/%', '/clients/forget'],
  ...['/nowhere', '/token/nowhere', '/saml/nowhere'],
  ...['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/.well-known/jwks.json'],
];
const uncached = /^\/(?:token|device_authorization|device\/code|userinfo|introspect)$/;
const methods = ['GET', 'GET', 'POST', 'POST', 'POST', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];
const names = [
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'code_challenge', 'code_challenge_method'],
  ...['nonce', 'claims', 'resource', 'response_mode', 'prompt', 'login_hint', 'request', 'request_uri', 'registration'],
  ...['transaction_id', 'username', 'password', 'totp_code', 'pending_second_factor', 'change_username'],
  ...['fill_username', 'grant_type', 'client_secret', 'exp', 'extra', 'code', 'code_verifier', 'refresh_token'],
  ...['device_code', 'token', 'token_type_hint', 'id_token_hint', 'post_logout_redirect_uri', 'user_code', 'action'],
  ...['access_token', 'error', '__proto__', '', '\u0000'],
];
const plainValues = [
  `{"a":${'['.repeat(3500)}${']'.repeat(3500)}}`,
  ...['', ' ', '+', '%', '%zz', '\t', '\r\nX: 1', '\u0000', 'é', '\u{1F600}', '\ud800', 'a'.repeat(6000), '"\\<b>'],
  ...[
    '{}',
    '[]',
    'null',
    '{"__proto__":{"a":1}}',
    '{"id_token":{"email":null},"userinfo":{"x":{}}}',
    '{"a":[[[[1]]]]}',
  ],
  ...['-1', '0', '1', '1e9', '60', '1441', '99999999999999999999', 'NaN'],
  ...['openid', 'openid email', 'openid  openid', 'nonsense', 'code', 'token', 'query', 'form_post', 'fragment'],
  ...['none', 'none login', 'S256', 'plain', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', 'deny', 'authorize'],
  ...['https://app.example/cb', 'http://127.0.0.1:9/callback', 'http://127.0.0.1:99999/callback', 'http:///cb'],
  ...[
    'javascript:alert(1)',
    'com.example.app:/cb',
    'urn:a:b',
    'https://[::1]/',
    'https://[v1.x]/',
    'https://x#',
    '//x',
  ],
  ...['https://client.example/doc', 'https://127.0.0.1/doc', 'https://localhost/a/../b', '__proto__', 'constructor'],
  ...['a\u0000b', '\u009b2J', '\u0085', '\u202etxt.exe', '\u2066x\u2069', '\u200f', '\u2028'],
  ...[
    'https://user:hush@app.example/cb',
    'https://app.example/cb?client_secret=hush',
    'com.example.app:/cb?code=hush#x',
  ],
  ...['web', 'post', 'spa', 'alice', 'wonderland', 'web-secret', 'persona-auto-login:alice', 'persona-auto-login:'],
  ...['authorization_code', 'password', 'client_credentials', 'refresh_token'],
  'urn:ietf:params:oauth:grant-type:device_code',
];
const mediaTypes = [
  ...['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=utf-8', 'application/json'],
  ...['text/plain', 'multipart/form-data; boundary=x', 'APPLICATION/X-WWW-FORM-URLENCODED', ''],
];

class Hostility {
  readonly #random: SeededRandom;
  readonly #values: readonly string[];
  readonly #credentials: readonly (string | undefined)[];

  constructor(random: SeededRandom, tokens: Readonly<Record<string, string>>) {
    const { access_token: access = '', id_token: id = '', refresh_token: refresh = '' } = tokens;
    this.#random = random;
    this.#values = [...plainValues, access, id, refresh];
    this.#credentials = [
      ...[undefined, undefined, basic('web', 'web-secret'), basic('web', 'wrong'), 'Basic x', 'Basic', 'basic  YTpi'],
      ...[`Basic ${btoa('%zz:%')}`, `Basic ${btoa('web')}`, 'Bearer', `Bearer ${access}`, `bearer  ${refresh}`],
      ...[`Bearer ${id}`, 'Bearer a b', 'DPoP x', ','],
    ];
  }

  request(baseUrl: string): { readonly url: string; readonly init: RequestInit & { readonly method: string } } {
    const method = this.#pick(methods);
    const query = this.#chance(0.6) ? `?${this.#parameters()}` : '';
    const headers: Record<string, string> = {};
    const credentials = this.#pick(this.#credentials);
    if (credentials !== undefined) headers.Authorization = credentials;
    if (this.#chance(0.2)) headers.Origin = this.#pick(['http://localhost:3000', 'null', 'http://evil.example']);
    if (this.#chance(0.2))
      headers.Cookie = `${sessionCookieAt(baseUrl)}=${this.#pick(['x', 'a.b', '.', '%', 'e30.e30'])}`;
    if (this.#chance(0.2)) headers.Accept = this.#pick(['text/html', 'application/json', '*/*', 'nonsense']);
    const url = `${baseUrl}${this.#pick(paths)}${query}`.slice(0, 14_000);
    if (method === 'GET' || method === 'HEAD') return { url, init: { method, headers } };
    const mediaType = this.#pick(mediaTypes);
    headers['Content-Type'] = mediaType === '' ? 'application/octet-stream' : mediaType;
    const body = mediaType === 'application/json' ? this.#pick(this.#values) : String(this.#parameters());
    return { url, init: { method, headers, body } };
  }

  /** Sometimes the request is almost correct, so that it passes the first checks. */
  #parameters(): URLSearchParams {
    const pairs: string[][] = Array.from({ length: this.#random.integer(0, 6) }, () => [
      this.#pick(names),
      this.#pick(this.#values),
    ]);
    if (this.#chance(0.5)) {
      pairs.push(['client_id', this.#pick(['web', 'spa'])], ['redirect_uri', 'http://127.0.0.1:9/callback']);
      pairs.push(['response_type', 'code']);
    }
    if (this.#chance(0.4)) pairs.push(['username', 'alice'], ['password', 'wonderland']);
    if (this.#chance(0.4)) pairs.push(['grant_type', this.#pick(plainValues.slice(-5))]);
    return new URLSearchParams(pairs);
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[this.#random.integer(0, values.length - 1)] as Value;
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }
}

function expectFit(answer: Response, text: string, method: string): void {
  const path = new URL(answer.url).pathname;
  expect(answer.status).to.be.below(500);
  const location = answer.headers.get('location');
  if (location !== null) expect(location).to.match(/^[\x21-\x7e]+$/);
  const built = answer.status !== 405 && answer.status !== 204;
  if (built && uncached.test(path)) expect(answer.headers.get('cache-control')).to.equal('no-store');
  if (path.endsWith('/nowhere')) expect(answer.status).to.equal(404);
  if (path.startsWith('/.well-known/')) expect(answer.headers.get('cache-control')).to.equal(null);
  if (answer.status < 400 || method === 'HEAD') return;
  if (!(answer.headers.get('content-type') ?? '').startsWith('application/json')) return;
  expect(text).not.to.match(unruly);
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
      verifies(
        ['TOK-21', 'HDR-01', 'HDR-02'],
        `get well-formed responses with ${security_profile}, ${mode} (SEED=${seed})`,
        async () => {
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
          const hostility = new Hostility(seededRandom(seed), tokens);
          const answered = new Set<number>();
          for (let count = 0; count < requests; count += atOnce) {
            const sent = Array.from({ length: atOnce }, () => hostility.request(running.baseUrl));
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
          expect(running.log()).not.to.contain('unexpected error').and.not.contain('hush');
        },
      );
    }
  }
});
