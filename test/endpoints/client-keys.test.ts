// Clients with keys of their own, and what else a client may say of itself: in entries, and registered with `metadata: full`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import { redirectParameters } from '#test/support/browser-client.ts';
import { assertionClaims, assertionType, type ClientKey, clientKey } from '#test/support/client-keys.ts';
import { basic } from '#test/support/http.ts';
import { type MetadataHost, serveJson, startMetadataHost } from '#test/support/metadata-host.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { createTestAuthority } from '#test/support/test-authority.ts';
import { type Answer, call, lastEvent, postTo, refusalOf, tokensFor, userinfo } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const alice = { username: 'alice', password: 'wonderland' };

describe('clients with keys', () => {
  let idp: RunningIdp;
  let host: MetadataHost;
  let directory: string;
  let keys: string;
  let [one, two, curved]: ClientKey[] = [];
  const own = { token_endpoint_auth_method: 'private_key_jwt', redirect_uris: [callback] };
  const clients = () => [
    { client_id: 'held', ...own, jwks: { keys: [one?.jwk, curved?.jwk] } },
    { client_id: 'far', ...own, jwks_uri: `${keys}/jwks` },
    { client_id: 'outside', ...own, jwks_uri: 'https://outside.example/jwks' },
    {
      client_id: 'shown',
      client_secret: 's',
      redirect_uris: [callback],
      userinfo_signed_response_alg: 'RS256',
      logo_uri: 'https://pictures.example:8443/logo.png?x=1',
      policy_uri: 'https://rp.example/privacy',
      tos_uri: 'https://rp.example/terms',
      initiate_login_uri: 'https://rp.example/begin',
    },
    { client_id: 'odd', client_secret: 's', redirect_uris: [callback], logo_uri: 'https://a;sandbox/logo.png' },
  ];
  const settings = (oauth: object = {}) => ({
    login: { session: 'on' },
    oauth: {
      client_fetch: { allowed_hosts: [`localhost:${host.port}`], allow_loopback: true },
      dynamic_registration: { enabled: true, metadata: 'full' },
      ...oauth,
    },
  });

  before(async () => {
    one = await clientKey('one');
    two = await clientKey('two');
    curved = await clientKey('curved', 'ES256');
    const authority = await createTestAuthority();
    host = await startMetadataHost(authority);
    keys = `https://localhost:${host.port}`;
    directory = mkdtempSync(join(tmpdir(), 'test-idp-ca-'));
    writeFileSync(join(directory, 'ca.pem'), authority.certificatePem);
    const env = { NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem') };
    idp = await startIdp({ world: interactive, settings: settings(), clients: clients(), env });
  });
  after(async () => {
    await idp.stop();
    await host.close();
    rmSync(directory, { recursive: true, force: true });
  });
  let ahead = 0;
  beforeEach(async () => {
    host.requests.length = 0;
    host.answer = serveJson({ keys: [one?.jwk] });
    // What was fetched for a test before is old.
    ahead += 400_000;
    await idp.setClock(ahead);
  });

  const claims = (clientId: string, changes: Record<string, unknown> = {}) => {
    const exp = Math.floor((Date.now() + ahead) / 1000) + 120;
    return assertionClaims(clientId, `${idp.baseUrl}/token`, { exp, ...changes });
  };
  const present = (assertion: string | undefined, fields = {}, path = '/token') =>
    postTo(
      idp,
      path,
      {
        ...{ grant_type: 'client_credentials', token: 'x', client_assertion_type: assertionType },
        client_assertion: assertion ?? '',
        ...fields,
      },
      {},
    );
  const signedBy = (key: ClientKey | undefined, clientId: string, changes = {}) => key?.sign(claims(clientId, changes));

  verifies(
    ['SSO-50', 'SSO-K12'],
    'an assertion of a key of the entry authenticates, for the issuer or the token endpoint',
    async () => {
      for (const key of [one, curved]) {
        for (const aud of [idp.baseUrl, `${idp.baseUrl}/token`, ['urn:other', idp.baseUrl]]) {
          const answer = await present(await signedBy(key, 'held', { aud }));
          expect(answer.status, answer.text).to.equal(200);
        }
      }
      const named = await present(await signedBy(one, 'held'), { client_id: 'held' });
      expect(named.status, named.text).to.equal(200);
      for (const path of ['/introspect', '/revoke', '/device_authorization']) {
        expect((await present(await signedBy(one, 'held'), {}, path)).status, path).to.equal(200);
      }
      const found = (await call(idp, '/.well-known/openid-configuration')).body;
      expect(found.token_endpoint_auth_methods_supported).to.include('private_key_jwt');
      expect(found.token_endpoint_auth_signing_alg_values_supported).to.deep.equal(['RS256', 'ES256']);
    },
  );

  verifies(
    'SSO-50',
    'what is wrong with an assertion is told in the audit, and the client hears of none of it',
    async () => {
      const now = Math.floor((Date.now() + ahead) / 1000);
      const stranger = await clientKey('one');
      const pss = await clientKey('one', 'PS256');
      for (const [what, assertion, fields] of [
        ['no JWT', 'x', { client_id: 'held' }],
        ['another issuer', await signedBy(one, 'held', { iss: 'web' })],
        ['another subject', await signedBy(one, 'held', { sub: 'web' }), { client_id: 'held' }],
        ['another audience', await signedBy(one, 'held', { aud: 'https://other.example' })],
        ['no audience', await signedBy(one, 'held', { aud: undefined })],
        ['expired', await signedBy(one, 'held', { exp: now - 1 })],
        ['no end', await signedBy(one, 'held', { exp: undefined })],
        ['no jti', await signedBy(one, 'held', { jti: undefined })],
        ['a key of somebody else', await signedBy(stranger, 'held')],
        ['another algorithm', await signedBy(pss, 'held')],
        ['an unknown key', await signedBy(two, 'held')],
        ['another type', await signedBy(one, 'held'), { client_assertion_type: 'urn:other' }],
        ['a secret beside it', await signedBy(one, 'held'), { client_secret: 's' }],
        ['another client_id', await signedBy(one, 'held'), { client_id: 'web' }],
        ['a client with a secret', await signedBy(one, 'web')],
        ['nobody', await signedBy(one, 'nobody')],
      ] as const) {
        const answer = await present(assertion, fields);
        expect(refusalOf(answer), `${what}: ${answer.text}`).to.deep.equal([400, 'invalid_client']);
      }
      const assertion = await signedBy(one, 'held');
      const uses = await Promise.all([1, 2, 3].map(() => present(assertion)));
      expect(uses.map(({ status }) => status).sort()).to.deep.equal([200, 400, 400]);
      await idp.setClock(ahead - 50_000);
      expect((await present(assertion)).status).to.equal(400);
      const { details } = (await lastEvent(idp, 'token_request')) as { details: Record<string, unknown> };
      expect(details).to.include({ refusal: 'client_assertion_refused' });
      expect(details.reason).to.contain('already used');
      expect(JSON.stringify(await idp.audit())).to.not.contain(assertion);
      const secretInstead = await postTo(
        idp,
        '/token',
        { grant_type: 'client_credentials', client_id: 'held', client_secret: 's' },
        {},
      );
      expect(refusalOf(secretInstead)).to.deep.equal([400, 'invalid_client']);
    },
  );

  verifies('SSO-50', 'the published token endpoint is an audience, too', async () => {
    const base = 'http://idp.internal:8000';
    await idp.configure({ settings: settings({ backchannel_base_url: base }), clients: clients() });
    const found = (await call(idp, '/.well-known/openid-configuration')).body;
    expect(found.token_endpoint).to.equal(`${base}/token`);
    for (const aud of [`${base}/token`, idp.baseUrl, `${idp.baseUrl}/token`]) {
      expect((await present(await signedBy(one, 'held', { aud }))).status, aud).to.equal(200);
    }
    expect((await present(await signedBy(one, 'held', { aud: base }))).status).to.equal(400);
    await idp.configure({ settings: settings(), clients: clients() });
  });

  verifies('SSO-51', 'a key that a client has got since the fetch of a moment ago counts at once', async () => {
    expect((await present(await signedBy(one, 'far'))).status).to.equal(200);
    expect((await present(await signedBy(one, 'far'))).status).to.equal(200);
    expect(host.requests).to.have.length(1);
    host.answer = serveJson({ keys: [two?.jwk] });
    expect((await present(await signedBy(two, 'far'))).status).to.equal(200);
    expect(host.requests).to.have.length(2);
    for (const key of [one, curved]) expect((await present(await signedBy(key, 'far'))).status).to.equal(400);
    expect(host.requests).to.have.length(2);
  });

  verifies(
    ['SSO-51', 'VER-K46'],
    'a published set without a usable key is named in the audit and in the verdict, until it has one',
    async () => {
      const found = async () => JSON.stringify((await idp.api('GET', '/api/verdict?client_id=far')).body.findings);
      const reason =
        'The keys of the client cannot be used: no key can verify a signature of RS256 or ES256: keys[0] (kid one) has use enc instead of sig';
      expect(await found()).to.not.contain('client_keys_unusable');
      host.answer = serveJson({ keys: [{ ...one?.jwk, use: 'enc' }] });
      expect(refusalOf(await present(await signedBy(one, 'far')))).to.deep.equal([400, 'invalid_client']);
      const { details } = (await lastEvent(idp, 'token_request')) as { details: Record<string, unknown> };
      expect(details).to.include({ refusal: 'client_keys_unusable', reason });
      expect(await found())
        .to.contain('client_keys_unusable')
        .and.contain(`${reason}.`);
      host.answer = serveJson({ keys: [two?.jwk] });
      ahead += 400_000;
      await idp.setClock(ahead);
      expect((await present(await signedBy(two, 'far'))).status).to.equal(200);
    },
  );

  verifies('SSO-50', 'an end in the far future, or between two seconds, is one', async () => {
    for (const exp of [1e300, Math.floor((Date.now() + ahead) / 1000) + 60.5]) {
      const assertion = await signedBy(one, 'held', { exp });
      expect((await present(assertion)).status, String(exp)).to.equal(200);
      expect((await present(assertion)).status, String(exp)).to.equal(400);
    }
  });

  verifies('SSO-50', 'a clock of the client that is ahead is tolerated for nbf, and prolongs nothing', async () => {
    const now = Math.floor((Date.now() + ahead) / 1000);
    for (const [claims, status] of [
      [{ nbf: now + 20 }, 200],
      [{ nbf: now + 90 }, 400],
      [{ exp: now - 5 }, 400],
    ] as const) {
      const answer = await present(await signedBy(one, 'held', claims));
      expect(answer.status, JSON.stringify(claims)).to.equal(status);
    }
  });

  verifies(['SSO-51', 'SSO-K11'], 'only allowed hosts are asked, over verified TLS and within the limits', async () => {
    expect((await present(await signedBy(one, 'outside'))).status).to.equal(400);
    host.answer = serveJson({ keys: [one?.jwk], padding: 'x'.repeat(5 * 1024) });
    expect((await present(await signedBy(one, 'far'))).status).to.equal(400);
    host.answer = (_request, response) => response.writeHead(302, { Location: '/jwks' }).end();
    expect((await present(await signedBy(one, 'far'))).status).to.equal(400);
    host.answer = serveJson('[]');
    expect((await present(await signedBy(one, 'far'))).status).to.equal(400);
    const { details } = (await lastEvent(idp, 'token_request')) as { details: Record<string, unknown> };
    expect(details.reason).to.contain('not a JSON Web Key Set');
    host.answer = serveJson({ keys: [one?.jwk] }, { 'Cache-Control': 'no-store' });
    expect((await present(await signedBy(one, 'far'))).status).to.equal(200);
    const calls = host.requests.length;
    const fetching = { allowed_hosts: [`localhost:${host.port}`] };
    await idp.configure({ settings: settings({ client_fetch: fetching }), clients: clients() });
    expect((await present(await signedBy(one, 'far'))).status).to.equal(400);
    expect(host.requests).to.have.length(calls);
    await idp.configure({ settings: settings(), clients: clients() });
  });

  verifies('SSO-K12', 'keys beside their address, and a method without keys, refuse the load', async () => {
    for (const [entry, problem] of [
      [{ client_id: 'c', client_secret: 's', jwks: { keys: [] }, jwks_uri: 'https://rp.example/jwks' }, 'jwks'],
      [{ client_id: 'c', token_endpoint_auth_method: 'private_key_jwt' }, 'jwks'],
      [{ client_id: 'c', client_secret: 's', jwks: {} }, 'must have a list `keys`'],
      [{ client_id: 'c', client_secret: 's', jwks: { keys: [{ kty: 'RSA', d: 'AQ' }] } }, 'only public keys'],
      [{ client_id: 'c', client_secret: 's', jwks: { keys: [{ kty: 'oct', k: 'AQ' }] } }, 'only public keys'],
      [{ client_id: 'c', client_secret: 's', jwks_uri: 'http://rp.example/jwks' }, 'https://'],
      [{ client_id: 'c', client_secret: 's', userinfo_signed_response_alg: 'ES256' }, 'RS256'],
      [{ client_id: 'c', client_secret: 's', logo_uri: 'javascript:alert(1)' }, 'logo_uri'],
      [{ client_id: 'c', client_secret: 's', tos_uri: 'terms' }, 'tos_uri'],
    ] as const) {
      const failed = await idp.configure({ settings: settings(), clients: [entry] }).catch((error: Error) => error);
      expect(String(failed), JSON.stringify(entry)).to.contain('reload answered').and.to.contain(problem);
    }
    await idp.configure({ settings: settings(), clients: clients() });
  });

  verifies(['SSO-54', 'SSO-M17'], 'UserInfo is a JWT of this server for a client that wants it', async () => {
    const ownHeader = { Authorization: basic('shown', 's') };
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ client_id: 'shown', scope: 'openid profile' }));
    const code = codeOf(await browser.submit(page, alice));
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const tokens = (await postTo(idp, '/token', form, ownHeader)).body;
    const answer = await fetch(`${idp.baseUrl}/userinfo`, {
      headers: { Authorization: `Bearer ${tokens.access_token}` },
    });
    expect(answer.headers.get('content-type')).to.equal('application/jwt');
    const jwt = await answer.text();
    const jwks = createRemoteJWKSet(new URL(`${idp.baseUrl}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(jwt, jwks, { issuer: idp.baseUrl, audience: 'shown', algorithms: ['RS256'] });
    expect(payload).to.include({ sub: 'alice' });
    expect((await userinfo(idp, jwt)).status).to.equal(401);
    // For everybody else it stays JSON.
    expect((await userinfo(idp, String((await tokensFor(idp)).access_token))).body.sub).to.equal('alice');
  });

  verifies(
    ['SSO-55', 'SSO-M17'],
    'the login page shows the logo, which the policy names alone, and both links',
    async () => {
      const page = await newBrowser(idp).get(authorizePath({ client_id: 'shown' }));
      const images = /img-src ([^;]*)/.exec(page.headers.get('content-security-policy') ?? '')?.[1];
      expect(images).to.equal("'self' data: https://pictures.example:8443");
      expect(page.body).to.contain('src="https://pictures.example:8443/logo.png?x=1"');
      for (const address of ['https://rp.example/privacy', 'https://rp.example/terms']) {
        expect(page.body).to.match(new RegExp(`<a [^>]*href="${address}"`));
      }
      const odd = await newBrowser(idp).get(authorizePath({ client_id: 'odd' }));
      expect(/img-src ([^;]*)/.exec(odd.headers.get('content-security-policy') ?? '')?.[1]).to.equal(
        "'self' data: https://a%3Bsandbox",
      );
      const plain = await newBrowser(idp).get(authorizePath());
      expect(/img-src ([^;]*)/.exec(plain.headers.get('content-security-policy') ?? '')?.[1]).to.equal("'self' data:");
    },
  );

  describe('registered', () => {
    const register = (metadata: object): Promise<Answer> =>
      call(idp, '/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [callback], ...metadata }),
      });
    const described = {
      application_type: 'web',
      contacts: ['ops@rp.example'],
      client_uri: 'https://rp.example/',
      response_types: ['code'],
      id_token_signed_response_alg: 'RS256',
      subject_type: 'public',
      default_max_age: 3600,
      userinfo_signed_response_alg: 'RS256',
      logo_uri: 'https://rp.example/logo.png',
      policy_uri: 'https://rp.example/privacy',
      tos_uri: 'https://rp.example/terms',
      initiate_login_uri: 'https://rp.example/begin',
      request_uris: ['https://rp.example/request'],
      post_logout_redirect_uris: ['https://rp.example/out'],
      backchannel_logout_uri: 'https://rp.example/logout',
      backchannel_logout_session_required: true,
      frontchannel_logout_uri: `${new URL(callback).origin}/frame?a=1`,
      frontchannel_logout_session_required: true,
    };

    verifies(
      ['SSO-49', 'SSO-K08', 'LGO-03'],
      'what is honoured is answered again, by the reading of a registration too',
      async () => {
        const made = await register({ ...described, jwks: { keys: [one?.jwk] } });
        expect(made.status, made.text).to.equal(201);
        expect(made.body).to.deep.include({ ...described, jwks: { keys: [one?.jwk] } });
        const headers = { Authorization: `Bearer ${made.body.registration_access_token}` };
        const read = await fetch(String(made.body.registration_client_uri), { headers });
        expect(await read.json()).to.deep.equal(made.body);
      },
    );

    verifies(
      ['SSO-49', 'SSO-M13', 'LGO-03'],
      'what cannot be honoured is refused, a login address without TLS among it',
      async () => {
        expect((await register({ initiate_login_uri: 'https://rp.example/begin' })).status).to.equal(201);
        for (const metadata of [
          { initiate_login_uri: 'http://rp.example/begin' },
          { application_type: 'desktop' },
          { contacts: 'me' },
          { id_token_signed_response_alg: 'ES256' },
          { userinfo_signed_response_alg: 'none' },
          { subject_type: 'pairwise' },
          { response_types: ['id_token'] },
          { default_max_age: -1 },
          { logo_uri: 'ftp://rp.example/logo' },
          { jwks: { keys: [] }, jwks_uri: 'https://rp.example/jwks' },
          { jwks: { keys: [one?.jwk, { ...one?.jwk, d: 'AQ' }] } },
          { token_endpoint_auth_method: 'private_key_jwt' },
          { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://outside.example/jwks' },
          { token_endpoint_auth_method: 'client_secret_any' },
          { backchannel_logout_uri: 'https://rp.example/logout#part' },
          { frontchannel_logout_uri: 'https://rp.example/frame' },
          { frontchannel_logout_uri: callback.replace('http:', 'https:') },
          { frontchannel_logout_uri: callback.replace(/:\d+/, ':1') },
          { frontchannel_logout_uri: callback, redirect_uris: ['com.example.app:/callback'] },
        ]) {
          expect(refusalOf(await register(metadata)), JSON.stringify(metadata)).to.deep.equal([
            400,
            'invalid_client_metadata',
          ]);
        }
      },
    );

    verifies('SSO-49', 'keys of which none can verify an assertion are refused, with the reason', async () => {
      const withKeys = (...jwks: object[]) =>
        register({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: jwks } });
      const encrypting = { ...one?.jwk, use: 'enc' };
      const answer = await withKeys(encrypting);
      expect(refusalOf(answer)).to.deep.equal([400, 'invalid_client_metadata']);
      expect(answer.body.error_description).to.contain('jwks').and.contain('keys[0] (kid one) has use enc');
      expect(refusalOf(await withKeys())).to.deep.equal([400, 'invalid_client_metadata']);
      expect((await withKeys(encrypting, one?.jwk ?? {})).status).to.equal(201);
      expect((await register({ jwks: { keys: [encrypting] } })).status).to.equal(201);
    });

    verifies(['SSO-49', 'SSO-K08'], 'with minimal metadata nothing of it counts', async () => {
      await idp.configure({ settings: settings({ dynamic_registration: { enabled: true } }) });
      const made = await register(described);
      expect(made.status, made.text).to.equal(201);
      expect(made.body).to.not.have.any.keys('logo_uri', 'contacts', 'response_types', 'backchannel_logout_uri');
      expect(
        refusalOf(await register({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } })),
      ).to.deep.equal([400, 'invalid_client_metadata']);
      const found = (await call(idp, '/.well-known/openid-configuration')).body;
      expect(found.token_endpoint_auth_methods_supported).to.not.include('private_key_jwt');
      expect(found).to.not.have.any.keys('userinfo_signing_alg_values_supported');
      await idp.configure({ settings: settings(), clients: clients() });
    });

    verifies(
      ['SSO-M15', 'SSO-49', 'SSO-50', 'SSO-51'],
      'a registered client authenticates by its keys, at their address too, and after it has changed them',
      async () => {
        for (const source of [{ jwks: { keys: [one?.jwk] } }, { jwks_uri: `${keys}/registered` }]) {
          host.answer = serveJson({ keys: [one?.jwk] });
          const grants = ['authorization_code', 'refresh_token'];
          const metadata = { token_endpoint_auth_method: 'private_key_jwt', grant_types: grants, ...source };
          const { body } = await register(metadata);
          expect(body).to.not.have.any.keys('client_secret', 'client_secret_expires_at');
          const clientId = String(body.client_id);
          const browser = newBrowser(idp);
          const asked = authorizePath({ client_id: clientId, scope: 'openid offline_access' });
          const code = codeOf(await browser.submit(await browser.get(asked), alice));
          const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
          // With the issuer as audience, and then with the token endpoint.
          const tokens = await present(await signedBy(one, clientId, { aud: idp.baseUrl }), form);
          expect(tokens.status, tokens.text).to.equal(200);
          const refreshing = { grant_type: 'refresh_token', refresh_token: String(tokens.body.refresh_token) };
          const rotated = 'jwks_uri' in source ? two : one;
          host.answer = serveJson({ keys: [two?.jwk] });
          const refreshed = await present(await signedBy(rotated, clientId), refreshing);
          expect(refreshed.status, refreshed.text).to.equal(200);
        }
      },
    );

    verifies(
      ['SSO-M09', 'SSO-49'],
      'a logout of a registered client leads to its registered addresses alone',
      async () => {
        const { body } = await register({ post_logout_redirect_uris: ['https://rp.example/out'] });
        const browser = newBrowser(idp);
        const page = await browser.get(authorizePath({ client_id: String(body.client_id), scope: 'openid' }));
        const code = codeOf(await browser.submit(page, alice));
        const ownHeader = { Authorization: basic(String(body.client_id), String(body.client_secret)) };
        const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
        const hint = String((await postTo(idp, '/token', form, ownHeader)).body.id_token);
        const logout = (address: string) =>
          browser.get(
            `/logout?${new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: address, state: 's' })}`,
          );
        await idp.configure({ settings: { ...settings(), security_profile: 'stricter-dev' }, clients: clients() });
        for (const address of ['https://rp.example/other', 'https://rp.example/out?foo=bar']) {
          expect((await logout(address)).location, address).to.equal(null);
        }
        await idp.configure({ settings: settings(), clients: clients() });
        expect(redirectParameters(await logout('https://rp.example/out')).get('state')).to.equal('s');
      },
    );

    verifies(['SSO-M17', 'SSO-55', 'SSO-54'], 'registered logo, links and signed UserInfo count', async () => {
      const { body } = await register(described);
      const clientId = String(body.client_id);
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath({ client_id: clientId, scope: 'openid' }));
      expect(page.body)
        .to.contain('src="https://rp.example/logo.png"')
        .and.to.contain('href="https://rp.example/terms"');
      expect(page.body).to.contain('href="https://rp.example/privacy"');
      const code = codeOf(await browser.submit(page, alice));
      const ownHeader = { Authorization: basic(clientId, String(body.client_secret)) };
      const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
      const { access_token } = (await postTo(idp, '/token', form, ownHeader)).body;
      const answer = await fetch(`${idp.baseUrl}/userinfo`, { headers: { Authorization: `Bearer ${access_token}` } });
      expect(answer.headers.get('content-type')).to.equal('application/jwt');
    });
  });
});
