// The discovery document and the key set of a started program.
import { expect } from 'chai';
import { claimsOf, postForm, rawRequest } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

const path = '/.well-known/openid-configuration';
const rfc8414 = '/.well-known/oauth-authorization-server';

async function discover(idp: RunningIdp): Promise<Record<string, unknown>> {
  return (await (await fetch(idp.baseUrl + path)).json()) as Record<string, unknown>;
}

/** The complete document, as dev returns it with both features off. */
function wholeDocument(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    introspection_endpoint: `${issuer}/introspect`,
    revocation_endpoint: `${issuer}/revoke`,
    end_session_endpoint: `${issuer}/logout`,
    device_authorization_endpoint: `${issuer}/device_authorization`,
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    grant_types_supported: [
      'authorization_code',
      'client_credentials',
      'password',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['plain', 'S256'],
    claims_parameter_supported: true,
    claims_supported: [
      'sub',
      'iss',
      'aud',
      'azp',
      'exp',
      'iat',
      'nbf',
      'auth_time',
      'nonce',
      'at_hash',
      'email',
      'email_verified',
      'preferred_username',
      'roles',
      'groups',
      'tenant',
      'identity_class',
      'entitlements',
      'attributes',
    ],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: false,
  };
}

describe('discovery under dev', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'oidc' });
  });
  after(() => idp.stop());

  verifies(
    ['DIS-03', 'DIS-04', 'DIS-05', 'DIS-06', 'DIS-07', 'DIS-08', 'DIS-09', 'DIS-10', 'DIS-11', 'DIS-12'],
    'returns the whole document with both features off',
    async () => {
      const response = await fetch(idp.baseUrl + path);
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-type')).to.equal('application/json');
      expect(await response.json()).to.deep.equal(wholeDocument(idp.baseUrl));
    },
  );

  verifies('DIS-01', 'returns the same bytes at both paths', async () => {
    const [one, other] = await Promise.all([path, rfc8414].map(async (p) => (await fetch(idp.baseUrl + p)).text()));
    expect(one).to.equal(other);
  });

  verifies('DIS-02', 'serves no form with a path that is not that of an issuer', async () => {
    for (const suffix of ['/', '/tenant', '/saml']) {
      const response = await fetch(idp.baseUrl + rfc8414 + suffix);
      expect(response.status, suffix).to.equal(404);
      expect(await response.json()).to.deep.equal({ error: 'not_found' });
    }
  });

  verifies(['ISS-02', 'DIS-03'], 'takes the issuer from the Host of the request', async () => {
    const answer = await rawRequest(idp.baseUrl + path, { headers: { Host: 'idp.test:8443' } });
    expect(JSON.parse(answer.body)).to.deep.equal(wholeDocument('http://idp.test:8443'));
  });

  verifies('ISS-04', 'uses the fixed issuer for an invalid Host', async () => {
    const answer = await rawRequest(idp.baseUrl + path, { headers: { Host: 'idp.test/evil' } });
    expect(JSON.parse(answer.body).issuer).to.equal('http://127.0.0.1:8000');
  });

  it('returns 304 to a client that has the document already', async () => {
    const etag = (await fetch(idp.baseUrl + path)).headers.get('etag') ?? '';
    const again = await rawRequest(idp.baseUrl + path, { headers: { 'If-None-Match': etag } });
    expect([again.status, again.body]).to.deep.equal([304, '']);
  });

  verifies('DIS-14', 'publishes only public members in the key set, whose key verifies a token', async () => {
    const { keys } = (await (await fetch(`${idp.baseUrl}/.well-known/jwks.json`)).json()) as {
      keys: Record<string, string>[];
    };
    expect(keys).to.have.lengthOf(1);
    expect(Object.keys(keys[0] ?? {}).sort()).to.deep.equal(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(keys[0]).to.include({ kty: 'RSA', use: 'sig', alg: 'RS256', e: 'AQAB' });
  });

  verifies('DIS-14', 'lists the new key first after a rotation, then previous ones from newest to oldest', async () => {
    const kids = async () => {
      const set = (await (await fetch(`${idp.baseUrl}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
      return set.keys.map(({ kid }) => kid);
    };
    const [first] = await kids();
    const rotate = () => fetch(`${idp.baseUrl}/api/keys/rotate`, { method: 'POST' });
    expect((await rotate()).status).to.equal(200);
    const second = await kids();
    expect(second).to.have.lengthOf(2);
    expect(second[1]).to.equal(first);
    await rotate();
    const third = await kids();
    expect(third.slice(1)).to.deep.equal(second);
  });

  verifies(['ISS-02', 'ISS-11'], 'names the requested host in tokens, and the new host after a refresh', async () => {
    const token = await rawRequest(`${idp.baseUrl}/token`, {
      method: 'POST',
      headers: { Host: 'one.test', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=password&client_id=post&client_secret=post-secret&username=alice&password=wonderland&scope=openid',
    });
    const first = JSON.parse(token.body);
    expect(claimsOf(first.access_token).iss).to.equal('http://one.test');
    expect(claimsOf(first.id_token).iss).to.equal('http://one.test');
    const refreshed = await rawRequest(`${idp.baseUrl}/token`, {
      method: 'POST',
      headers: { Host: 'two.test:81', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `grant_type=refresh_token&client_id=post&client_secret=post-secret&refresh_token=${first.refresh_token}`,
    });
    expect(claimsOf(JSON.parse(refreshed.body).access_token).iss).to.equal('http://two.test:81');
  });

  verifies('ISS-09', 'applies issuer, allowlist and device base on reload', async () => {
    const { writeFileSync } = await import('node:fs');
    const { stringify } = await import('yaml');
    writeFileSync(
      `${idp.configDirectory}/settings.yaml`,
      stringify({
        oauth: {
          ...demoSettings.oauth,
          issuer: 'https://new.example/',
          issuer_allowlist: ['http://allowed.test'],
          device_verification_base_url: 'https://device.example',
        },
      }),
    );
    expect((await fetch(`${idp.baseUrl}/api/config/reload`, { method: 'POST' })).status).to.equal(200);
    expect((await discover(idp)).issuer).to.equal('https://new.example/');
    const listed = await rawRequest(idp.baseUrl + path, { headers: { Host: 'allowed.test' } });
    expect(JSON.parse(listed.body).issuer).to.equal('http://allowed.test/');
    const device = await postForm(`${idp.baseUrl}/device_authorization`, { client_id: 'spa' });
    expect(((await device.json()) as { verification_uri: string }).verification_uri).to.equal(
      'https://device.example/device',
    );
  });
});

describe('discovery under a gated profile with both features on', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      command: 'oidc',
      settings: {
        security_profile: 'oauth21',
        login: { totp: true },
        oauth: {
          ...demoSettings.oauth,
          issuer: 'https://idp.example/tenant',
          issuer_from_request: false,
          scopes_supported: ['openid', 'orders:read'],
          device_verification_base_url: 'https://device.example',
          dynamic_registration: { enabled: true },
          client_id_metadata_documents: { enabled: true },
        },
      },
    });
  });
  after(() => idp.stop());

  verifies(
    ['DIS-04', 'DIS-05', 'DIS-07', 'DIS-08', 'DIS-09', 'DIS-11', 'DIS-13', 'ISS-01'],
    "returns the profile's own values",
    async () => {
      const document = JSON.parse((await rawRequest(idp.baseUrl + path, { headers: { Host: 'other.test' } })).body);
      const issuer = 'https://idp.example/tenant';
      const dev = wholeDocument(issuer);
      expect(document).to.deep.equal({
        ...dev,
        registration_endpoint: `${issuer}/register`,
        client_id_metadata_document_supported: true,
        scopes_supported: ['openid', 'orders:read'],
        grant_types_supported: dev.grant_types_supported.filter((grant) => grant !== 'password'),
        code_challenge_methods_supported: ['S256'],
        claims_supported: [...dev.claims_supported.slice(0, 10), 'amr', ...dev.claims_supported.slice(10)],
        authorization_response_iss_parameter_supported: true,
      });
    },
  );

  verifies('ISS-10', 'ignores the device base while the issuer is fixed', async () => {
    const device = await postForm(`${idp.baseUrl}/device_authorization`, { client_id: 'spa' });
    const { verification_uri } = (await device.json()) as { verification_uri: string };
    expect(verification_uri).to.equal('https://idp.example/tenant/device');
  });
});

describe('an issuer address that does not respond', () => {
  for (const command of ['start', 'saml'] as const) {
    verifies(['ISS-01', 'DIS-03'], `is published as configured, and ${command} warns once`, async () => {
      const args = command === 'start' ? ['--oidc-workers', '2'] : [];
      const idp = await startIdp({ command, args, settings: { oauth: { issuer: 'http://localhost:1' } } });
      try {
        if (command === 'start') expect(await discover(idp)).to.include({ issuer: 'http://localhost:1' });
        expect(idp.log().match(/oauth\.issuer is http:\/\/localhost:1, but this program listens/g)).to.have.length(1);
      } finally {
        await idp.stop();
      }
    });
  }
});

describe('discovery with external keys', () => {
  let idp: RunningIdp;
  before(async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { mkdirSync, mkdtempSync, writeFileSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const { join } = await import('node:path');
    const { stringify } = await import('yaml');
    const root = mkdtempSync(join(tmpdir(), 'test-idp-external-'));
    const config = join(root, 'config');
    mkdirSync(config);
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(join(config, 'own-private.pem'), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(join(config, 'own-public.pem'), pair.publicKey.export({ type: 'spki', format: 'pem' }));
    const jwt = {
      external_keys: { private_key: 'own-private.pem', public_key: 'own-public.pem', kid: 'operator-key' },
    };
    writeFileSync(join(config, 'settings.yaml'), stringify({ ...demoSettings, jwt }));
    writeFileSync(join(config, 'users.yaml'), 'users: {}\n');
    idp = await startIdp({ command: 'oidc', root });
  });
  after(async () => {
    await idp.stop();
    const { rmSync } = await import('node:fs');
    rmSync(idp.root, { recursive: true, force: true });
  });

  verifies('DIS-15', 'publishes that one key as key set', async () => {
    const { keys } = (await (await fetch(`${idp.baseUrl}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string }[];
    };
    expect(keys.map(({ kid }) => kid)).to.deep.equal(['operator-key']);
  });
});
