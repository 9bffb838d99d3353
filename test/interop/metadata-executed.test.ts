// Discovery metadata must be true. The test reads the document as a client would, uses every value that it advertises with
// success, and shows that other values are rejected. It runs under each profile, with the feature flags on and off.
import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { basic, claimsOf, postForm } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { totp } from '#test/support/totp.ts';

const redirectUri = 'http://127.0.0.1:9/callback';
const allGrants = [
  'authorization_code',
  'client_credentials',
  'password',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
];
const totpSecret = 'JBSWY3DPEHPK3PXP';

interface Variant {
  readonly profile: 'dev' | 'stricter-dev' | 'oauth21';
  readonly features: boolean;
}

const variants: Variant[] = (['dev', 'stricter-dev', 'oauth21'] as const).flatMap((profile) => [
  { profile, features: false },
  { profile, features: true },
]);

const settingsOf = ({ profile, features }: Variant) => ({
  security_profile: profile,
  login: { totp: features },
  server: { rate_limit_token_endpoint: '100000/minute' },
  oauth: {
    issuer_from_request: true,
    issuer_from_proxy_headers: true,
    dynamic_registration: { enabled: features },
    client_id_metadata_documents: { enabled: features },
    clients: [
      { client_id: 'client_secret_basic', client_secret: 's', redirect_uris: [redirectUri] },
      {
        client_id: 'client_secret_post',
        client_secret: 's',
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [redirectUri],
      },
      { client_id: 'none', token_endpoint_auth_method: 'none', redirect_uris: [redirectUri] },
      { client_id: 'wide', client_secret: 's', additional_audiences: ['urn:second'], redirect_uris: [redirectUri] },
    ],
  },
});

const users = {
  users: {
    alice: {
      password: 'wonderland',
      email: 'alice@example.org',
      roles: ['ADMIN'],
      groups: ['staff'],
      identity_class: 'INTERNAL',
      entitlements: ['billing'],
      attributes: { department: 'research' },
      totp_secret: totpSecret,
    },
  },
};

type Discovery = Record<string, string[]> & Record<string, string>;

class Driver {
  readonly idp: RunningIdp;
  readonly document: Discovery;

  constructor(idp: RunningIdp, document: Discovery) {
    this.idp = idp;
    this.document = document;
  }

  /** Authenticates as the client named after its method. */
  token(client: string, form: Record<string, string>, endpoint = this.document.token_endpoint): Promise<Response> {
    if (client === 'client_secret_basic' || client === 'wide') {
      return postForm(endpoint ?? '', form, { Authorization: basic(client, 's') });
    }
    const secret: Record<string, string> = client === 'client_secret_post' ? { client_secret: 's' } : {};
    return postForm(endpoint ?? '', { ...form, client_id: client, ...secret });
  }

  /** Completes /authorize in one direct POST, and returns the response to the client. */
  async authorize(client: string, parameters: Record<string, string>): Promise<Response> {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client,
      redirect_uri: redirectUri,
      ...parameters,
    });
    return postForm(`${this.document.authorization_endpoint}?${query}`, {
      username: 'alice',
      password: 'wonderland',
      totp_code: totp(totpSecret),
    });
  }

  async code(client: string, parameters: Record<string, string> = {}): Promise<{ code: string; verifier: string }> {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const answer = await this.authorize(client, {
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...parameters,
    });
    const location = new URL(answer.headers.get('location') ?? 'missing:');
    expect(location.searchParams.get('error'), location.href).to.equal(null);
    return { code: location.searchParams.get('code') ?? '', verifier };
  }

  async tokensByCode(client: string, parameters: Record<string, string> = {}): Promise<Record<string, string>> {
    const { code, verifier } = await this.code(client, parameters);
    const response = await this.token(client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    expect(response.status, await response.clone().text()).to.equal(200);
    return (await response.json()) as Record<string, string>;
  }

  async grant(grant: string): Promise<Response> {
    const client = 'client_secret_basic';
    if (grant === 'authorization_code') {
      const { code, verifier } = await this.code(client);
      return this.token(client, { grant_type: grant, code, redirect_uri: redirectUri, code_verifier: verifier });
    }
    if (grant === 'refresh_token') {
      const { refresh_token } = await this.tokensByCode(client);
      return this.token(client, { grant_type: grant, refresh_token: refresh_token ?? '' });
    }
    if (grant === 'urn:ietf:params:oauth:grant-type:device_code') {
      const asked = await this.token(client, {}, this.document.device_authorization_endpoint);
      const device = (await asked.json()) as Record<string, string>;
      const approval = await postForm(device.verification_uri ?? '', {
        user_code: device.user_code ?? '',
        username: 'alice',
        password: 'wonderland',
        totp_code: totp(totpSecret),
      });
      expect(approval.status).to.equal(200);
      return this.token(client, { grant_type: grant, device_code: device.device_code ?? '' });
    }
    return this.token(client, { grant_type: grant, username: 'alice', password: 'wonderland' });
  }
}

