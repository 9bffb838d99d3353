// openid-client v6, a certified third-party relying party library, completes its flows unmodified. It performs all its
// built-in checks: signatures, at_hash, nonce, issuer, audience and PKCE.
import { expect } from 'chai';
import * as client from 'openid-client';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { type BrowserClient, redirectParameters } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const insecure = { execute: [client.allowInsecureRequests] };

describe('openid-client', () => {
  let idp: RunningIdp;
  let web: client.Configuration;
  let spa: client.Configuration;
  before(async () => {
    idp = await startIdp({
      world: interactive,
      settings: {
        device_flow: { polling_interval: 1 },
        oauth: { dynamic_registration: { enabled: true } },
      },
      clients: [
        {
          client_id: 'post',
          client_secret: 'post-secret',
          token_endpoint_auth_method: 'client_secret_post',
          redirect_uris: [callback],
          post_logout_redirect_uris: ['http://127.0.0.1:9/goodbye'],
        },
      ],
    });
    const server = new URL(idp.baseUrl);
    web = await client.discovery(server, 'web', undefined, client.ClientSecretBasic('web-secret'), insecure);
    spa = await client.discovery(server, 'spa', undefined, client.None(), insecure);
    client.enableNonRepudiationChecks(web);
    client.enableNonRepudiationChecks(spa);
  });
  after(() => idp.stop());

  const opened = (url: URL, browser = newBrowser(idp)) => browser.get(url.href).then((page) => ({ browser, page }));
  const logIn = async (url: URL, browser: BrowserClient = newBrowser(idp)) => {
    const { page } = await opened(url, browser);
    return browser.submit(page, alice);
  };

  async function authorize(
    config: client.Configuration,
    parameters: Record<string, string> = {},
    fields: Record<string, string> = {},
  ) {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expectedState = client.randomState();
    const expectedNonce = client.randomNonce();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
      ...parameters,
    });
    const done = await logIn(url);
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    return client.authorizationCodeGrant(config, new URL(done.location ?? ''), checks, fields);
  }

  it('authorizes with code, PKCE, state and nonce, and reads UserInfo', async () => {
    for (const config of [web, spa]) {
      const tokens = await authorize(config);
      const claims = tokens.claims();
      expect(claims).to.include({ sub: 'alice', iss: idp.baseUrl, aud: config.clientMetadata().client_id });
      const userinfo = await client.fetchUserInfo(config, tokens.access_token, 'alice');
      expect(userinfo).to.include({ sub: 'alice', email: 'alice@example.org' });
    }
  });

  it('authenticates by client_secret_post', async () => {
    const server = new URL(idp.baseUrl);
    const post = await client.discovery(server, 'post', undefined, client.ClientSecretPost('post-secret'), insecure);
    expect((await authorize(post)).claims()?.sub).to.equal('alice');
    const tokens = await client.clientCredentialsGrant(post);
    expect((await client.tokenIntrospection(post, tokens.access_token)).active).to.equal(true);
  });

  it('refreshes, with rotation for a public client', async () => {
    const first = await authorize(web);
    const second = await client.refreshTokenGrant(web, first.refresh_token ?? '', { scope: 'openid' });
    expect(second.claims()?.sub).to.equal('alice');
    expect(second.scope).to.equal('openid');
    const rotated = await authorize(spa);
    const next = await client.refreshTokenGrant(spa, rotated.refresh_token ?? '');
    await expectError(client.refreshTokenGrant(spa, rotated.refresh_token ?? ''), 'invalid_grant');
    await expectError(client.refreshTokenGrant(spa, next.refresh_token ?? ''), 'invalid_grant');
  });

  async function expectError(work: Promise<unknown>, error: string) {
    const thrown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(thrown instanceof client.ResponseBodyError)) throw new Error(`expected ${error}, got ${String(thrown)}`);
    expect(thrown.error).to.equal(error);
    expect(thrown.error_description).to.be.a('string');
  }

  it('reads a form_post response', async () => {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expectedState = client.randomState();
    const url = client.buildAuthorizationUrl(web, {
      redirect_uri: callback,
      response_mode: 'form_post',
      scope: 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    });
    const page = await logIn(url);
    const form = page.forms[0];
    expect([page.status, form?.action, form?.method]).to.deep.equal([200, callback, 'POST']);
    const body = new URLSearchParams((form?.fields ?? []).map(([name, value]) => [name, value]));
    const posted = new Request(callback, { method: 'POST', body });
    const tokens = await client.authorizationCodeGrant(web, posted, { pkceCodeVerifier, expectedState });
    expect(tokens.claims()?.sub).to.equal('alice');
  });

  it('requests resources and claims', async () => {
    const claims = JSON.stringify({ id_token: { email: null }, userinfo: { tenant: null } });
    const bound = await authorize(
      web,
      { resource: 'https://api.example/', claims },
      { resource: 'https://api.example/' },
    );
    expect(bound.claims()?.email).to.equal('alice@example.org');
    const state = await client.tokenIntrospection(web, bound.access_token);
    expect(state.aud).to.equal('https://api.example/');
  });

  it('gets client credentials, introspects and revokes', async () => {
    const tokens = await client.clientCredentialsGrant(web, { scope: 'email' });
    expect(await client.tokenIntrospection(web, tokens.access_token)).to.include({
      active: true,
      client_id: 'web',
      scope: 'email',
    });
    await client.tokenRevocation(web, tokens.access_token);
    expect(await client.tokenIntrospection(web, tokens.access_token)).to.deep.equal({ active: false });
  });

  it('polls a device flow until the user decides', async () => {
    const begun = await client.initiateDeviceAuthorization(spa, { scope: 'openid' });
    const polling = client.pollDeviceAuthorizationGrant(spa, begun);
    const { browser, page } = await opened(new URL(begun.verification_uri_complete ?? ''));
    const approved = await browser.submit(page, alice);
    expect(approved.status).to.equal(200);
    const tokens = await polling;
    expect(tokens.claims()?.sub).to.equal('alice');
    const denied = await client.initiateDeviceAuthorization(web, { scope: 'openid' });
    const other = await opened(new URL(denied.verification_uri_complete ?? ''));
    await other.browser.submit(other.page, { action: 'deny' });
    await expectError(client.pollDeviceAuthorizationGrant(web, denied), 'access_denied');
  });

  it('logs out at the provider', async () => {
    const server = new URL(idp.baseUrl);
    const post = await client.discovery(server, 'post', undefined, client.ClientSecretPost('post-secret'), insecure);
    const tokens = await authorize(post);
    const url = client.buildEndSessionUrl(post, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'http://127.0.0.1:9/goodbye',
      state: 'done',
    });
    const page = await newBrowser(idp).get(url.href);
    expect([page.status, page.location]).to.deep.equal([302, 'http://127.0.0.1:9/goodbye?state=done']);
  });

  it('registers itself and uses the result', async () => {
    const server = new URL(idp.baseUrl);
    const registered = await client.dynamicClientRegistration(
      server,
      { redirect_uris: [callback], client_name: 'Registered', token_endpoint_auth_method: 'client_secret_post' },
      undefined,
      insecure,
    );
    expect(registered.clientMetadata().client_id).to.match(/^dcr-/);
    expect((await client.clientCredentialsGrant(registered)).token_type).to.equal('bearer');
    expect((await authorize(registered)).claims()?.aud).to.equal(registered.clientMetadata().client_id);
  });

  it('reports an authorization error as such', async () => {
    const url = client.buildAuthorizationUrl(web, { redirect_uri: callback, scope: 'openid admin', state: 's' });
    const { page } = await opened(url);
    expect(redirectParameters(page).get('error')).to.equal('invalid_scope');
    const thrown = await client
      .authorizationCodeGrant(web, new URL(page.location ?? ''), { expectedState: 's' })
      .catch((reason: unknown) => reason);
    expect(thrown).to.be.instanceOf(client.AuthorizationResponseError).with.property('error', 'invalid_scope');
  });
});
