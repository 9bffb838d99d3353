// An independent implementation (jose) verifies the tokens of an authorization, and the test compares them claim by
// claim.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createLocalJWKSet, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import { instant } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import type { TokenOptions, TokenSet, UserAuthorization } from '#shared/engine/tokens/authorization.ts';
import { issueClientToken, issueUserTokens } from '#shared/engine/tokens/issue-tokens.ts';
import { keyRingSigner } from '#shared/engine/tokens/signer.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { noRequestedClaims } from '#shared/model/domain/authorization-request.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import type { KeyRing } from '#shared/state/keys/key-ring.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { manualClock } from '#test/support/manual-clock.ts';
import { type KeysRoot, newKeysRoot, openTestKeys } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

const issuedAt = 1_800_000_000;
const clock = manualClock(issuedAt * 1000 + 789);
const issuer = 'https://idp.example.org';

const snapshot = snapshotOf({
  settings: {
    oauth: {
      audience: 'the-api',
      clients: [
        { client_id: 'web', client_secret: 's' },
        { client_id: 'more', client_secret: 's', additional_audiences: ['b', 'the-api', '', 'b', 'more', 'a'] },
        { client_id: 'same', client_secret: 's', additional_audiences: ['same', 'the-api'] },
        { client_id: 'the-api', client_secret: 's', additional_audiences: ['x'] },
      ],
    },
  },
  users: {
    alice: {
      password: 'p',
      email: 'alice@example.org',
      identity_class: 'INTERNAL',
      roles: ['admin', 'USER'],
      groups: ['staff'],
      entitlements: ['read'],
      source_acl: ['acl:1'],
      tenant: 'north',
      attributes: { department: 'IT', level: 3, admin: false, empty: '', sub: 'forged', auth_time: 1 },
    },
    bare: { password: 'p', email: '', roles: [], tenant: '' },
    web: { password: 'p' },
  },
});

const noOptions: TokenOptions = { lifetimeMinutes: undefined, extra: {} };