for (const variant of variants) {
  describe(`advertised metadata under ${variant.profile}, features ${variant.features ? 'on' : 'off'}`, () => {
    let driver: Driver;
    before(async () => {
      const idp = await startIdp({ command: 'oidc', settings: settingsOf(variant), users });
      const response = await fetch(`${idp.baseUrl}/.well-known/openid-configuration`);
      driver = new Driver(idp, (await response.json()) as Discovery);
    });
    after(() => driver.idp.stop());

    it('includes every endpoint, and a registration endpoint exactly if advertised', async () => {
      for (const [name, address] of Object.entries(driver.document)) {
        if (!name.endsWith('_endpoint') && name !== 'jwks_uri') continue;
        expect([name, (await fetch(address)).status === 404]).to.deep.equal([name, false]);
      }
      const registration = await fetch(`${driver.idp.baseUrl}/register`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://rp.example/cb'] }),
      });
      expect(registration.status).to.equal(driver.document.registration_endpoint === undefined ? 404 : 201);
    });

    for (const grant of allGrants) {
      it(`supports grant ${grant} exactly if advertised`, async () => {
        const response = await driver.grant(grant);
        const body = (await response.json()) as Record<string, string>;
        if (driver.document.grant_types_supported?.includes(grant)) {
          expect([response.status, body.token_type]).to.deep.equal([200, 'Bearer']);
        } else {
          expect([response.status, body.error]).to.deep.equal([400, 'unsupported_grant_type']);
        }
      });
    }

    it('accepts every advertised client authentication method at its endpoint, and rejects others', async () => {
      const all = ['client_secret_basic', 'client_secret_post', 'none'];
      const works = async (endpoint: string, method: string): Promise<boolean> => {
        const { refresh_token = '' } = await driver.tokensByCode(method);
        const form: Record<string, string> =
          endpoint === 'token_endpoint' ? { grant_type: 'refresh_token', refresh_token } : { token: refresh_token };
        return (await driver.token(method, form, driver.document[endpoint])).status === 200;
      };
      for (const [endpoint, list] of [
        ['token_endpoint', 'token_endpoint_auth_methods_supported'],
        ['revocation_endpoint', 'revocation_endpoint_auth_methods_supported'],
        ['introspection_endpoint', 'introspection_endpoint_auth_methods_supported'],
      ] as const) {
        const working = [];
        for (const method of all) if (await works(endpoint, method)) working.push(method);
        expect([list, working]).to.deep.equal([list, driver.document[list]]);
      }
    });

    it('supports every advertised response mode, and rejects others', async () => {
      const verifier = randomBytes(32).toString('base64url');
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
      for (const mode of ['query', 'form_post', 'fragment', 'jwt']) {
        const answer = await driver.authorize('none', { ...pkce, response_mode: mode });
        const location = new URL(answer.headers.get('location') ?? 'missing:');
        const inFragment = new URLSearchParams(location.hash.slice(1));
        const outcome =
          answer.status === 200 && (await answer.text()).includes('name="code"')
            ? 'form_post'
            : location.searchParams.has('code')
              ? 'query'
              : inFragment.has('code')
                ? 'fragment'
                : (location.searchParams.get('error') ?? inFragment.get('error'));
        const expected = driver.document.response_modes_supported?.includes(mode) ? mode : 'invalid_request';
        expect([mode, outcome]).to.deep.equal([mode, expected]);
      }
      const implicit = await driver.authorize('none', { ...pkce, response_type: 'id_token' });
      expect(new URL(implicit.headers.get('location') ?? '').searchParams.get('error')).to.equal(
        'unsupported_response_type',
      );
      expect(driver.document.response_types_supported).to.deep.equal(['code']);
    });

    it('supports every advertised PKCE method up to tokens, and rejects others', async () => {
      for (const method of ['S256', 'plain', 'S512']) {
        const verifier = randomBytes(32).toString('base64url');
        const challenge = method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url');
        const answer = await driver.authorize('client_secret_basic', {
          code_challenge: challenge,
          code_challenge_method: method,
        });
        const { searchParams } = new URL(answer.headers.get('location') ?? '');
        const advertised = driver.document.code_challenge_methods_supported?.includes(method) === true;
        expect([method, searchParams.get('error')]).to.deep.equal([method, advertised ? null : 'invalid_request']);
        if (!advertised) continue;
        const response = await driver.token('client_secret_basic', {
          grant_type: 'authorization_code',
          code: searchParams.get('code') ?? '',
          redirect_uri: redirectUri,
          code_verifier: verifier,
        });
        expect([method, response.status]).to.deep.equal([method, 200]);
      }
    });

    it('grants every advertised scope, and rejects another one', async () => {
      const scopes = driver.document.scopes_supported ?? [];
      for (const scope of scopes) {
        expect((await driver.tokensByCode('client_secret_basic', { scope })).scope).to.equal(scope);
      }
      const answer = await driver.authorize('none', {
        scope: 'unheard:of',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      });
      expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).to.equal('invalid_scope');
    });

    it('allows exactly the advertised claims in an ID token or at UserInfo', async () => {
      const asked = { email: null, email_verified: null, preferred_username: null, entitlements: null };
      const tokens = await driver.tokensByCode('wide', {
        scope: 'openid profile email',
        nonce: 'n-1',
        claims: JSON.stringify({ id_token: asked, userinfo: asked }),
      });
      const userinfo = await fetch(driver.document.userinfo_endpoint ?? '', {
        headers: { Authorization: `Bearer ${tokens.access_token}` },
      });
      const idToken = claimsOf(tokens.id_token ?? '');
      const seen = new Set([...Object.keys(idToken), ...Object.keys((await userinfo.json()) as object)]);
      // Members of every issued JWT are no claims about the user (CLM-03).
      seen.delete('jti');
      seen.delete('token_use');
      expect([...seen].sort()).to.deep.equal([...(driver.document.claims_supported ?? [])].sort());
    });

    it('has public subjects, signs ID tokens as advertised, and sends iss exactly if advertised', async () => {
      const subjects = new Set<unknown>();
      for (const client of ['client_secret_basic', 'none']) {
        const { id_token = '' } = await driver.tokensByCode(client, { scope: 'openid' });
        const header = JSON.parse(Buffer.from(id_token.split('.')[0] ?? '', 'base64url').toString('utf8'));
        expect(driver.document.id_token_signing_alg_values_supported).to.deep.equal([header.alg]);
        subjects.add(claimsOf(id_token).sub);
      }
      expect(driver.document.subject_types_supported).to.deep.equal(['public']);
      expect([...subjects]).to.deep.equal(['alice']);
      // RFC 9207 §2: iss needs an https issuer. Here the forwarded scheme decides.
      for (const [proto, sent] of [
        ['http', false],
        ['https', true],
      ] as const) {
        const headers = { 'X-Forwarded-Proto': proto };
        const document = await fetch(`${driver.idp.baseUrl}/.well-known/openid-configuration`, { headers });
        const { issuer, authorization_response_iss_parameter_supported: advertised } = (await document.json()) as {
          issuer: string;
          authorization_response_iss_parameter_supported: boolean;
        };
        const query = new URLSearchParams({ client_id: 'none', redirect_uri: redirectUri, response_type: 'token' });
        const refused = await fetch(`${driver.idp.baseUrl}/authorize?${query}`, { headers, redirect: 'manual' });
        const { searchParams } = new URL(refused.headers.get('location') ?? '');
        expect([proto, advertised, searchParams.get('iss')]).to.deep.equal([proto, sent, sent ? issuer : null]);
      }
    });

    it('rejects request objects as advertised', async () => {
      for (const name of ['request', 'request_uri'] as const) {
        const answer = await driver.authorize('none', { [name]: 'x' });
        expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).to.equal(
          `${name}_not_supported`,
        );
      }
    });
  });
}
