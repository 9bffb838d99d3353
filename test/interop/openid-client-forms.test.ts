// openid-client v6, unmodified, with optional client features: its own keys, request objects, ID tokens from /authorize,
// signed UserInfo, and a registration of all these.
import { expect } from 'chai';
import { type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const insecure = { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] };

describe('openid-client with keys and other request forms', () => {
  let idp: RunningIdp;
  let server: URL;
  let rsa: CryptoKey;
  let curve: CryptoKey;
  let jwks: { keys: Record<string, string>[] };
  before(async () => {
    const [first, second] = [await generateKeyPair('RS256'), await generateKeyPair('ES256')];
    [rsa, curve] = [first.privateKey, second.privateKey];
    const published = async (key: CryptoKey, alg: string) => {
      const { kty = '', ...rest } = await exportJWK(key);
      const texts = Object.entries({ ...rest, alg, use: 'sig' }).filter(([, value]) => typeof value === 'string');
      return { kty, ...Object.fromEntries(texts.map(([name, value]) => [name, String(value)])) };
    };
    jwks = { keys: [await published(first.publicKey, 'RS256'), await published(second.publicKey, 'ES256')] };
    idp = await startIdp({
      world: interactive,
      settings: {
        login: { session: 'on' },
        oauth: {
          dynamic_registration: { enabled: true, metadata: 'full' },
          request_objects: 'on',
          response_types: ['code', 'id_token', 'id_token token'],
        },
      },
      clients: [
        {
          ...{ client_id: 'keys', token_endpoint_auth_method: 'private_key_jwt', redirect_uris: [callback], jwks },
          userinfo_signed_response_alg: 'RS256',
        },
      ],
    });
    server = new URL(idp.baseUrl);
  });
  after(() => idp.stop());

  const withKey = (key: CryptoKey) =>
    client.discovery(server, 'keys', { userinfo_signed_response_alg: 'RS256' }, client.PrivateKeyJwt(key), insecure);

  /** Logs in at `makeUrl`, and returns the response with the parameters that the client sent. */
  async function answered(makeUrl: (parameters: Record<string, string>) => URL | Promise<URL>) {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
    const url = await makeUrl({
      ...{ redirect_uri: callback, scope: 'openid email profile', state: expectedState, nonce: expectedNonce },
      ...{ code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256' },
    });
    const browser = newBrowser(idp);
    const done = await browser.submit(await browser.get(url.href), alice);
    expect(done.location, done.text).to.be.a('string');
    return { answer: new URL(done.location ?? ''), checks: { pkceCodeVerifier, expectedState, expectedNonce } };
  }

  verifies(['SSO-50', 'SSO-54'], 'authenticates by its keys at every endpoint, and reads signed UserInfo', async () => {
    for (const key of [rsa, curve]) {
      const config = await withKey(key);
      const { answer, checks } = await answered((parameters) => client.buildAuthorizationUrl(config, parameters));
      const tokens = await client.authorizationCodeGrant(config, answer, checks);
      expect(tokens.claims()?.sub).to.equal('alice');
      const info = await client.fetchUserInfo(config, tokens.access_token, 'alice');
      expect(info).to.include({ sub: 'alice', email: 'alice@example.org', aud: 'keys' });
      expect((await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).claims()?.sub).to.equal('alice');
      expect((await client.tokenIntrospection(config, tokens.access_token)).active).to.equal(true);
      await client.tokenRevocation(config, tokens.access_token);
      expect((await client.tokenIntrospection(config, tokens.access_token)).active).to.equal(false);
      expect((await client.clientCredentialsGrant(config)).token_type).to.equal('bearer');
    }
  });

  verifies('SSO-52', 'sends its request as a signed object', async () => {
    const config = await withKey(rsa);
    const { answer, checks } = await answered((parameters) =>
      client.buildAuthorizationUrlWithJAR(config, parameters, rsa),
    );
    const tokens = await client.authorizationCodeGrant(config, answer, { ...checks, idTokenExpected: true });
    expect(tokens.claims()).to.include({ sub: 'alice', nonce: checks.expectedNonce });
  });

  verifies('SSO-53', 'accepts an ID token from /authorize with the claims of the scope', async () => {
    const config = await withKey(rsa);
    client.useIdTokenResponseType(config);
    const { answer, checks } = await answered(({ code_challenge: _, code_challenge_method: __, ...parameters }) =>
      client.buildAuthorizationUrl(config, parameters),
    );
    expect(answer.search).to.equal('');
    const { expectedNonce, expectedState } = checks;
    const claims = await client.implicitAuthentication(config, answer, expectedNonce, { expectedState });
    expect(claims).to.include({ sub: 'alice', email: 'alice@example.org' });
  });

  verifies('SSO-53', 'gets unsupported_response_type for the hybrid flow', async () => {
    const config = await withKey(rsa);
    client.useCodeIdTokenResponseType(config);
    expect(config.serverMetadata().response_types_supported).to.not.include('code id_token');
    const parameters = { redirect_uri: callback, scope: 'openid', nonce: 'n', state: 's' };
    const page = await newBrowser(idp).get(client.buildAuthorizationUrl(config, parameters).href);
    expect(page.location).to.contain('error=unsupported_response_type');
  });

  verifies('SSO-49', 'registers with its keys, and uses the result', async () => {
    const metadata = {
      ...{ redirect_uris: [callback], client_name: 'Registered', jwks, response_types: ['code'] },
      ...{ token_endpoint_auth_method: 'private_key_jwt', userinfo_signed_response_alg: 'RS256' },
    };
    const registered = await client.dynamicClientRegistration(server, metadata, client.PrivateKeyJwt(rsa), insecure);
    const { answer, checks } = await answered((parameters) => client.buildAuthorizationUrl(registered, parameters));
    const tokens = await client.authorizationCodeGrant(registered, answer, checks);
    const info = await client.fetchUserInfo(registered, tokens.access_token, 'alice');
    expect(info.sub).to.equal('alice');
  });
});
