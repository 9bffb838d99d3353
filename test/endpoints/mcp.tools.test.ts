// Every tool over standard input and output, driven by the SDK's client, which also validates structured results against
// the published output schemas.

import { expect } from 'chai';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { z } from 'zod';
import { claimsOf } from '#test/support/http.ts';
import { type StdioMcp, startMcp } from '#test/support/mcp-client.ts';
import { sentences } from '#test/support/sentences.ts';
import { verifies } from '#test/support/verifies.ts';

const settings = {
  management_secret: null,
  hooks: { on_config_saved: 'true hidden-command' },
  session: { secret_key: 'cookie-secret-0123456789' },
  oauth: {
    issuer: 'http://127.0.0.1:8000',
    issuer_from_request: true,
    clients: [
      { client_id: 'web', client_secret: 'web-secret', allowed_scopes: ['openid', 'email'] },
      { client_id: 'spa', token_endpoint_auth_method: 'none' },
    ],
  },
};
const users = {
  users: {
    alice: {
      password: 'wonderland',
      email: 'alice@example.org',
      groups: ['staff'],
      totp_secret: 'JBSWY3DPEHPK3PXP',
      attributes: { department: 'IT' },
    },
  },
};

const keySetModel = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

describe('the MCP tools', () => {
  let mcp: StdioMcp;
  before(async () => {
    mcp = await startMcp({ settings, users });
  });
  after(() => mcp.stop());

  it('reject a string with the character U+0000 and name its argument', async () => {
    const { isError, result } = await mcp.call('create_user', { username: 'al\0ice', password: 'p' });
    expect(isError).to.equal(true);
    expect(JSON.stringify(result)).to.contain(sentences.nulIn('username'));
  });

  const failure = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const { isError, result } = await mcp.call(name, args);
    expect(isError, name).to.equal(true);
    expect(result.success, name).to.equal(false);
    expect(result.error, name).to.be.a('string').and.not.equal('');
    return result;
  };
  const revision = /^[0-9a-f]{64}$/;

  verifies(
    ['MCP-01', 'MCP-21'],
    'announce themselves as test-idp with the package version, 26 of them first',
    async () => {
      const { version } = await import('#shared/base/version.ts');
      expect(mcp.client.getServerVersion()).to.include({ name: 'test-idp', version });
      const { tools } = await mcp.client.listTools();
      expect(
        tools
          .map((tool) => tool.name)
          .slice(0, 26)
          .sort(),
      ).to.deep.equal(
        [
          ...['list_users', 'get_user', 'create_user', 'create_persona_user', 'update_user', 'delete_user'],
          ...['generate_token', 'decode_token', 'verify_token', 'list_clients', 'get_client', 'create_client'],
          ...['update_client', 'delete_client', 'get_settings', 'update_settings', 'save_config', 'reload_config'],
          ...['validate_config', 'get_oidc_discovery', 'get_jwks', 'get_audit_log', 'get_audit_stats'],
          ...['clear_audit_log', 'get_keys_info', 'rotate_keys'],
        ].sort(),
      );
    },
  );

  verifies('MCP-22', 'list and read users with the revision, without password and TOTP secret', async () => {
    const alice = {
      username: 'alice',
      description: '',
      email: 'alice@example.org',
      roles: ['USER'],
      groups: ['staff'],
      entitlements: [],
      source_acl: [],
      tenant: 'default',
      identity_class: null,
      attributes: { department: 'IT' },
      claims: {},
    };
    const listed = await mcp.ok('list_users');
    expect(listed.users_revision).to.match(revision);
    expect(listed).to.deep.equal({ count: 1, users_revision: listed.users_revision, users: [alice] });
    expect(await mcp.ok('get_user', { username: 'alice' })).to.deep.equal({
      found: true,
      user: alice,
      users_revision: listed.users_revision,
    });
    expect(await mcp.ok('get_user', { username: 'nobody' })).to.deep.equal({
      found: false,
      username: 'nobody',
      users_revision: listed.users_revision,
    });
  });

  verifies(
    ['PCL-01', 'PCL-02', 'PCL-13', 'PCL-28'],
    'set claims of users and clients, replaced as a whole',
    async () => {
      const claims = { name: 'Ann', level: [1] };
      await mcp.ok('create_user', { username: 'ann', password: 'p', claims });
      expect((await mcp.ok('get_user', { username: 'ann' })).user).to.deep.include({ claims });
      await mcp.ok('update_user', { username: 'ann', claims: { level: 2 } });
      expect((await mcp.ok('get_user', { username: 'ann' })).user).to.deep.include({ claims: { level: 2 } });
      const refused = await failure('update_user', { username: 'ann', claims: { iss: 'x' } });
      expect(refused.error).to.match(/claims\.iss must not be in claims/);
      await failure('create_user', { username: 'eve', password: 'p', claims: { birthdate: 'May' } });
      await mcp.ok('update_client', { client_id: 'web', claims: { shop: 7 } });
      expect((await mcp.ok('get_client', { client_id: 'web' })).client).to.deep.include({ claims: { shop: 7 } });
      await failure('update_client', { client_id: 'web', claims: { sub: 'x' } });
      const { access_token: text } = await mcp.ok('generate_token', { username: 'ann', client_id: 'web' });
      expect(claimsOf(String(text))).to.include({ level: 2, shop: 7 });
      await mcp.ok('update_client', { client_id: 'web', claims: {} });
      await mcp.ok('delete_user', { username: 'ann' });
    },
  );

  verifies(['MCP-23', 'MCP-25'], 'create users with defaults and delete them, each name once', async () => {
    const defaults = {
      description: '',
      email: '',
      roles: ['USER'],
      groups: [],
      entitlements: [],
      source_acl: [],
      tenant: 'default',
      identity_class: null,
      attributes: {},
      claims: {},
    };
    expect(await mcp.ok('create_user', { username: 'bob', password: 'builder' })).to.deep.equal({
      success: true,
      user: { username: 'bob', ...defaults },
    });
    const given = { email: 'd@example.org', roles: ['A'], identity_class: 'X', attributes: { a: { b: [1] } } };
    expect(await mcp.ok('create_persona_user', { username: 'dana', ...given })).to.deep.equal({
      success: true,
      user: { username: 'dana', ...defaults, ...given },
    });
    for (const name of ['bob', 'dana', 'alice']) {
      await failure('create_user', { username: name, password: 'x' });
      await failure('create_persona_user', { username: name });
    }
    expect(await mcp.ok('delete_user', { username: 'bob' })).to.deep.equal({ success: true, deleted: 'bob' });
    expect(await mcp.ok('delete_user', { username: 'dana' })).to.deep.equal({ success: true, deleted: 'dana' });
    await failure('delete_user', { username: 'bob' });
    expect((await mcp.ok('list_users')).count).to.equal(1);
  });

  verifies('MCP-24', 'change only the given fields of a user and replace attributes as a whole', async () => {
    await mcp.ok('create_user', { username: 'eve', password: 'p', groups: ['g'], attributes: { a: 1, b: 2 } });
    const { user } = await mcp.ok('update_user', { username: 'eve', attributes: { c: 3 }, tenant: 'north' });
    expect(user).to.deep.include({ groups: ['g'], attributes: { c: 3 }, tenant: 'north', roles: ['USER'], email: '' });
    await failure('update_user', { username: 'nobody', tenant: 'x' });
    await mcp.ok('delete_user', { username: 'eve' });
  });

  verifies(['MCP-19', 'MCP-17'], 'reject invalid formats and combinations of fields without any change', async () => {
    const before = [await mcp.ok('list_users'), await mcp.ok('list_clients'), await mcp.ok('get_settings')];
    await failure('create_user', { username: 'x', password: 'p', email: 'no-address' });
    await failure('update_user', { username: 'alice', tenant: 'changed', email: 'no-address' });
    const rounded = await failure('update_user', { username: 'alice', attributes: { order: [2 ** 53] } });
    expect(rounded.error).to.contain('2^53');
    await failure('create_client', { client_id: 'x' });
    await failure('create_client', { client_id: 'x', client_secret: 's', background_color: 'red' });
    await failure('update_client', { client_id: 'web', description: 'changed', header_color: '#12345' });
    await failure('update_client', {
      client_id: 'web',
      description: 'changed',
      scope: 'openid',
      allowed_scopes: ['email'],
    });
    await failure('update_settings', { audience: 'changed', cors_allowed_originss: ['https://app.example.org/'] });
    await failure('update_settings', { audience: 'changed', issuer_allowlist: ['app.example.org'] });
    expect([await mcp.ok('list_users'), await mcp.ok('list_clients'), await mcp.ok('get_settings')]).to.deep.equal(
      before,
    );
  });

  verifies('MCP-26', 'list and read clients with the revision, without secrets', async () => {
    const web = {
      client_id: 'web',
      token_endpoint_auth_method: 'client_secret_basic',
      description: '',
      background_color: null,
      header_color: null,
      footer_color: null,
      show_client_id: true,
      show_description: false,
      layout: 'vertical',
      redirect_uris: [],
      redirect_uri_patterns: [],
      post_logout_redirect_uris: [],
      post_logout_redirect_uri_patterns: [],
      backchannel_logout_uri: null,
      backchannel_logout_session_required: false,
      frontchannel_logout_uri: null,
      frontchannel_logout_session_required: false,
      default_max_age: null,
      jwks: null,
      jwks_uri: null,
      request_uris: [],
      userinfo_signed_response_alg: null,
      dpop_bound_access_tokens: false,
      require_pushed_authorization_requests: false,
      initiate_login_uri: null,
      logo_uri: null,
      policy_uri: null,
      tos_uri: null,
      additional_audiences: [],
      roles: [],
      groups: [],
      audience: [],
      default_scopes: [],
      token_expiry_seconds: null,
      id_token_expiry_seconds: null,
      refresh_token_expiry_seconds: null,
      allowed_scopes: ['openid', 'email'],
      allowed_resources: [],
      scope: 'openid email',
      claims: {},
    };
    const listed = await mcp.ok('list_clients');
    expect(listed.settings_revision).to.match(revision);
    expect(listed.count).to.equal(2);
    expect(listed.clients).to.have.length(2).and.to.deep.include(web);
    expect(await mcp.ok('get_client', { client_id: 'web' })).to.deep.equal({
      found: true,
      client: web,
      settings_revision: listed.settings_revision,
    });
    expect(await mcp.ok('get_client', { client_id: 'nobody' })).to.deep.equal({
      found: false,
      client_id: 'nobody',
      settings_revision: listed.settings_revision,
    });
  });

  it('show long lists in pages', async () => {
    for (let n = 0; n < 5; n += 1) await mcp.ok('create_persona_user', { username: `p${n}` });
    const { count, users: page } = await mcp.ok('list_users', { limit: 2, offset: 3 });
    expect(count).to.equal(6);
    expect(Array.isArray(page) ? page.map((user) => user.username) : []).to.deep.equal(['p2', 'p3']);
    for (let n = 0; n < 5; n += 1) await mcp.ok('delete_user', { username: `p${n}` });
  });

  verifies(
    ['MCP-27', 'MCP-20', 'MCP-25'],
    'create clients with defaults, and with a secret exactly if one is needed',
    async () => {
      const { client } = await mcp.ok('create_client', { client_id: 'api', client_secret: 's', scope: 'openid' });
      expect(client).to.deep.include({
        client_id: 'api',
        token_endpoint_auth_method: 'client_secret_basic',
        allowed_scopes: ['openid'],
        scope: 'openid',
        show_client_id: true,
        layout: 'vertical',
      });
      await failure('create_client', { client_id: 'api', client_secret: 's' });
      await failure('create_client', { client_id: 'other' });
      await failure('create_client', { client_id: 'other', client_secret: '' });
      await failure('create_client', { client_id: 'other', token_endpoint_auth_method: 'client_secret_post' });
      const colours = { background_color: '#A0b1C2', header_color: '', footer_color: '#000000' };
      const open = { client_id: 'open', token_endpoint_auth_method: 'none', client_secret: 'dropped', ...colours };
      expect((await mcp.ok('create_client', open)).client).to.deep.include({
        background_color: '#A0b1C2',
        header_color: null,
        footer_color: '#000000',
      });
      // The dropped secret was not stored, so the client cannot become confidential without a new one.
      await failure('update_client', { client_id: 'open', token_endpoint_auth_method: 'client_secret_post' });
      expect((await mcp.ok('update_client', { client_id: 'open', footer_color: '' })).client).to.include({
        footer_color: null,
        background_color: '#A0b1C2',
      });
      expect(await mcp.ok('delete_client', { client_id: 'open' })).to.deep.equal({ success: true, deleted: 'open' });
      await mcp.ok('delete_client', { client_id: 'api' });
      await failure('delete_client', { client_id: 'api' });
    },
  );

  verifies(
    ['MCP-28', 'MCP-20'],
    'change only the given fields of a client, keep an omitted secret and remove restrictions',
    async () => {
      const changed = await mcp.ok('update_client', { client_id: 'web', description: 'shop', allowed_scopes: [] });
      expect(changed.client).to.deep.include({ description: 'shop', allowed_scopes: [], scope: '' });
      const again = await mcp.ok('update_client', {
        client_id: 'web',
        allowed_scopes: ['openid', 'email'],
        description: '',
      });
      expect(again.client).to.deep.include({ scope: 'openid email' });
      await failure('update_client', { client_id: 'web', client_secret: '' });
      await failure('update_client', { client_id: 'nobody', description: 'x' });
      // The secret still exists, because a confidential method needs one.
      await mcp.ok('update_client', { client_id: 'web', token_endpoint_auth_method: 'client_secret_post' });
      await mcp.ok('update_client', { client_id: 'web', token_endpoint_auth_method: 'client_secret_basic' });
    },
  );

  verifies(
    ['MCP-29', 'MCP-30', 'MCP-08'],
    'issue an unbound access token, or a bound one with a refresh token',
    async () => {
      const unbound = await mcp.ok('generate_token', { username: 'alice' });
      expect(Object.keys(unbound)).to.deep.equal(['success', 'access_token', 'token_type', 'expires_in']);
      expect([unbound.token_type, unbound.expires_in]).to.deep.equal(['Bearer', 3600]);
      const claims = claimsOf(String(unbound.access_token));
      expect(claims).to.include({ iss: 'http://127.0.0.1:8000', sub: 'alice', aud: 'default', token_use: 'access' });
      expect(claims).not.to.have.any.keys('client_id', 'scope');

      const bound = await mcp.ok('generate_token', { username: 'alice', client_id: 'web', expires_in_minutes: 5 });
      expect(bound.expires_in).to.equal(300);
      expect(claimsOf(String(bound.access_token)).client_id).to.equal('web');
      expect(claimsOf(String(bound.refresh_token))).to.include({ token_use: 'refresh', client_id: 'web' });
      const keySet = keySetModel.parse(await mcp.ok('get_jwks'));
      await jwtVerify(String(bound.access_token), createLocalJWKSet(keySet));

      await failure('generate_token', { username: 'nobody' });
      await failure('generate_token', { username: 'alice', client_id: 'nobody' });
    },
  );

  verifies('MCP-31', 'use scope, resource and requested claims as given, unchecked', async () => {
    const tokens = await mcp.ok('generate_token', {
      username: 'alice',
      client_id: 'web',
      scope: 'openid  anything at:all',
      resource: ['urn:a', 'not a uri'],
      id_token_claims: ['email', 'department'],
      userinfo_claims: ['groups'],
    });
    const access = claimsOf(String(tokens.access_token));
    expect(access).to.deep.include({ scope: 'openid anything at:all', aud: ['urn:a', 'not a uri'] });
    expect(access.req_userinfo_claims).to.deep.equal(['groups']);
    expect(claimsOf(String(tokens.id_token))).to.deep.include({
      aud: 'web',
      email: 'alice@example.org',
      department: 'IT',
    });
    const single = await mcp.ok('generate_token', { username: 'alice', resource: ['urn:a'], scope: 'email' });
    expect(claimsOf(String(single.access_token)).aud).to.equal('urn:a');
    expect(single).not.to.have.any.keys('id_token', 'refresh_token');
  });

  verifies('TTK-05', 'set and remove claims, and name a contradiction', async () => {
    const tokens = await mcp.ok('generate_token', {
      ...{ username: 'alice', scope: 'openid', audience: 'orders-api' },
      ...{ set_claims: { azp: 'app', iss: null }, remove_claims: ['roles'] },
      id_token: { set_claims: { tier: 1 }, remove_claims: ['nbf'] },
    });
    const access = claimsOf(String(tokens.access_token));
    expect(access).to.include({ azp: 'app', iss: null, aud: 'orders-api' }).and.not.have.property('roles');
    expect(claimsOf(String(tokens.id_token)))
      .to.include({ tier: 1 })
      .and.not.have.property('nbf');
    const refused = await failure('generate_token', { username: 'alice', set_claims: { a: 1 }, remove_claims: ['a'] });
    expect(refused.error).to.equal('The claim "a" is in set_claims and in remove_claims.');
  });

  verifies(['MCP-32', 'TOK-17'], 'reject extra claims like /token does, and name them', async () => {
    const refused = await failure('generate_token', {
      username: 'alice',
      extra_claims: { scope: 'x', aud: 'y', ok: 1 },
    });
    expect(refused.error).to.equal("'extra' cannot set: aud, scope");
    const { access_token: token } = await mcp.ok('generate_token', { username: 'alice', extra_claims: { ok: [1] } });
    expect(claimsOf(String(token)).ok).to.deep.equal([1]);
  });

  verifies('MCP-33', 'decode a token without verifying it', async () => {
    const claims = { sub: 'x', exp: 1 };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect(await mcp.ok('decode_token', { token: `${part({ alg: 'none' })}.${part(claims)}.AAAA` })).to.deep.equal({
      success: true,
      claims,
    });
    expect(await mcp.ok('decode_token', { token: `${part({ alg: 'none' })}.${part(claims)}.` })).to.deep.equal({
      success: true,
      claims,
    });
    for (const token of ['', 'abc', 'a.b', 'a.b.c', `${part({})}.${part([])}.A`])
      await failure('decode_token', { token });
  });

  verifies('MCP-34', 'verify signature and expiry, and the audience only if one is given', async () => {
    const { access_token: token } = await mcp.ok('generate_token', { username: 'alice', resource: ['urn:a', 'urn:b'] });
    const valid = await mcp.ok('verify_token', { token });
    expect(valid.valid).to.equal(true);
    expect(valid.claims).to.deep.equal(claimsOf(String(token)));
    expect((await mcp.ok('verify_token', { token, audience: 'urn:b' })).valid).to.equal(true);
    for (const args of [{ token, audience: 'default' }, { token: `${token}x` }, { token: 'abc' }]) {
      const answer = await mcp.ok('verify_token', args);
      expect(Object.keys(answer)).to.deep.equal(['valid', 'reason']);
      expect(answer.valid).to.equal(false);
      expect(answer.reason).to.be.a('string').and.not.equal('');
    }
  });

  verifies(
    ['MCP-35', 'HOK-12', 'UNK-K01'],
    'show the settings with effective SAML values, profile and hooks, without secrets',
    async () => {
      const shown = await mcp.ok('get_settings');
      expect(shown).to.deep.include({
        issuer: 'http://127.0.0.1:8000',
        audience: 'default',
        token_expiry_minutes: 60,
        cors_allowed_originss: null,
        unknown_scopes: 'reject',
        saml_entity_id: null,
        saml: {
          entity_id: 'http://127.0.0.1:8000/saml',
          entity_id_derived: true,
          sso_url: 'http://127.0.0.1:8000/saml/sso',
          sso_url_derived: true,
        },
        runtime: { store: 'memory' },
        security_profile: 'dev',
        profile_override: null,
      });
      expect(shown.settings_revision).to.match(revision);
      expect(shown.effective).to.deep.include({ require_pkce: false, rate_limit_enabled: false });
      expect(shown.hooks).to.have.property('hook_api_version', 1);
      expect(JSON.stringify(shown))
        .not.to.include('hidden-command')
        .and.not.include('cookie-secret')
        .and.not.include('web-secret');
    },
  );

  verifies('MCP-36', 'change settings, including the issuer without validating it', async () => {
    const changed = await mcp.ok('update_settings', {
      issuer: 'not a url',
      token_expiry_minutes: 5,
      saml_entity_id: 'urn:idp',
      cors_allowed_originss: ['https://app.example.org'],
      login_mode: 'persona',
    });
    expect(changed.updated_fields).to.deep.equal([
      'issuer',
      'token_expiry_minutes',
      'cors_allowed_originss',
      'saml_entity_id',
      'login_mode',
    ]);
    expect(changed.current_settings).to.deep.include({ issuer: 'not a url', token_expiry_minutes: 5, totp: false });
    expect((await mcp.ok('get_settings')).saml).to.deep.equal({
      entity_id: 'urn:idp',
      entity_id_derived: false,
      sso_url: 'not a url/saml/sso',
      sso_url_derived: true,
    });
    const { expires_in: lifetime, access_token: token } = await mcp.ok('generate_token', { username: 'alice' });
    expect([lifetime, claimsOf(String(token)).iss]).to.deep.equal([300, 'not a url']);
    const back = {
      issuer: 'http://127.0.0.1:8000/',
      token_expiry_minutes: 60,
      saml_entity_id: '',
      cors_allowed_originss: null,
      login_mode: 'password',
    };
    expect((await mcp.ok('update_settings', back)).current_settings).to.deep.include({
      issuer: 'http://127.0.0.1:8000/',
      saml_entity_id: null,
      cors_allowed_originss: null,
    });
    expect(await mcp.ok('update_settings')).to.have.deep.property('updated_fields', []);
  });

  verifies('MCP-38', 'return the discovery document with the fixed issuer, and the key set', async () => {
    const document = await mcp.ok('get_oidc_discovery');
    expect(document).to.deep.include({
      issuer: 'http://127.0.0.1:8000/',
      token_endpoint: 'http://127.0.0.1:8000/token',
      subject_types_supported: ['public'],
    });
    const { keys } = await mcp.ok('get_jwks');
    expect(keys).to.be.an('array').with.length.above(0);
    for (const key of Array.isArray(keys) ? keys : []) {
      expect(Object.keys(key).sort()).to.deep.equal(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    }
  });

  verifies(['MCP-40', 'AUD-27'], 'rotate the keys, keep the old one for verification, and describe both', async () => {
    const { access_token: token } = await mcp.ok('generate_token', { username: 'alice' });
    const before = await mcp.ok('get_keys_info');
    const rotated = await mcp.ok('rotate_keys');
    expect(Object.keys(rotated).sort()).to.deep.equal(
      ['success', 'old_kid', 'new_kid', 'previous_keys_count', 'rotated_at'].sort(),
    );
    expect(rotated.old_kid).to.equal(before.active_kid);
    expect(await mcp.ok('get_keys_info')).to.deep.equal({
      active_kid: rotated.new_kid,
      previous_keys_count: 1,
      previous_kids: [before.active_kid],
      max_previous_keys: 2,
    });
    expect(decodeProtectedHeader(String(token)).kid).to.equal(before.active_kid);
    expect((await mcp.ok('verify_token', { token })).valid).to.equal(true);
    const { entries } = await mcp.ok('get_audit_log', { event_type: 'key_rotation' });
    expect(entries).to.have.length(1);
    expect(Array.isArray(entries) ? entries[0] : {}).to.deep.include({
      username: 'mcp',
      endpoint: 'mcp:rotate_keys',
      method: 'MCP',
      status: 'success',
      details: { old_kid: rotated.old_kid, new_kid: rotated.new_kid },
    });
  });

  verifies(['MCP-39', 'MCP-07', 'AUD-31'], 'read, count and clear the audit of this process only', async () => {
    expect(await mcp.ok('clear_audit_log')).to.have.keys('success', 'message');
    await mcp.ok('get_user', { username: 'alice' });
    await mcp.call('get_user', { username: '' });
    const log = await mcp.ok('get_audit_log', { username: '', event_type: '' });
    const entries = Array.isArray(log.entries) ? log.entries : [];
    expect(log.count).to.equal(3);
    expect(
      entries.map((entry) => [entry.event_type, entry.endpoint, entry.method, entry.status, entry.details]),
    ).to.deep.equal([
      ['mcp_tool', 'mcp', 'clear_audit_log', 'success', { tool: 'clear_audit_log' }],
      ['mcp_tool', 'mcp', 'get_user', 'success', { tool: 'get_user' }],
      ['mcp_tool', 'mcp', 'get_user', 'error', { tool: 'get_user', error: 'MCP_INVALID_ARGUMENTS' }],
    ]);
    expect((await mcp.ok('get_audit_log', { limit: 1 })).count).to.equal(1);
    expect((await mcp.ok('get_audit_log', { limit: 0 })).count).to.equal(0);
    expect((await mcp.ok('get_audit_log', { limit: -1 })).count).to.equal(6);
    expect((await mcp.ok('get_audit_log', { username: 'alice' })).count).to.equal(0);
    const statistics = await mcp.ok('get_audit_stats');
    expect(Object.keys(statistics)).to.deep.equal([
      'total_requests',
      'token_requests',
      'saml_sso_requests',
      'saml_attribute_queries',
      'login_attempts',
      'successful_logins',
      'failed_logins',
    ]);
    expect(statistics.total_requests).to.equal(8);
  });

  verifies('MCP-14', 'reject unknown tools and invalid arguments, and name the field', async () => {
    expect(await mcp.call('no_such_tool', { username: 'x' })).to.deep.equal({
      isError: true,
      result: {
        error: 'This tool does not exist. tools/list lists all tools.',
        code: 'MCP_UNKNOWN_TOOL',
        tool: 'no_such_tool',
      },
    });
    const refusals: [string, Readonly<Record<string, unknown>>, string][] = [
      ['create_user', { username: 'x' }, 'password'],
      ['create_user', { username: 'x', password: 'p', description: 'x'.repeat(201) }, 'description'],
      ['create_user', { username: 'x', password: 'p', roles: ['a', 1] }, 'roles.1'],
      ['update_settings', { token_expiry_minutes: 0 }, 'token_expiry_minutes'],
      ['update_settings', { saml_c14n_algorithm: 'c14n12' }, 'saml_c14n_algorithm'],
      ['generate_token', { username: 'alice', expires_in_minutes: 1441 }, 'expires_in_minutes'],
      ['generate_token', { username: 'alice', expires_in_minutes: 0 }, 'expires_in_minutes'],
      ['get_audit_log', { limit: '5' }, 'limit'],
    ];
    for (const [tool, args, field] of refusals) {
      const { isError, result } = await mcp.call(tool, args);
      expect(isError).to.equal(true);
      expect(result).to.include({ code: 'MCP_INVALID_ARGUMENTS', tool });
      expect(Object.keys(result)).to.deep.equal(['error', 'code', 'tool']);
      expect(result.error).to.include(field);
    }
    expect((await mcp.ok('get_user', { username: 'x' })).found).to.equal(false);
  });

  verifies('MCP-16', 'return one text item of JSON, marked as error exactly for failures and rejections', async () => {
    const raw = (name: string, args: Record<string, unknown>) => mcp.client.callTool({ name, arguments: args });
    const answers = [
      await raw('get_user', { username: 'nobody' }),
      await raw('verify_token', { token: 'x' }),
      await raw('delete_user', { username: 'nobody' }),
      await raw('get_user', {}),
      await raw('no_such_tool', {}),
    ];
    expect(answers.map((answer) => answer.isError === true)).to.deep.equal([false, false, true, true, true]);
    for (const { content } of answers) {
      expect(content).to.be.an('array').with.length(1);
      const [item] = Array.isArray(content) ? content : [];
      expect(Object.keys(item)).to.deep.equal(['type', 'text']);
      expect(item.type).to.equal('text');
      expect(JSON.parse(item.text)).to.be.an('object');
    }
  });

  verifies('KEY-06', 'never show the private key', async () => {
    const { readFileSync } = await import('node:fs');
    const { join } = await import('node:path');
    const secret = readFileSync(join(mcp.root, 'keys', 'rsa_private.pem'), 'utf8').split('\n')[1] ?? '?';
    for (const name of ['get_jwks', 'get_keys_info', 'get_settings', 'get_audit_log', 'list_clients']) {
      const answer = JSON.stringify(await mcp.ok(name));
      expect(answer, name)
        .not.to.include(secret)
        .and.not.match(/"(d|p|q|dp|dq|qi)":/);
    }
    expect(mcp.log()).not.to.include(secret).and.not.include('PRIVATE KEY');
  });
});
