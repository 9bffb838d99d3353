// Verdict rules on recorded traffic: for each rule, one client that breaks it and one that could but does not (VER-13).
// These are the rules that verdict.test.ts and test/interop/verdict.test.ts do not cover.
import { expect } from 'chai';
import { UnsecuredJWT } from 'jose';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { authorizePath, challenge, codeOf, newBrowser, verifier } from '#test/support/authorization-flow.ts';
import { alice, web } from '#test/support/credentials.ts';
import { authnRequest, redirectQuery, signedQuery } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { until, workersOf } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, redeemCode, token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings } from '#test/support/worlds.ts';

type Changes = Readonly<Record<string, string | undefined>>;
type Act = () => Promise<unknown>;

const sp = 'https://sp.example';
const other = 'http://127.0.0.1:9/other';
const mcpServer = 'https://mcp.example/mcp';
/** Moves the time of a process by 11 seconds, for findings that need ten. */
const elevenSecondsOn = `const now = Date.now.bind(Date); let ahead = 0;
Date.now = () => now() + ahead; process.on('SIGUSR2', () => { ahead += 11_000; });`;

describe('verdict rules on recorded traffic', () => {
  let idp: RunningIdp;
  let key: SigningKey;
  before(async () => {
    key = await signingKey('sp');
    const { clients, ...oauth } = demoSettings.oauth;
    const [first, ...others] = clients;
    idp = await startIdp({
      command: 'instance',
      settings: {
        oauth: {
          ...oauth,
          request_objects: 'on',
          clients: [{ ...first, redirect_uris: [callback, other] }, ...others],
        },
        saml: { sp_certificates: ['../sp.pem'] },
      },
      files: { 'sp.pem': key.certificatePem },
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(elevenSecondsOn)}` },
    });
  });
  beforeEach(() => idp.api('DELETE', '/api/flows'));
  after(() => idp.stop());

  let drawn = 0;
  const fresh = () => {
    drawn += 1;
    return `${drawn}-of-enough-characters`;
  };
  const parametersOf = (changes: Changes): Changes => ({
    ...{ scope: 'openid', state: fresh(), nonce: fresh(), code_challenge_method: 'S256', code_challenge: challenge },
    ...changes,
  });
  /** A request as a careful client sends it, with the given changes. */
  const ask = (changes: Changes = {}) => newBrowser(idp).get(authorizePath(parametersOf(changes)));
  const logIn = async (changes: Changes = {}, redeemed: Readonly<Record<string, string>> = {}) => {
    const page = await newBrowser(idp).post(authorizePath(parametersOf(changes)), alice);
    return redeemCode(idp, codeOf(page), { code_verifier: verifier, ...redeemed });
  };
  const clientToken = () => token(idp, { grant_type: 'client_credentials' });
  const post = (body: string, path = '/token', headers: Readonly<Record<string, string>> = {}) =>
    call(idp, path, { method: 'POST', headers: { ...web, ...headers }, body });
  const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const sso = (query: string) => newBrowser(idp).get(`/saml/sso?${query}`);
  const rotated = async (...between: Act[]) => {
    await logIn();
    await call(idp, '/.well-known/jwks.json');
    expect((await idp.api('POST', '/api/keys/rotate')).status).to.equal(200);
    await logIn();
    for (const act of between) await act();
    for (const { pid } of [idp, ...workersOf(idp.pid)]) process.kill(pid, 'SIGUSR2');
  };
  const inTurn = async (...acts: Act[]) => {
    for (const act of acts) await act();
  };

  /**
   * Tests one rule. `said` is its severity and its name. The rule must find the breaking request and report the keeping
   * one as clean.
   */
  const judges = (said: string, breaks: Act, keeps: Act) => async () => {
    const [, rule = ''] = said.split(' ');
    const subject = rule.startsWith('saml_') ? `sp=${encodeURIComponent(sp)}` : 'client_id=web';
    const verdict = async () => {
      const { findings, clean } = (await idp.api('GET', `/api/verdict?${subject}`)).body;
      const found = findings.map((one: { severity: string; id: string }) => `${one.severity} ${one.id}`);
      return { found: found as string[], isClean: clean.includes(rule) as boolean };
    };
    await breaks();
    await until(said, async () => (await verdict()).found.includes(said), 5000).catch(async () => {
      expect((await verdict()).found).to.include(said);
    });
    await idp.api('DELETE', '/api/flows');
    await keeps();
    await until(`${rule} is clean`, async () => (await verdict()).isClean, 5000).catch(async () => {
      expect((await verdict()).found).to.not.include(said);
      expect.fail(`the verdict does not mention ${rule}`);
    });
  };

  verifies(
    ['VER-K02', 'VER-13'],
    'pkce_plain',
    judges('error pkce_plain', () => ask({ code_challenge_method: 'plain' }), ask),
  );

  verifies(
    ['VER-K03', 'VER-13'],
    'pkce_challenge_repeated',
    judges(
      'error pkce_challenge_repeated',
      () => inTurn(ask, ask),
      () => inTurn(ask, () => ask({ code_challenge: 'x'.repeat(43) })),
    ),
  );

  verifies(
    ['VER-K05', 'VER-13'],
    'state_missing',
    judges('warning state_missing', () => ask({ state: undefined }), ask),
  );

  verifies(
    ['VER-K09', 'VER-13'],
    'nonce_repeated',
    judges(
      'error nonce_repeated',
      () =>
        inTurn(
          () => ask({ nonce: 'one' }),
          () => ask({ nonce: 'one' }),
        ),
      () => inTurn(ask, ask),
    ),
  );

  verifies(
    ['VER-K10', 'VER-13'],
    'scope_openid_missing',
    judges('advice scope_openid_missing', () => ask({ scope: 'email' }), ask),
  );

  verifies(
    ['VER-K11', 'VER-13'],
    'redirect_uri_http',
    judges('error redirect_uri_http', () => ask({ redirect_uri: 'http://app.example/callback' }), ask),
  );

  verifies(
    ['VER-K12', 'VER-13'],
    'redirect_uri_localhost',
    judges('advice redirect_uri_localhost', () => ask({ redirect_uri: 'http://localhost:9/callback' }), ask),
  );

  verifies(
    ['VER-K13', 'VER-13'],
    'redirect_uri_fragment',
    judges('error redirect_uri_fragment', () => ask({ redirect_uri: `${callback}#part` }), ask),
  );

  verifies(
    ['VER-K14', 'VER-13'],
    'redirect_uri_mismatch',
    judges('error redirect_uri_mismatch', () => logIn({}, { redirect_uri: other }), logIn),
  );

  verifies(
    ['VER-K15', 'VER-13'],
    'secret_in_query',
    judges(
      'error secret_in_query',
      () =>
        call(idp, '/token?client_secret=web-secret', {
          method: 'POST',
          headers: formType,
          body: 'grant_type=client_credentials&client_id=web',
        }),
      clientToken,
    ),
  );

  verifies(
    ['VER-K27', 'VER-13'],
    'jwks_not_refetched',
    judges(
      'warning jwks_not_refetched',
      () => rotated(),
      () => rotated(() => call(idp, '/.well-known/jwks.json')),
    ),
  );

  verifies(
    ['VER-K29', 'VER-13'],
    'resource_missing',
    judges(
      'warning resource_missing',
      () => logIn({ resource: mcpServer }),
      () => logIn({ resource: mcpServer }, { resource: mcpServer }),
    ),
  );

  verifies(
    ['VER-K30', 'VER-13'],
    'accept_refuses_json',
    judges(
      'warning accept_refuses_json',
      () => post('grant_type=client_credentials', '/token', { ...formType, Accept: 'text/html' }),
      () => post('grant_type=client_credentials', '/token', { ...formType, Accept: 'application/json' }),
    ),
  );

  verifies(
    ['VER-K31', 'VER-13'],
    'content_type_wrong',
    judges(
      'error content_type_wrong',
      () => post('{"grant_type":"client_credentials"}', '/token', { 'Content-Type': 'application/json' }),
      clientToken,
    ),
  );

  verifies(
    ['VER-K34', 'VER-13'],
    'saml_request_unsigned',
    judges(
      'warning saml_request_unsigned',
      () => sso(redirectQuery(authnRequest())),
      () => sso(signedQuery(authnRequest(), key)),
    ),
  );

  verifies(
    ['VER-K35', 'VER-13'],
    'saml_request_weak_algorithm',
    judges(
      'warning saml_request_weak_algorithm',
      () => {
        const sha1 = { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', digest: 'sha1' };
        return sso(signedQuery(authnRequest(), key, sha1));
      },
      () => sso(signedQuery(authnRequest(), key)),
    ),
  );

  // A value that looks like a secret is stored as a fingerprint, which does not reveal its length.
  verifies(
    ['VER-K43', 'VER-13'],
    'saml_relay_state_long',
    judges(
      'error saml_relay_state_long',
      () => sso(redirectQuery(authnRequest(), new UnsecuredJWT({ back: `/${'x'.repeat(80)}` }).encode())),
      () => sso(redirectQuery(authnRequest(), `/?a=1${'&token=x'.repeat(9)}`)),
    ),
  );

  verifies(
    ['VER-K01', 'VER-K05', 'VER-K08', 'VER-K10', 'VER-K29', 'SSO-52'],
    'judge a client with request objects by their content',
    async () => {
      const verdict = async () => (await idp.api('GET', '/api/verdict?client_id=web')).body;
      const request = (changes: Changes = {}) => {
        const claims = { redirect_uri: callback, response_type: 'code', resource: mcpServer, ...parametersOf(changes) };
        return new UnsecuredJWT(claims).encode();
      };
      const browser = newBrowser(idp);
      const query = { client_id: 'web', request: request() };
      const page = await browser.get(`/authorize?${new URLSearchParams(query)}`);
      const code = codeOf(await browser.submit(page, alice));
      await redeemCode(idp, code, { code_verifier: verifier, resource: mcpServer });
      await call(idp, '/.well-known/openid-configuration');
      expect((await verdict()).findings).to.deep.equal([]);
      expect((await verdict()).clean).to.include.members([
        ...['pkce_missing', 'pkce_plain', 'state_missing', 'state_short', 'nonce_missing', 'scope_openid_missing'],
        ...['redirect_uri_http', 'redirect_uri_mismatch', 'resource_missing'],
      ]);
      await idp.api('DELETE', '/api/flows');
      const careless = request({ state: undefined, nonce: undefined });
      await browser.get(`/authorize?${new URLSearchParams({ client_id: 'web', request: careless })}`);
      const { findings } = await verdict();
      expect(findings.map(({ id }: { id: string }) => id)).to.deep.equal(['nonce_missing', 'state_missing']);
      await idp.api('DELETE', '/api/flows');
      const padded = request({ state: undefined, ui_locales: 'x'.repeat(5000) });
      await browser.get(`/authorize?${new URLSearchParams({ client_id: 'web', request: padded })}`);
      expect((await verdict()).not_observed).to.include.members(['state_missing', 'pkce_missing']);
    },
  );
});
