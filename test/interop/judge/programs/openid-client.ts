// openid-client as in its documentation, with every optional check: PKCE, state, nonce, max_age, and the signature of the
// ID token, which it skips by default because of TLS.
import * as client from 'openid-client';
import { type SendBrowser, serve } from './serve.ts';

const { issuer, clientId, clientSecret, redirectUri } = JSON.parse(process.argv[2] ?? '{}');
const maxAge = 3600;

async function discover(): Promise<client.Configuration> {
  const found = await client.discovery(new URL(issuer), clientId, undefined, client.ClientSecretBasic(clientSecret));
  client.enableNonRepudiationChecks(found);
  return found;
}

async function logIn(configuration: client.Configuration, send: SendBrowser) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const expectedNonce = client.randomNonce();
  const address = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    max_age: String(maxAge),
  });
  const called = new URL(await send(address.href));
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, maxAge, idTokenExpected: true };
  return client.authorizationCodeGrant(configuration, called, checks);
}

await serve({
  async login(send) {
    const configuration = await discover();
    const tokens = await logIn(configuration, send);
    const subject = String(tokens.claims()?.sub);
    await client.fetchUserInfo(configuration, tokens.access_token, subject);
    return subject;
  },
  async refresh(send) {
    const configuration = await discover();
    const tokens = await logIn(configuration, send);
    const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    return String(refreshed.claims()?.sub);
  },
  async introspect(send) {
    const configuration = await discover();
    const tokens = await logIn(configuration, send);
    const { active, username } = await client.tokenIntrospection(configuration, tokens.access_token);
    if (!active) throw new Error('the token is not active');
    return String(username);
  },
  async register() {
    const registered = await client.dynamicClientRegistration(new URL(issuer), { redirect_uris: [redirectUri] });
    return registered.clientMetadata().client_id;
  },
});
