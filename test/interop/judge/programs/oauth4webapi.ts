// oauth4webapi as in its examples: PKCE, state, nonce, max_age, and the signature of the ID token.
import * as oauth from 'oauth4webapi';
import { type SendBrowser, serve } from './serve.ts';

const { issuer, clientId, clientSecret, redirectUri } = JSON.parse(process.argv[2] ?? '{}');
const client: oauth.Client = { client_id: clientId };
const clientAuth = oauth.ClientSecretBasic(clientSecret);
const maxAge = 3600;

async function discover(): Promise<oauth.AuthorizationServer> {
  const expected = new URL(issuer);
  return oauth.processDiscoveryResponse(expected, await oauth.discoveryRequest(expected));
}

async function logIn(server: oauth.AuthorizationServer, send: SendBrowser) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = oauth.generateRandomNonce();
  const address = new URL(server.authorization_endpoint ?? '');
  address.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...{ state, nonce, max_age: String(maxAge) },
  }).toString();
  const parameters = oauth.validateAuthResponse(server, client, new URL(await send(address.href)), state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    clientAuth,
    parameters,
    redirectUri,
    verifier,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    ...{ expectedNonce: nonce, maxAge, requireIdToken: true },
  });
  await oauth.validateApplicationLevelSignature(server, answer);
  return tokens;
}

const subjectOf = (tokens: oauth.TokenEndpointResponse) => String(oauth.getValidatedIdTokenClaims(tokens)?.sub);

await serve({
  async login(send) {
    const server = await discover();
    const tokens = await logIn(server, send);
    const answer = await oauth.userInfoRequest(server, client, tokens.access_token);
    return (await oauth.processUserInfoResponse(server, client, subjectOf(tokens), answer)).sub;
  },
  async refresh(send) {
    const server = await discover();
    const tokens = await logIn(server, send);
    const answer = await oauth.refreshTokenGrantRequest(server, client, clientAuth, tokens.refresh_token ?? '');
    const refreshed = await oauth.processRefreshTokenResponse(server, client, answer);
    await oauth.validateApplicationLevelSignature(server, answer);
    return subjectOf(refreshed);
  },
  async introspect(send) {
    const server = await discover();
    const tokens = await logIn(server, send);
    const answer = await oauth.introspectionRequest(server, client, clientAuth, tokens.access_token);
    const { active, username } = await oauth.processIntrospectionResponse(server, client, answer);
    if (!active) throw new Error('the token is not active');
    return String(username);
  },
  async register() {
    const server = await discover();
    const answer = await oauth.dynamicClientRegistrationRequest(server, { redirect_uris: [redirectUri] });
    return (await oauth.processDynamicClientRegistrationResponse(answer)).client_id;
  },
});
