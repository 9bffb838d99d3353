// oauth4webapi, the low-level client library, which validates every response strictly.
import { expect } from 'chai';
import * as oauth from 'oauth4webapi';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const insecure = { [oauth.allowInsecureRequests]: true };
const web = { client_id: 'web' };
const spa = { client_id: 'spa' };
const webAuth = oauth.ClientSecretBasic('web-secret');

describe('oauth4webapi', () => {
  let idp: RunningIdp;
  let as: oauth.AuthorizationServer;
  before(async () => {
    idp = await startIdp({
      world: interactive,
      settings: { device_flow: { polling_interval: 1 }, oauth: { dynamic_registration: { enabled: true } } },
    });
    as = await discover('oidc');
  });
  after(() => idp.stop());

  async function discover(algorithm: 'oidc' | 'oauth2') {
    const issuer = new URL(idp.baseUrl);
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm, ...insecure }));
  }

  async function authorize(client: oauth.Client, auth: oauth.ClientAuth, parameters: Record<string, string> = {}) {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const nonce = oauth.generateRandomNonce();
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid email',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...parameters,
    }).toString();
    const browser = newBrowser(idp);
    const done = await browser.submit(await browser.get(url.href), alice);
    const sent = oauth.validateAuthResponse(as, client, new URL(done.location ?? ''), state);
    const response = await oauth.authorizationCodeGrantRequest(as, client, auth, sent, callback, verifier, insecure);
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(as, response, insecure);
    return tokens;
  }

  async function introspect(token: string) {
    const response = await oauth.introspectionRequest(as, web, webAuth, token, insecure);
    return oauth.processIntrospectionResponse(as, web, response);
  }

  it('discovers both documents', async () => {
    expect(await discover('oauth2')).to.deep.equal(as);
    expect(as.issuer).to.equal(idp.baseUrl);
  });

  it('authorizes with code and PKCE, and validates signature and UserInfo, as both kinds of client', async () => {
    for (const [client, auth] of [
      [web, webAuth],
      [spa, oauth.None()],
    ] as const) {
      const tokens = await authorize(client, auth);
      expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).to.equal('alice');
      const response = await oauth.userInfoRequest(as, client, tokens.access_token, insecure);
      const userinfo = await oauth.processUserInfoResponse(as, client, 'alice', response);
      expect(userinfo.email).to.equal('alice@example.org');
    }
  });

  it('refreshes, and is rejected for reuse under rotation', async () => {
    const tokens = await authorize(spa, oauth.None());
    const refresh = async (text: string | undefined) =>
      oauth.processRefreshTokenResponse(
        as,
        spa,
        await oauth.refreshTokenGrantRequest(as, spa, oauth.None(), text ?? '', insecure),
      );
    const next = await refresh(tokens.refresh_token);
    expect(oauth.getValidatedIdTokenClaims(next)?.sub).to.equal('alice');
    const thrown = await refresh(tokens.refresh_token).catch((reason: unknown) => reason);
    expect(thrown).to.be.instanceOf(oauth.ResponseBodyError).with.property('error', 'invalid_grant');
  });

  it('gets client credentials with a resource, introspects and revokes them', async () => {
    const parameters = { scope: 'email', resource: 'https://api.example/' };
    const response = await oauth.clientCredentialsGrantRequest(as, web, webAuth, parameters, insecure);
    const tokens = await oauth.processClientCredentialsResponse(as, web, response);
    expect(await introspect(tokens.access_token)).to.include({
      active: true,
      aud: 'https://api.example/',
      scope: 'email',
    });
    const revoked = await oauth.revocationRequest(as, web, webAuth, tokens.access_token, insecure);
    await oauth.processRevocationResponse(revoked);
    expect(await introspect(tokens.access_token)).to.deep.equal({ active: false });
  });

  it('completes a device flow', async () => {
    const asked = await oauth.deviceAuthorizationRequest(as, web, webAuth, { scope: 'openid' }, insecure);
    const begun = await oauth.processDeviceAuthorizationResponse(as, web, asked);
    const poll = () => oauth.deviceCodeGrantRequest(as, web, webAuth, begun.device_code, insecure);
    const pending = await oauth.processDeviceCodeResponse(as, web, await poll()).catch((reason: unknown) => reason);
    expect(pending).to.be.instanceOf(oauth.ResponseBodyError).with.property('error', 'authorization_pending');
    const browser = newBrowser(idp);
    await browser.submit(await browser.get(begun.verification_uri_complete ?? ''), alice);
    const tokens = await oauth.processDeviceCodeResponse(as, web, await poll());
    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).to.equal('alice');
  });

  it('reads challenges of rejected clients and tokens', async () => {
    const wrong = oauth.ClientSecretBasic('wrong');
    const response = await oauth.clientCredentialsGrantRequest(as, web, wrong, {}, insecure);
    const refused = await oauth.processClientCredentialsResponse(as, web, response).catch((reason: unknown) => reason);
    expect(refused).to.be.instanceOf(Error);
    const challenged = await oauth.userInfoRequest(as, web, 'not-a-token', insecure);
    const thrown = await oauth
      .processUserInfoResponse(as, web, oauth.skipSubjectCheck, challenged)
      .catch((reason: unknown) => reason);
    expect(thrown).to.be.instanceOf(oauth.WWWAuthenticateChallengeError);
    if (!(thrown instanceof oauth.WWWAuthenticateChallengeError)) return;
    expect(thrown.cause[0]).to.deep.include({ scheme: 'bearer', parameters: { error: 'invalid_token' } });
  });

  it('registers a client', async () => {
    const response = await oauth.dynamicClientRegistrationRequest(
      as,
      { redirect_uris: [callback], token_endpoint_auth_method: 'none' },
      insecure,
    );
    const registered = await oauth.processDynamicClientRegistrationResponse(response);
    expect(registered.client_id).to.match(/^dcr-/);
    expect(registered).not.to.have.property('client_secret');
    const tokens = await authorize({ client_id: registered.client_id }, oauth.None());
    expect(oauth.getValidatedIdTokenClaims(tokens)?.aud).to.equal(registered.client_id);
  });
});
