// Claims of users and clients: who may have which claims, and where they appear.
import { expect } from 'chai';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { forgeToken } from '#test/support/forge-token.ts';
import { basic, claimsOf as claimsOfToken } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, postTo, refresh, token, tokensFor, userinfo } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { postForm } from '#test/support/web-ui.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const address = { formatted: '1 Rabbit Lane', country: 'PT' };

const standard = {
  name: 'Alice Liddell',
  given_name: 'Alice',
  email_verified: false,
  preferred_username: 'al',
  phone_number: '+351 210 000 000',
  phone_number_verified: true,
  address,
  birthdate: '0000-02-29',
  updated_at: 1_700_000_000,
};
const free = { 'https://example.com/plan': 'gold', level: 3, nothing: null, blank: '', none: [] };

const users = {
  alice: {
    password: 'wonderland',
    roles: ['USER', 'ADMIN'],
    groups: ['staff', 'chess'],
    attributes: { level: 1, team: ['red', 'white'], shoe: 38 },
    claims: { ...standard, ...free },
  },
  bob: { password: 'builder' },
};
const clients = [
  {
    client_id: 'shop',
    client_secret: 'shop-secret',
    redirect_uris: [callback],
    claims: { level: 9, shop: { id: 7 }, locale: 'pt', name: 'A guest' },
  },
];
const shop = { Authorization: basic('shop', 'shop-secret') };
const claimsOf = (tokenText: unknown) => claimsOfToken(String(tokenText));
const alice = { username: 'alice', password: 'wonderland' };
const bob = { username: 'bob', password: 'builder' };
const everyScope = 'openid profile email address phone offline_access';
const scopes = { scopes_supported: everyScope.split(' ') };

const profile = {
  preferred_username: 'al',
  name: 'Alice Liddell',
  given_name: 'Alice',
  birthdate: '0000-02-29',
  updated_at: 1_700_000_000,
};
const email = { email: 'alice@example.org', email_verified: false };
const phone = { phone_number: '+351 210 000 000', phone_number_verified: true };
const freeClaims = { 'https://example.com/plan': 'gold', level: 3 };
const entry = {
  roles: ['USER', 'ADMIN'],
  tenant: 'default',
  groups: ['staff', 'chess'],
  attributes: users.alice.attributes,
};

