// Rules of the verdict in traffic that is really recorded, each with a client that breaks it and one that had the occasion
// and did not (VER-13): those that neither verdict.test.ts nor the libraries of test/interop/verdict.test.ts show.
import { expect } from 'chai';
import { UnsecuredJWT } from 'jose';
import type { SigningKey } from '#shared/keys/key-ring.ts';
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

interface Row {
  readonly clause: `VER-K${string}`;
  readonly severity: 'error' | 'warning' | 'advice';
  readonly rule: string;
  readonly breaks: Act;
  readonly keeps: Act;
}

const sp = 'https://sp.example';
const other = 'http://127.0.0.1:9/other';
const mcpServer = 'https://mcp.example/mcp';
/** Moves the time of a process by 11 seconds, for what is known after ten. */
const elevenSecondsOn = `const now = Date.now.bind(Date); let ahead = 0;
Date.now = () => now() + ahead; process.on('SIGUSR2', () => { ahead += 11_000; });`;

describe('the rules of the verdict, in what is recorded', () => {
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
  /** A request as a careful client makes it, but for the changes. */
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
    await clientToken();
    await call(idp, '/.well-known/jwks.json');
    expect((await idp.api('POST', '/api/keys/rotate')).status).to.equal(200);
    await clientToken();
    for (const act of between) await act();
    for (const { pid } of [idp, ...workersOf(idp.pid)]) process.kill(pid, 'SIGUSR2');
  };
  const inTurn = async (...acts: Act[]) => {
    for (const act of acts) await act();
  };

  const rows: readonly Row[] = [
    {
      ...{ clause: 'VER-K02', severity: 'error', rule: 'pkce_plain' },
      breaks: () => ask({ code_challenge_method: 'plain' }),
      keeps: ask,
    },
    {
      ...{ clause: 'VER-K03', severity: 'error', rule: 'pkce_challenge_repeated' },
      breaks: () => inTurn(ask, ask),
      keeps: () => inTurn(ask, () => ask({ code_challenge: 'x'.repeat(43) })),
    },
    {
      ...{ clause: 'VER-K05', severity: 'warning', rule: 'state_missing' },
      breaks: () => ask({ state: undefined }),
      keeps: ask,
    },
    {
      ...{ clause: 'VER-K09', severity: 'error', rule: 'nonce_repeated' },
      breaks: () =>
        inTurn(
          () => ask({ nonce: 'one' }),
          () => ask({ nonce: 'one' }),
        ),
      keeps: () => inTurn(ask, ask),
    },
    {
      ...{ clause: 'VER-K10', severity: 'advice', rule: 'scope_openid_missing' },
      breaks: () => ask({ scope: 'email' }),
      keeps: ask,
    },
    {
      ...{ clause: 'VER-K11', severity: 'error', rule: 'redirect_uri_http' },
      breaks: () => ask({ redirect_uri: 'http://app.example/callback' }),
      keeps: ask,
    },
    {
      ...{ clause: 'VER-K12', severity: 'advice', rule: 'redirect_uri_localhost' },
      breaks: () => ask({ redirect_uri: 'http://localhost:9/callback' }),
      keeps: ask,
    },
    {
      ...{ clause: 'VER-K13', severity: 'error', rule: 'redirect_uri_fragment' },
      breaks: () => ask({ redirect_uri: `${callback}#part` }),
      keeps: ask,
    },
    {
      ...{ clause: 'VER-K14', severity: 'error', rule: 'redirect_uri_mismatch' },
      breaks: () => logIn({}, { redirect_uri: other }),
      keeps: logIn,
    },
    {
      ...{ clause: 'VER-K15', severity: 'error', rule: 'secret_in_query' },
      breaks: () =>
        call(idp, '/token?client_secret=web-secret', {
          method: 'POST',
          headers: formType,
          body: 'grant_type=client_credentials&client_id=web',
        }),
      keeps: clientToken,
    },
    {
      ...{ clause: 'VER-K27', severity: 'warning', rule: 'jwks_not_refetched' },
      breaks: () => rotated(),
      keeps: () => rotated(() => call(idp, '/.well-known/jwks.json')),
    },
    {
      ...{ clause: 'VER-K29', severity: 'warning', rule: 'resource_missing' },
      breaks: () => logIn({ resource: mcpServer }),
      keeps: () => logIn({ resource: mcpServer }, { resource: mcpServer }),
    },
    {
      ...{ clause: 'VER-K30', severity: 'warning', rule: 'accept_refuses_json' },
      breaks: () => post('grant_type=client_credentials', '/token', { ...formType, Accept: 'text/html' }),
      keeps: () => post('grant_type=client_credentials', '/token', { ...formType, Accept: 'application/json' }),
    },
    {
      ...{ clause: 'VER-K31', severity: 'error', rule: 'content_type_wrong' },
      breaks: () => post('{"grant_type":"client_credentials"}', '/token', { 'Content-Type': 'application/json' }),
      keeps: clientToken,
    },
    {
      ...{ clause: 'VER-K34', severity: 'warning', rule: 'saml_request_unsigned' },
      breaks: () => sso(redirectQuery(authnRequest())),
      keeps: () => sso(signedQuery(authnRequest(), key)),
    },
    {
      ...{ clause: 'VER-K35', severity: 'warning', rule: 'saml_request_weak_algorithm' },
      breaks: () => {
        const sha1 = { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', digest: 'sha1' };
        return sso(signedQuery(authnRequest(), key, sha1));
      },
      keeps: () => sso(signedQuery(authnRequest(), key)),
    },
    {
      ...{ clause: 'VER-K43', severity: 'error', rule: 'saml_relay_state_long' },
      // What looks like a secret is kept as a fingerprint, which says nothing of its length.
      breaks: () => sso(redirectQuery(authnRequest(), new UnsecuredJWT({ back: `/${'x'.repeat(80)}` }).encode())),
      keeps: () => sso(redirectQuery(authnRequest(), `/?a=1${'&token=x'.repeat(9)}`)),
    },
  ];

  for (const { clause, severity, rule, breaks, keeps } of rows) {
    const subject = rule.startsWith('saml_') ? `sp=${encodeURIComponent(sp)}` : 'client_id=web';
    const verdict = async () => {
      const { findings, clean } = (await idp.api('GET', `/api/verdict?${subject}`)).body;
      const found = findings.map((one: { severity: string; id: string }) => `${one.severity} ${one.id}`);
      return { found: found as string[], isClean: clean.includes(rule) as boolean };
    };
    verifies([clause, 'VER-13'], `${rule}: of whoever breaks it, and of nobody who keeps it`, async () => {
      await breaks();
      const said = `${severity} ${rule}`;
      await until(said, async () => (await verdict()).found.includes(said), 5000).catch(async () => {
        expect((await verdict()).found).to.include(said);
      });
      await idp.api('DELETE', '/api/flows');
      await keeps();
      await until(`${rule} is clean`, async () => (await verdict()).isClean, 5000).catch(async () => {
        expect((await verdict()).found).to.not.include(said);
        expect.fail(`nothing is said of ${rule}`);
      });
    });
  }

  verifies(
    ['VER-K01', 'VER-K05', 'VER-K08', 'VER-K10', 'VER-K29', 'SSO-52'],
    'judges a client with request objects by what they say',
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
