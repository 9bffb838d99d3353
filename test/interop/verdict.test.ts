// The verdict on carefully written clients with openid-client and node-saml: any finding would be a false accusation. Also
// on a careless handwritten service provider.
import { SAML } from '@node-saml/node-saml';
import { expect } from 'chai';
import * as client from 'openid-client';
import { loggedIn, newBrowser } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { authnRequest, encodePost, redirectQuery } from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

interface Found {
  readonly id: string;
  readonly severity: string;
}

const goodbye = 'http://127.0.0.1:9/goodbye';

describe('the verdict on clients built with libraries', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      world: interactive,
      command: 'start',
      settings: { device_flow: { polling_interval: 1 } },
    });
  });
  beforeEach(() => idp.api('DELETE', '/api/flows'));
  after(() => idp.stop());

  const verdict = async (query: string) => {
    const { body } = await idp.api('GET', `/api/verdict?${query}`);
    const found = (body.findings as Found[]).map(({ id, severity }) => `${severity} ${id}`);
    return { status: body.status, found, clean: body.clean as string[], exchanges: body.exchanges as number };
  };

  /** The SAML front end is another process, so its requests are readable a moment later (REC-09). */
  const came = async (requests: number) => {
    const order = { endpoint: 'saml_sso', at_least: requests, within_seconds: 20 };
    expect((await idp.api('POST', '/api/expect', order)).body.held).to.equal(true);
  };

  verifies('VER-07', 'has no error and no warning for openid-client as documented', async () => {
    const server = new URL(idp.baseUrl);
    const insecure = { execute: [client.allowInsecureRequests] };
    const ways = [
      ['web', client.ClientSecretBasic('web-secret')],
      ['spa', client.None()],
    ] as const;
    for (const [clientId, authentication] of ways) {
      const config = await client.discovery(server, clientId, undefined, authentication, insecure);
      client.enableNonRepudiationChecks(config);
      // Twice, so that the client could wrongly reuse values.
      for (let login = 0; login < 2; login += 1) {
        const pkceCodeVerifier = client.randomPKCECodeVerifier();
        const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
        const url = client.buildAuthorizationUrl(config, {
          ...{ redirect_uri: callback, scope: 'openid email profile', state: expectedState, nonce: expectedNonce },
          code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
        });
        const browser = newBrowser(idp);
        await browser.get(url.href);
        // Reloading the login page is an action of the user, not of the client.
        const page = await browser.get(url.href);
        const done = await browser.submit(page, alice);
        const tokens = await client.authorizationCodeGrant(config, new URL(done.location ?? ''), {
          ...{ pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true },
        });
        await client.fetchUserInfo(config, tokens.access_token, 'alice');
        const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
        await client.fetchUserInfo(config, next.access_token, 'alice');
        await client.tokenRevocation(config, next.refresh_token ?? tokens.refresh_token ?? '');
        const logout = client.buildEndSessionUrl(config, {
          post_logout_redirect_uri: goodbye,
          id_token_hint: tokens.id_token ?? '',
        });
        await browser.get(logout.href);
      }
    }
    for (const [clientId] of ways) {
      const { status, found, clean, exchanges } = await verdict(`client_id=${clientId}`);
      expect([clientId, status, found]).to.deep.equal([clientId, 'clean', []]);
      expect(exchanges).to.be.greaterThan(10);
      expect(clean).to.include.members([
        ...[
          'pkce_missing',
          'pkce_plain',
          'pkce_challenge_repeated',
          'verifier_short',
          'state_missing',
          'state_repeated',
        ],
        ...['state_short', 'nonce_missing', 'nonce_repeated', 'scope_openid_missing', 'redirect_uri_http'],
        ...['redirect_uri_localhost', 'redirect_uri_fragment', 'redirect_uri_mismatch', 'wrong_auth_method'],
        ...['code_reused', 'token_in_query', 'wrong_token_used', 'grant_deprecated', 'refresh_late'],
        ...['discovery_not_used', 'accept_refuses_json', 'content_type_wrong', 'parameter_repeated'],
        'hint_missing_at_logout',
      ]);
    }
  });

  verifies('VER-07', 'has no findings for its device grant and client credentials', async () => {
    const insecure = { execute: [client.allowInsecureRequests] };
    const config = await client.discovery(
      new URL(idp.baseUrl),
      'web',
      undefined,
      client.ClientSecretBasic('web-secret'),
      insecure,
    );
    await client.clientCredentialsGrant(config, { scope: 'profile' });
    const started = await client.initiateDeviceAuthorization(config, { scope: 'openid' });
    const waiting = client.pollDeviceAuthorizationGrant(config, started);
    const browser = newBrowser(idp);
    await browser.submit(await browser.get(started.verification_uri_complete ?? ''), alice);
    expect((await waiting).access_token).to.be.a('string');
    const { found } = await verdict('client_id=web');
    expect(found).to.deep.equal([]);
  });

  verifies(['VER-07', 'VER-13'], 'has no error and no warning for node-saml', async () => {
    const certificate = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
    const sp = new SAML({
      callbackUrl: 'https://sp.example/acs',
      entryPoint: `${idp.baseUrl}/saml/sso`,
      issuer: 'https://sp.example',
      idpCert: certificate,
      idpIssuer: `${idp.baseUrl}/saml`,
      audience: 'https://sp.example',
    });
    const browser = await loggedIn(idp);
    for (let login = 0; login < 2; login += 1) {
      const address = await sp.getAuthorizeUrlAsync('relay', undefined, {});
      expect((await browser.get(address)).status).to.equal(200);
    }
    const { status, found, clean } = await verdict(`sp=${encodeURIComponent('https://sp.example')}`);
    expect([status, found]).to.deep.equal(['clean', []]);
    expect(clean).to.include.members([
      ...[
        'saml_destination_missing',
        'saml_destination_wrong',
        'saml_request_id_repeated',
        'saml_request_id_malformed',
      ],
      ...['saml_issue_instant_skewed', 'saml_passive_and_forced', 'saml_acs_http', 'saml_relay_state_long'],
      'saml_issuer_missing',
    ]);
  });

  verifies('VER-13', 'reports what a careless service provider sends', async () => {
    const careless = authnRequest({
      ...{ id: '9-begins-with-a-digit', issuer: 'https://careless.example', acs: 'http://careless.example/acs' },
      attributes: `Destination="${idp.baseUrl}/elsewhere" IsPassive="true" ForceAuthn="1"`,
    });
    await newBrowser(idp).get(`/saml/sso?${redirectQuery(careless, 'ä'.repeat(41))}`);
    await newBrowser(idp).post('/saml/sso', { SAMLRequest: encodePost(careless.replace('IsPassive="true"', '')) });
    await came(2);
    const { found } = await verdict(`sp=${encodeURIComponent('https://careless.example')}`);
    expect(found).to.deep.equal([
      ...['error saml_acs_http', 'error saml_destination_wrong', 'error saml_relay_state_long'],
      ...['error saml_request_id_malformed', 'error saml_request_id_repeated'],
      ...['warning saml_issue_instant_skewed', 'warning saml_passive_and_forced'],
    ]);
    await newBrowser(idp).get(`/saml/sso?${redirectQuery(authnRequest({ issuer: undefined }))}`);
    await came(3);
    const { verdicts } = (await idp.api('GET', '/api/verdict')).body;
    const nameless = verdicts.find(({ subject }: { subject: { sp: null } }) => subject.sp === null);
    expect(nameless.findings.map(({ id }: Found) => id)).to.include.members([
      ...['saml_issuer_missing', 'saml_destination_missing'],
    ]);
  });
});