describe('claims of users', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, users, clients, settings: { oauth: scopes } });
  });
  after(() => idp.stop());

  const settled = async (settings: Readonly<Record<string, unknown>> = {}) => {
    const { oauth = {}, ...others } = settings;
    await idp.configure({ users, clients, settings: { ...others, oauth: { ...scopes, ...Object(oauth) } } });
  };
  const tokens = async (form: Record<string, string> = {}, headers?: Readonly<Record<string, string>>) => {
    const answer = await token(idp, { grant_type: 'password', ...alice, scope: everyScope, ...form }, headers);
    expect(answer.status, answer.text).to.equal(200);
    return {
      access: String(answer.body.access_token),
      accessClaims: claimsOf(answer.body.access_token),
      idClaims: claimsOf(answer.body.id_token),
      refresh: String(answer.body.refresh_token),
    };
  };
  /** Returns the claims of an ID token or access token without those of the protocol itself. */
  const about = (claims: Readonly<Record<string, unknown>>) => {
    const protocol =
      'iss sub aud iat nbf exp jti token_use client_id scope azp nonce auth_time at_hash authorities'.split(' ');
    return Object.fromEntries(Object.entries(claims).filter(([name]) => !protocol.includes(name)));
  };
  const bodyOf = async (accessToken: string) => (await userinfo(idp, accessToken)).body;

  verifies(['PCL-06', 'PCL-07', 'PCL-10'], 'returns every standard claim for any scope under dev', async () => {
    await settled();
    const { access } = await tokens({ scope: 'openid' });
    expect(await bodyOf(access)).to.deep.equal({
      sub: 'alice',
      ...email,
      ...profile,
      ...phone,
      address,
      ...entry,
      ...freeClaims,
    });
  });

  verifies('PCL-06', 'returns only the claims of granted scopes in every profile, with userinfo_by_scope', async () => {
    for (const settings of [{ security_profile: 'stricter-dev' }, { oauth: { userinfo_by_scope: true } }]) {
      await settled(settings);
      const bodies = new Map<string, object>();
      for (const scope of ['openid', 'openid profile', 'openid email', 'openid address', 'openid phone']) {
        bodies.set(scope, await bodyOf((await tokens({ scope })).access));
      }
      const rest = { sub: 'alice', ...entry, ...freeClaims };
      expect(Object.fromEntries(bodies)).to.deep.equal({
        openid: rest,
        'openid profile': { ...rest, ...profile },
        'openid email': { ...rest, ...email },
        'openid address': { ...rest, address },
        'openid phone': { ...rest, ...phone },
      });
    }
  });

  verifies('PCL-07', 'keeps login and sub independent of preferred_username', async () => {
    await settled();
    expect((await tokens()).accessClaims.sub).to.equal('alice');
    const answer = await token(idp, { grant_type: 'password', username: 'al', password: 'wonderland' });
    expect(answer.body.error).to.equal('invalid_grant');
  });

  verifies(
    ['PCL-08', 'PCL-10'],
    'puts free claims into the ID token, and also those of its scopes if configured',
    async () => {
      await settled();
      expect(about((await tokens()).idClaims)).to.deep.equal(freeClaims);
      await settled({ oauth: { id_token_claims: 'scope' } });
      const of = await tokens();
      expect(about(of.idClaims)).to.deep.equal({ ...email, ...profile, ...phone, address, ...freeClaims });
      expect(about((await tokens({ scope: 'openid email' })).idClaims)).to.deep.equal({ ...email, ...freeClaims });
      const refreshed = await refresh(idp, of.refresh, { scope: 'openid phone' });
      expect(about(claimsOf(refreshed.body.id_token))).to.deep.equal({ ...phone, ...freeClaims });
    },
  );

  verifies('PCL-09', 'finds claims of the claims parameter by name, before an attribute of the same name', async () => {
    await settled({ oauth: { userinfo_by_scope: true } });
    const asked = { name: null, level: null, shoe: null, address: null, email_verified: null, nickname: null };
    const answer = await tokensFor(idp, { claims: JSON.stringify({ id_token: asked, userinfo: asked }) });
    const names = { name: 'Alice Liddell', shoe: 38, address, email_verified: false };
    expect(about(claimsOf(answer.id_token))).to.deep.equal({ ...freeClaims, ...names });
    expect(await bodyOf(answer.access_token ?? '')).to.deep.include({ ...freeClaims, ...names });
  });

  verifies(
    ['PCL-10', 'PCL-11', 'PCL-04'],
    'puts free claims into access tokens, and no claims into refresh tokens',
    async () => {
      await settled();
      const { accessClaims, refresh: refreshToken } = await tokens();
      expect(about(accessClaims)).to.deep.equal({ ...entry, ...freeClaims });
      const kept = claimsOf(refreshToken);
      for (const name of [...Object.keys(standard), ...Object.keys(free)]) expect(kept).not.to.have.property(name);
      const changed = { ...users, alice: { ...users.alice, claims: { level: 4 } } };
      await idp.configure({ users: changed, clients, settings: { oauth: scopes } });
      const refreshed = await refresh(idp, refreshToken);
      expect(about(claimsOf(refreshed.body.access_token))).to.deep.equal({ ...entry, level: 4 });
      expect(about(claimsOf(refreshed.body.id_token))).to.deep.equal({ level: 4 });
    },
  );

  verifies('PCL-12', 'rejects standard claims in extra, and keeps a claim that already exists', async () => {
    await settled({ claim_mappings: [{ claim: 'made', from: 'username', as: 'text' }] });
    const form = { grant_type: 'password', ...alice };
    const refused = await token(idp, { ...form, extra: JSON.stringify({ name: 'x', level: 1 }) });
    expect(refused.body.error_description).to.equal("'extra' cannot set: name");
    const { accessClaims } = await tokens({ extra: JSON.stringify({ level: 1, made: 'x', further: 2 }) });
    expect(accessClaims).to.include({ level: 3, made: 'alice', further: 2 });
  });

  verifies(['PCL-13', 'PCL-14'], 'adds a client’s claims unless the user has one of the same name', async () => {
    await settled();
    const of = await tokens({}, shop);
    expect(about(of.accessClaims)).to.deep.equal({ ...entry, ...freeClaims, shop: { id: 7 } });
    expect(about(of.idClaims)).to.deep.equal({ ...freeClaims, shop: { id: 7 } });
    expect(await bodyOf(of.access)).to.deep.include({ name: 'Alice Liddell', locale: 'pt', level: 3, shop: { id: 7 } });
    const bobs = await tokens(bob, shop);
    expect(about(bobs.accessClaims)).to.deep.equal({ roles: ['USER'], tenant: 'default', level: 9, shop: { id: 7 } });
    expect(await bodyOf(bobs.access)).to.deep.include({ name: 'A guest', level: 9 });
    const own = await token(idp, { grant_type: 'client_credentials' }, shop);
    expect(about(claimsOf(own.body.access_token))).to.deep.equal({ level: 9, shop: { id: 7 } });
    expect(await bodyOf(String(own.body.access_token))).to.deep.equal({ sub: 'shop' });
    expect(about((await tokens(bob)).accessClaims)).to.deep.equal({ roles: ['USER'], tenant: 'default' });
  });

  verifies('PCL-14', 'prefers a mapping over user and client', async () => {
    await settled({ claim_mappings: [{ claim: 'level', from: 'attributes.shoe', as: 'first' }] });
    const of = await tokens({}, shop);
    expect(of.accessClaims.level).to.equal(38);
    expect(of.idClaims.level).to.equal(38);
    expect((await bodyOf(of.access)).level).to.equal(38);
  });

  verifies('PCL-19', 'omits token_use from ID tokens when configured, and keeps it in other tokens', async () => {
    await settled({ oauth: { id_token_token_use: false } });
    const of = await tokens();
    expect(of.idClaims).not.to.have.property('token_use');
    expect([of.accessClaims.token_use, claimsOf(of.refresh).token_use]).to.deep.equal(['access', 'refresh']);
    await settled();
    expect((await tokens()).idClaims.token_use).to.equal('id');
  });

  verifies(
    'PCL-20',
    'treats a token that looks like an ID token as one, wherever another token is expected',
    async () => {
      await settled();
      const { access, refresh: refreshToken } = await tokens();
      const { token_use: _access, ...plain } = claimsOf(access);
      const { token_use: _refresh, ...spendable } = claimsOf(refreshToken);
      expect((await userinfo(idp, forgeToken(idp, plain))).status).to.equal(200);
      const lookalikes = [
        forgeToken(idp, { ...plain, auth_time: 1 }),
        forgeToken(idp, { ...plain, at_hash: 'x' }),
        forgeToken(idp, { ...plain, nonce: 'n' }),
        forgeToken(idp, { ...plain, events: {} }),
        forgeToken(idp, plain, { typ: 'logout+jwt' }),
      ];
      for (const text of lookalikes) {
        const answer = await userinfo(idp, text);
        expect([answer.status, answer.body.error]).to.deep.equal([401, 'invalid_token']);
        expect((await postTo(idp, '/introspect', { token: text })).body).to.deep.equal({ active: false });
        expect((await refresh(idp, text)).body.error).to.equal('invalid_grant');
        const revocations = await idp.audited(() => postTo(idp, '/revoke', { token: text }));
        expect(revocations.map(({ event_type, status }) => [event_type, status])).to.deep.equal([
          ['revocation_request', 'failed'],
        ]);
      }
      const withoutUse = forgeToken(idp, spendable);
      expect((await refresh(idp, withoutUse)).body.error).to.equal('invalid_grant');
    },
  );

  verifies(['PCL-21', 'PCL-22', 'PCL-23', 'PCL-26'], 'maps every source to every shape', async () => {
    const mappings = [
      { claim: ['realm_access', 'roles'], from: 'roles' },
      { claim: ['realm_access', 'groups', 'all'], from: 'groups', as: 'text', separator: ', ' },
      { claim: 'https://example.com/roles', from: 'groups', as: 'map' },
      { claim: 'urn:zitadel:roles', from: 'roles', as: 'map', value: { org: 'example' } },
      { claim: 'upn', from: 'username', as: 'first' },
      { claim: 'emails', from: 'email' },
      { claim: 'teams', from: 'attributes.team', as: 'text' },
      { claim: 'plan', from: 'claims.https://example.com/plan', as: 'first' },
      { claim: 'home', from: 'claims.address', as: 'first' },
      { claim: 'org', from: 'tenant' },
      { claim: 'grants', from: 'authorities', as: 'first' },
      { claim: 'nobody', from: 'entitlements' },
      { claim: 'class', from: 'identity_class', as: 'text' },
      { claim: 'acl', from: 'source_acl', as: 'map' },
    ];
    const made = {
      realm_access: { roles: ['USER', 'ADMIN'], groups: { all: 'staff, chess' } },
      'https://example.com/roles': { staff: true, chess: true },
      'urn:zitadel:roles': { USER: { org: 'example' }, ADMIN: { org: 'example' } },
      upn: 'alice',
      emails: ['alice@example.org'],
      teams: 'red white',
      plan: 'gold',
      home: address,
      org: ['default'],
      grants: 'ROLE_USER',
    };
    for (const claim_mappings of [mappings, [...mappings].reverse()]) {
      await settled({ claim_mappings });
      const of = await tokens();
      expect(about(of.idClaims)).to.deep.equal({ ...freeClaims, ...made });
      expect(about(of.accessClaims)).to.deep.equal({ ...entry, ...freeClaims, ...made });
      expect(await bodyOf(of.access)).to.deep.include(made);
    }
  });

  verifies(['PCL-23', 'PCL-25'], 'replaces, empties and omits existing claims by mapping', async () => {
    await settled({
      claim_mappings: [
        { claim: 'roles', from: 'roles', as: 'text' },
        { claim: 'groups', from: 'attributes.nothing' },
        { claim: 'tenant', as: 'omit' },
        { claim: ['attributes', 'team'], as: 'omit' },
        { claim: ['attributes', 'shoe'], from: 'attributes.shoe', as: 'text' },
        { claim: 'name', from: 'username', as: 'text', in: ['access_token', 'userinfo'] },
        { claim: 'level', as: 'omit' },
        { claim: 'authorities', from: 'authorities', as: 'text' },
      ],
    });
    const { access, accessClaims } = await tokens();
    const replaced = { roles: 'USER ADMIN', attributes: { level: 1, shoe: '38' }, name: 'alice' };
    expect(about(accessClaims)).to.deep.equal({ 'https://example.com/plan': 'gold', ...replaced });
    expect(accessClaims.authorities).to.equal('ROLE_USER ROLE_ADMIN GROUP_STAFF GROUP_CHESS');
    const body = await bodyOf(access);
    expect(body).to.deep.include(replaced);
    expect(body).not.to.have.any.keys('groups', 'tenant', 'level');
    await settled();
    expect((await tokens()).accessClaims.attributes).to.deep.equal(users.alice.attributes);
  });

  verifies('PCL-24', 'applies a mapping only to its places, clients and scope', async () => {
    await settled({
      claim_mappings: [
        { claim: 'a', from: 'username', in: ['access_token'] },
        { claim: 'i', from: 'username', in: ['id_token'] },
        { claim: 'u', from: 'username', in: ['userinfo'] },
        { claim: 's', from: 'username', clients: ['shop'] },
        { claim: 'p', from: 'username', scope: 'phone' },
      ],
    });
    const made = (claims: Readonly<Record<string, unknown>>) =>
      ['a', 'i', 'u', 's', 'p'].filter((name) => name in claims).join('');
    const places = async (form: Record<string, string>, headers?: Readonly<Record<string, string>>) => {
      const of = await tokens(form, headers);
      return [made(of.accessClaims), made(of.idClaims), made(await bodyOf(of.access))];
    };
    expect(await places({})).to.deep.equal(['ap', 'ip', 'up']);
    expect(await places({ scope: 'openid' })).to.deep.equal(['a', 'i', 'u']);
    expect(await places({ scope: 'openid' }, shop)).to.deep.equal(['as', 'is', 'us']);
  });

  verifies(
    ['PCL-01', 'PCL-02', 'PCL-03'],
    'accepts claims in the body of a runtime user, and names the place of rejected ones',
    async () => {
      await settled();
      const claims = { name: 'Gast', plan: ['a'] };
      expect(
        (await idp.api('POST', '/api/runtime/users', { username: 'guest', password: 'g', claims })).status,
      ).to.equal(201);
      const of = await tokens({ username: 'guest', password: 'g' });
      expect(of.accessClaims.plan).to.deep.equal(['a']);
      expect((await bodyOf(of.access)).name).to.equal('Gast');
      for (const [name, value] of Object.entries({ iss: 'x', email: 'a@b', address: 'Lane 1' })) {
        const refused = await idp.api('POST', '/api/runtime/users', { username: 'other', claims: { [name]: value } });
        expect([refused.status, refused.body.kind]).to.deep.equal([400, 'invalid']);
        expect(refused.body.error).to.include(`claims.${name} `);
      }
    },
  );

  verifies(
    ['PCL-01', 'PCL-13'],
    'accepts claims as JSON in the forms of users and clients, and reports mistakes',
    async () => {
      await settled();
      const browser = newBrowser(idp);
      const shown = await browser.get('/users/alice/edit');
      expect(shown.text).to.include('"https://example.com/plan": "gold"');
      const refused = await postForm(browser, '/users/alice/edit', [['claims', '{"iss": "x"}']]);
      expect(refused.text).to.include('“iss” must not be in claims').and.to.include('{"iss": "x"}');
      expect((await postForm(browser, '/users/alice/edit', [['claims', '{"plan": ']])).text).to.include(
        'in JSON an object',
      );
      await postForm(browser, '/users/alice/edit', [['claims', '{"plan": "silver"}']]);
      expect(about((await tokens()).accessClaims)).to.deep.equal({ ...entry, plan: 'silver' });
      await postForm(browser, '/users/alice/edit', [['claims', '']]);
      expect(about((await tokens()).accessClaims)).to.deep.equal(entry);
      await postForm(browser, '/clients/shop/edit', [['claims', '{"shop": 8}']]);
      expect(about((await tokens({}, shop)).accessClaims)).to.deep.equal({ ...entry, shop: 8 });
      const mappings = '[{"claim": ["realm_access", "roles"], "from": "roles"}]';
      await postForm(browser, '/settings', [['claim_mappings', mappings]]);
      expect((await tokens()).accessClaims.realm_access).to.deep.equal({ roles: ['USER', 'ADMIN'] });
      const wrong = await postForm(browser, '/settings', [['claim_mappings', '[{"claim": "x", "from": "secret"}]']]);
      expect(wrong.text).to.include('“[0].from” must be one of username');
    },
  );

  verifies('PCL-28', 'shows claims in API, page and preview, the preview as tokens would hold them', async () => {
    await settled({ oauth: { id_token_claims: 'scope', userinfo_by_scope: true } });
    const { body } = await idp.api('GET', '/api/users/alice');
    expect(body.claims).to.deep.equal({ ...standard, ...free });
    const page = await newBrowser(idp).get('/users/alice');
    expect(page.text).to.include('"name": "Alice Liddell"');
    const scope = 'openid profile';
    const { body: preview } = await call(
      idp,
      `/claims/preview/alice?${new URLSearchParams({ client_id: 'shop', scope })}`,
    );
    const of = await tokens({ scope }, shop);
    const lasting = (claims: Readonly<Record<string, unknown>>) => {
      const { iat: _iat, nbf: _nbf, exp: _exp, jti: _jti, auth_time: _time, at_hash: _hash, ...rest } = claims;
      return rest;
    };
    expect(preview.claims).to.deep.nested.include({ claims: body.claims });
    expect(preview.access_token).to.deep.equal(lasting(of.accessClaims));
    expect(preview.id_token).to.deep.equal(lasting(of.idClaims));
    expect(preview.userinfo).to.deep.equal(await bodyOf(of.access));
    const query = new URLSearchParams({ username: 'alice', client_id: 'shop', scope: 'email' });
    const drawn = await newBrowser(idp).get(`/claims?${query}`);
    expect(drawn.text).to.include('No ID token without the scope openid').and.to.include('"email_verified": false');
    expect((await call(idp, '/claims/preview/alice?client_id=nobody')).status).to.equal(404);
    expect((await newBrowser(idp).get('/claims?username=alice&client_id=nobody')).text).to.include(
      'This client does not exist.',
    );
  });

  verifies('PCL-27', 'lists configured claims in discovery, except those that are omitted everywhere', async () => {
    const supported = async () => {
      const { body } = await call(idp, '/.well-known/openid-configuration');
      expect(body.scopes_supported).to.deep.equal(scopes.scopes_supported);
      return body.claims_supported as string[];
    };
    await settled();
    const before = await supported();
    expect(before).to.include.members(['name', 'address', 'https://example.com/plan', 'shop', 'locale', 'level']);
    expect(new Set(before).size).to.equal(before.length);
    await settled({
      claim_mappings: [
        { claim: ['realm_access', 'roles'], from: 'roles' },
        { claim: 'only_access', from: 'roles', in: ['access_token'] },
        { claim: 'tenant', as: 'omit' },
        { claim: 'roles', as: 'omit', in: ['id_token'] },
        { claim: 'groups', as: 'omit', in: ['id_token'] },
        { claim: 'groups', as: 'omit', in: ['userinfo'] },
        { claim: 'attributes', as: 'omit', clients: ['shop'] },
      ],
    });
    const after = await supported();
    expect(after.filter((name) => !before.includes(name))).to.deep.equal(['realm_access']);
    expect(before.filter((name) => !after.includes(name))).to.have.members(['tenant', 'groups']);
  });
});