describe('issuing tokens', () => {
  let keysRoot: KeysRoot;
  let keys: KeyRing;
  before(async () => {
    keysRoot = newKeysRoot();
    keys = await openTestKeys(keysRoot);
  });
  after(() => keysRoot.remove());

  const client = (id: string): Client => snapshot.clients.get(id) ?? expect.fail(`no client ${id}`);

  function authorization(changes: Partial<UserAuthorization> = {}): UserAuthorization {
    return {
      user: snapshot.users.get('alice') ?? expect.fail('no alice'),
      client: client('web'),
      scope: ['openid', 'email'],
      resource: [],
      claims: noRequestedClaims,
      authenticatedAt: instant((issuedAt - 100) * 1000),
      amr: undefined,
      nonce: undefined,
      family: 'family',
      refresh: { scope: ['openid', 'email'], resource: [] },
      ...changes,
    };
  }

  function issue(
    changes: Partial<UserAuthorization> = {},
    options: TokenOptions = noOptions,
    of: ConfigurationSnapshot = snapshot,
  ): Promise<TokenSet> {
    return issueUserTokens(authorization(changes), options, {
      snapshot: of,
      issuer,
      signer: keyRingSigner(keys),
      clock,
      random: systemRandomness,
    });
  }

  /** The claims, after jose has verified the signature. */
  async function claimsOf(token: string | undefined): Promise<JWTPayload> {
    const keySet = createLocalJWKSet({ keys: (await keys.publicKeys()).map((jwk) => ({ ...jwk })) });
    const { payload } = await jwtVerify(token ?? '', keySet, { currentDate: new Date(issuedAt * 1000) });
    return payload;
  }

  verifies(
    ['CLM-01', 'CLM-03'],
    'signs RS256 with alg, typ and kid, and gives every token its standard claims and a unique id',
    async () => {
      const tokens = await issue();
      const { kid } = await keys.signingKey();
      const uses = { access_token: 'access', id_token: 'id', refresh_token: 'refresh' } as const;
      const ids = new Set<unknown>();
      for (const [member, use] of Object.entries(uses)) {
        const token = tokens[member as keyof typeof uses];
        expect(decodeProtectedHeader(token ?? '')).to.deep.equal({ alg: 'RS256', typ: 'JWT', kid });
        const claims = await claimsOf(token);
        expect(claims).to.include({ iss: issuer, sub: 'alice', iat: issuedAt, nbf: issuedAt, token_use: use });
        expect(claims.aud).to.be.a('string');
        expect(Number.isInteger(claims.exp)).to.equal(true);
        ids.add(claims.jti);
      }
      for (let more = 0; more < 20; more += 1) ids.add((await claimsOf((await issue()).access_token)).jti);
      expect(ids.size).to.equal(23);
    },
  );

  verifies(
    ['CLM-09', 'CLM-10', 'CLM-11', 'CLM-13', 'CLM-14', 'CLM-15'],
    'builds the access token of a user only from user, client and granted scope',
    async () => {
      const { jti, ...claims } = await claimsOf(
        (await issue({ nonce: 'n', amr: ['pwd'] }, { lifetimeMinutes: undefined, extra: {} })).access_token,
      );
      expect(jti).to.match(/^family\.[\w-]{22}$/);
      expect(claims).to.deep.equal({
        iss: issuer,
        sub: 'alice',
        aud: 'the-api',
        iat: issuedAt,
        nbf: issuedAt,
        exp: issuedAt + 3600,
        token_use: 'access',
        client_id: 'web',
        scope: 'openid email',
        roles: ['admin', 'USER'],
        groups: ['staff'],
        tenant: 'north',
        identity_class: 'INTERNAL',
        entitlements: ['read'],
        source_acl: ['acl:1'],
        attributes: { department: 'IT', level: 3, admin: false, empty: '', sub: 'forged', auth_time: 1 },
        authorities: ['ROLE_ADMIN', 'ROLE_USER', 'GROUP_STAFF', 'IDENTITY_INTERNAL', 'ENT_read', 'acl:1'],
      });
    },
  );

  verifies(['CLM-10', 'CLM-11', 'CLM-13', 'CLM-14'], 'omits empty claims, even scope and client', async () => {
    const user = snapshot.users.get('bare');
    if (user === undefined) expect.fail('no bare');
    const tokens = await issue({ user, client: undefined, scope: [], refresh: undefined });
    expect(Object.keys(tokens)).to.deep.equal(['access_token', 'token_type', 'expires_in']);
    expect(Object.keys(await claimsOf(tokens.access_token)).sort()).to.deep.equal(
      ['iss', 'sub', 'aud', 'iat', 'nbf', 'exp', 'jti', 'token_use'].sort(),
    );
  });

  verifies(
    ['CLM-09', 'RES-02'],
    'writes one resource as a string audience, and several as a list in their order',
    async () => {
      expect((await claimsOf((await issue({ resource: ['urn:b'] })).access_token)).aud).to.equal('urn:b');
      const two = await claimsOf((await issue({ resource: ['urn:b', 'https://a'] })).access_token);
      expect(two.aud).to.deep.equal(['urn:b', 'https://a']);
    },
  );

  verifies(
    ['CLM-16', 'CLM-17', 'GRT-16'],
    'builds a client’s own token with exactly its claims, even if a user has the same name',
    async () => {
      const deps = { snapshot, issuer, signer: keyRingSigner(keys), clock, random: systemRandomness };
      const tokens = await issueClientToken({ client: client('web'), scope: [], resource: [] }, noOptions, deps);
      expect(Object.keys(tokens)).to.deep.equal(['access_token', 'token_type', 'expires_in']);
      const { jti, ...claims } = await claimsOf(tokens.access_token);
      expect(jti).to.match(/^[\w-]{22}$/);
      expect(claims).to.deep.equal({
        iss: issuer,
        sub: 'web',
        client_id: 'web',
        aud: 'the-api',
        token_use: 'access',
        iat: issuedAt,
        nbf: issuedAt,
        exp: issuedAt + 3600,
      });
      const scoped = await issueClientToken(
        { client: client('web'), scope: ['a', 'b'], resource: ['urn:r'] },
        { lifetimeMinutes: 5, extra: { purpose: 'test' } },
        deps,
      );
      expect(scoped.scope).to.equal('a b');
      expect(await claimsOf(scoped.access_token)).to.include({
        scope: 'a b',
        aud: 'urn:r',
        exp: issuedAt + 300,
        purpose: 'test',
      });
    },
  );

  verifies(['CLM-18', 'TOK-19'], 'issues an ID token only with the scope openid', async () => {
    expect((await issue({ scope: ['openid'] })).id_token).to.be.a('string');
    expect((await issue({ scope: ['email', 'profile'] })).id_token).to.equal(undefined);
    expect((await issue({ scope: [] })).id_token).to.equal(undefined);
  });

  verifies(
    ['CLM-19', 'CLM-32', 'TOK-07', 'TOK-09'],
    'applies a lifetime to access and ID token, but not to the refresh token',
    async () => {
      const tokens = await issue({}, { lifetimeMinutes: 7, extra: {} });
      expect(tokens.expires_in).to.equal(420);
      expect((await claimsOf(tokens.access_token)).exp).to.equal(issuedAt + 420);
      expect((await claimsOf(tokens.id_token)).exp).to.equal(issuedAt + 420);
      expect((await claimsOf(tokens.refresh_token)).exp).to.equal(issuedAt + 10_080 * 60);
      const configured = snapshotOf({
        settings: { oauth: { token_expiry_minutes: 3, refresh_token_expiry_minutes: 9 } },
      });
      const others = await issue({}, noOptions, configured);
      expect((await claimsOf(others.id_token)).exp).to.equal(issuedAt + 180);
      expect((await claimsOf(others.refresh_token)).exp).to.equal(issuedAt + 540);
    },
  );

  verifies(
    ['CLM-20', 'CLM-21', 'CLM-22'],
    'names the client and its additional audiences in order, without duplicates',
    async () => {
      const audienceFor = async (id: string) => {
        const { aud, azp } = await claimsOf((await issue({ client: client(id) })).id_token);
        return { aud, azp };
      };
      expect(await audienceFor('web')).to.deep.equal({ aud: 'web', azp: undefined });
      expect(await audienceFor('more')).to.deep.equal({ aud: ['more', 'b', 'a'], azp: 'more' });
      expect(await audienceFor('same')).to.deep.equal({ aud: 'same', azp: undefined });
      expect(await audienceFor('the-api')).to.deep.equal({ aud: ['the-api', 'x'], azp: 'the-api' });
    },
  );

  verifies(
    ['CLM-23', 'CLM-24', 'CLM-25', 'CLM-26', 'CLM-27'],
    'fills the ID token from the login, and binds it to the access token',
    async () => {
      const tokens = await issue({ nonce: 'n-1', amr: ['pwd', 'otp'] });
      const { jti, ...claims } = await claimsOf(tokens.id_token);
      const hash = createHash('sha256').update(tokens.access_token).digest();
      expect(jti).to.be.a('string');
      expect(claims).to.deep.equal({
        iss: issuer,
        sub: 'alice',
        aud: 'web',
        iat: issuedAt,
        nbf: issuedAt,
        exp: issuedAt + 3600,
        token_use: 'id',
        nonce: 'n-1',
        auth_time: issuedAt - 100,
        at_hash: hash.subarray(0, 16).toString('base64url'),
        amr: ['pwd', 'otp'],
      });
      const plain = await claimsOf((await issue({ nonce: '' })).id_token);
      expect(plain).not.to.have.any.keys('nonce', 'amr', 'email', 'email_verified', 'azp');
    },
  );

  verifies(['CLM-28', 'CLM-29'], 'adds requested claims that the user has, except protocol claims', async () => {
    const requestedClaims = [
      ...['email', 'email_verified', 'preferred_username', 'roles', 'groups', 'tenant', 'identity_class'],
      ...['entitlements', 'department', 'level', 'admin', 'empty', 'unknown', 'source_acl', 'authorities'],
      ...['sub', 'iss', 'exp', 'auth_time', 'amr', 'nonce', 'req_x', '__proto__', 'attributes', 'toString'],
    ];
    const tokens = await issue({ claims: { id_token: requestedClaims, userinfo: [] } });
    const plain = await claimsOf((await issue()).id_token);
    const claims = await claimsOf(tokens.id_token);
    const added = Object.entries(claims).filter(([name]) => !(name in plain));
    expect(Object.fromEntries(added)).to.deep.equal({
      email: 'alice@example.org',
      email_verified: true,
      preferred_username: 'alice',
      roles: ['admin', 'USER'],
      groups: ['staff'],
      tenant: 'north',
      identity_class: 'INTERNAL',
      entitlements: ['read'],
      department: 'IT',
      level: 3,
      admin: false,
    });
    expect(claims).to.include({ sub: 'alice', iss: issuer, auth_time: issuedAt - 100 });
    const bare = snapshot.users.get('bare');
    const none = await claimsOf(
      (await issue({ ...(bare && { user: bare }), claims: { id_token: requestedClaims, userinfo: [] } })).id_token,
    );
    expect(none).not.to.have.any.keys('email', 'email_verified', 'roles', 'groups', 'tenant', 'identity_class');
  });

  verifies(['CLM-30', 'CLM-31'], 'stores the whole grant in the refresh token, but nothing temporary', async () => {
    const tokens = await issue(
      {
        scope: ['email'],
        resource: ['urn:one'],
        nonce: 'n',
        amr: ['pwd'],
        claims: { id_token: ['email'], userinfo: ['groups'] },
        refresh: { scope: ['openid', 'email'], resource: ['urn:one', 'urn:two'] },
      },
      { lifetimeMinutes: 1, extra: { purpose: 'test' } },
    );
    const { jti, ...claims } = await claimsOf(tokens.refresh_token);
    expect(jti).to.be.a('string');
    expect(claims).to.deep.equal({
      iss: issuer,
      sub: 'alice',
      aud: 'the-api',
      iat: issuedAt,
      nbf: issuedAt,
      exp: issuedAt + 604_800,
      token_use: 'refresh',
      token_type: 'refresh',
      rt_family: 'family',
      client_id: 'web',
      scope: 'openid email',
      resource: ['urn:one', 'urn:two'],
      auth_time: issuedAt - 100,
      amr: ['pwd'],
      req_id_token_claims: ['email'],
      req_userinfo_claims: ['groups'],
    });
    const access = await claimsOf(tokens.access_token);
    expect(access).to.include({ scope: 'email', aud: 'urn:one' });
    expect(access.req_userinfo_claims).to.deep.equal(['groups']);
  });

  verifies('TOK-20', 'issues a refresh token only if the grant allows it and the client can use it', async () => {
    expect((await issue({ refresh: undefined })).refresh_token).to.equal(undefined);
    expect((await issue({ client: undefined })).refresh_token).to.equal(undefined);
  });

  verifies(['TOK-10', 'CLM-31'], 'adds extra claims only to the access token', async () => {
    const tokens = await issue({}, { lifetimeMinutes: undefined, extra: { purpose: 'test', nested: { a: [1] } } });
    const access = await claimsOf(tokens.access_token);
    expect(access.purpose).to.equal('test');
    expect(access.nested).to.deep.equal({ a: [1] });
    for (const token of [tokens.id_token, tokens.refresh_token]) {
      expect(await claimsOf(token)).not.to.have.any.keys('purpose', 'nested');
    }
  });

  verifies('TOK-17', 'rejects reserved extra claims for every caller', async () => {
    const extra = { sub: 'mallory', fine: 1 };
    const deps = { snapshot, issuer, signer: keyRingSigner(keys), clock, random: systemRandomness };
    const attempts = [
      issue({}, { lifetimeMinutes: undefined, extra }),
      issueClientToken({ client: client('web'), scope: [], resource: [] }, { lifetimeMinutes: undefined, extra }, deps),
    ];
    for (const attempt of attempts) {
      const refused = await attempt.catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(OAuthError);
      expect(refused).to.have.property('message', "'extra' cannot set: sub");
    }
  });
});
