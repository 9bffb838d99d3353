// Drives every type of audit event over HTTP, checks its details, and checks that no event contains a secret.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { authorizePath, challenge } from '#test/support/authorization-flow.ts';
import { BrowserClient, redirectParameters } from '#test/support/browser-client.ts';
import { alice, web } from '#test/support/credentials.ts';
import { basic, postForm } from '#test/support/http.ts';
import { type ApiClient, apiClient } from '#test/support/management-api.ts';
import { attributeQueryText } from '#test/support/saml/attribute-query-text.ts';
import { authnRequest, encodePost } from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

interface Entry {
  readonly event_type: string;
  readonly status: string;
  readonly endpoint: string | null;
  readonly method: string | null;
  readonly username: string | null;
  readonly client_id: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

describe('audit events', () => {
  let idp: RunningIdp;
  let api: ApiClient;
  /** All entries that this file recorded, and all secrets that were sent or returned. */
  const recorded: Entry[] = [];
  /** The same entries with the recorded request fields. */
  const exported: string[] = [];
  const secrets = new Set(['wonderland', 'web-secret', 'wrong-password']);

  before(async () => {
    const { oauth } = demoSettings;
    idp = await startIdp({
      settings: {
        ...demoSettings,
        oauth: {
          ...oauth,
          dynamic_registration: { enabled: true },
          client_id_metadata_documents: { enabled: true, allowed_hosts: ['nowhere.invalid'] },
          clients: [...oauth.clients, { client_id: 'narrow', client_secret: 'web-secret', scope: 'openid email' }],
        },
      },
    });
    api = apiClient(idp);
  });
  after(() => idp.stop());

  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = web) =>
    postForm(idp.baseUrl + path, form, headers);
  /** The entries that were recorded while `work` ran. */
  const during = async (work: () => Promise<unknown>): Promise<readonly Entry[]> => {
    await api('POST', '/api/audit/clear');
    await work();
    const entries: Entry[] = (await api('GET', '/api/audit?limit=-1')).body.entries;
    recorded.push(...entries);
    exported.push(await (await fetch(`${idp.baseUrl}/audit/export/json`)).text());
    return entries;
  };
  const only = async (work: () => Promise<unknown>): Promise<Entry> => {
    const [entry, ...more] = await during(work);
    expect(more).to.deep.equal([]);
    if (entry === undefined) throw new Error('nothing was recorded');
    return entry;
  };
  /** Returns the entry of a request that was also a login attempt. The attempt has an event of its own (D49). */
  const besidesLogin = async (work: () => Promise<unknown>, login: object): Promise<Entry> => {
    const [attempt, entry, ...more] = await during(work);
    expect(more).to.deep.equal([]);
    expect(attempt).to.deep.include({ event_type: 'login', username: 'alice', client_id: 'web', ...login });
    if (entry === undefined) throw new Error('the login alone was recorded');
    return entry;
  };
  const tokens = async () => {
    const answer = await post('/token', { grant_type: 'password', ...alice, scope: 'openid' });
    const body = await answer.json();
    for (const name of ['access_token', 'refresh_token', 'id_token']) secrets.add(body[name]);
    return body;
  };

  verifies(['AUD-16', 'AUD-23'], 'writes authorization_request', async () => {
    const pkce = authorizePath({ scope: 'openid', code_challenge: challenge, code_challenge_method: 'S256' });
    const log = async () => {
      const page = await new BrowserClient(idp.baseUrl).post(pkce, alice);
      secrets.add(redirectParameters(page).get('code') ?? '');
    };
    const success = await besidesLogin(log, { endpoint: '/authorize', status: 'success', details: {} });
    expect(success).to.deep.include({
      event_type: 'authorization_request',
      endpoint: '/authorize',
      status: 'success',
      username: 'alice',
      client_id: 'web',
    });
    expect(success.details).to.have.keys('scope', 'pkce');
    expect(success.details.scope).to.deep.equal('openid');

    const mistyped = { ...alice, password: 'wrong-password' };
    const reason = { reason: 'wrong username or password', refusal: 'user_credentials_wrong' };
    const unable = await besidesLogin(() => new BrowserClient(idp.baseUrl).post(pkce, mistyped), {
      endpoint: '/authorize',
      status: 'failed',
      details: reason,
    });
    expect(unable).to.deep.include({
      event_type: 'authorization_request',
      status: 'failed',
      username: 'alice',
      client_id: 'web',
    });
    expect(unable.details).to.deep.include(reason);

    const failure = await only(() => new BrowserClient(idp.baseUrl).get(authorizePath({ response_type: 'token' })));
    expect([failure.event_type, failure.status]).to.deep.equal(['authorization_request', 'failed']);
    expect(failure.details).to.have.keys('reason', 'refusal', 'sent');

    const smuggled = await only(() =>
      new BrowserClient(idp.baseUrl).post('/authorize', { ...alice, scope: 'x', client_id: 'web' }),
    );
    expect(smuggled.details.fields).to.have.members(['scope', 'client_id']);
  });

  verifies('AUD-17', 'writes client_metadata_document_refused, without the reason', async () => {
    const refused = await only(() =>
      new BrowserClient(idp.baseUrl).get(authorizePath({ client_id: 'https://elsewhere.invalid/client' })),
    );
    expect(refused).to.deep.include({
      event_type: 'client_metadata_document_refused',
      endpoint: '/authorize',
      status: 'failed',
      details: {},
    });
  });

  verifies('AUD-18', 'writes token_request', async () => {
    const ofUser = await only(tokens);
    expect(ofUser).to.deep.include({
      event_type: 'token_request',
      endpoint: '/token',
      status: 'success',
      username: 'alice',
      client_id: 'web',
      details: { grant_type: 'password', authorities_count: 3 },
    });
    const failed = await only(() => post('/token', { grant_type: 'password', ...alice, password: 'wrong-password' }));
    expect(failed.status).to.equal('failed');
    expect(failed.details).to.have.keys('reason', 'refusal', 'grant_type');

    const otherBody = await only(() => post('/token', { grant_type: 'client_credentials', client_id: 'post' }));
    expect(otherBody.details).to.deep.include({ grant_type: 'client_credentials', body_client_id: 'post' });

    const { refresh_token } = await tokens();
    const foreign = await only(() =>
      post(
        '/token',
        { grant_type: 'refresh_token', refresh_token, client_id: 'post', client_secret: 'post-secret' },
        {},
      ),
    );
    expect(foreign.details).to.deep.include({ grant_type: 'refresh_token', bound_client: 'web' });

    const scope = await only(() =>
      post(
        '/token',
        { grant_type: 'password', ...alice, scope: 'openid profile' },
        { Authorization: basic('narrow', 'web-secret') },
      ),
    );
    expect(scope.details.rejected_scopes).to.deep.equal(['profile']);

    const rest = await only(() => api('POST', '/api/users/alice/token', { exp_minutes: 5 }));
    expect([rest.event_type, rest.status, rest.username]).to.deep.equal(['token_request', 'success', 'alice']);
    expect(rest.details.exp_minutes).to.equal(5);
  });

  verifies('AUD-19', 'writes userinfo_request', async () => {
    const { access_token, refresh_token } = await tokens();
    const userinfo = (token: string) =>
      fetch(`${idp.baseUrl}/userinfo`, { headers: { Authorization: `Bearer ${token}` } });
    const success = await only(() => userinfo(access_token));
    expect(success).to.deep.include({
      event_type: 'userinfo_request',
      endpoint: '/userinfo',
      status: 'success',
      username: 'alice',
      client_id: 'web',
    });
    const refused = await only(() => userinfo(refresh_token));
    expect(refused.status).to.equal('failed');
    expect(refused.details).to.deep.include({ token_use: 'refresh' });
    expect(refused.details.reason).to.be.a('string');
    const unreadable = await only(() => userinfo('nonsense'));
    expect(unreadable.details).to.have.keys('reason', 'refusal');
  });

  verifies(['AUD-20', 'AUD-21'], 'writes introspection_request and revocation_request', async () => {
    const { access_token } = await tokens();
    const active = await only(() => post('/introspect', { token: access_token }));
    expect(active).to.deep.include({ event_type: 'introspection_request', endpoint: '/introspect', status: 'success' });
    expect(active.details).to.deep.equal({ active: true });
    const inactive = await only(() => post('/introspect', { token: 'nonsense' }));
    expect(inactive.status).to.equal('success');
    expect(inactive.details.active).to.equal(false);
    expect(inactive.details.reason).to.be.a('string');
    const refused = await only(() => post('/introspect', { token: access_token }, {}));
    expect(refused.status).to.equal('failed');
    expect(refused.details).to.have.keys('reason', 'refusal');

    const revoked = await only(() => post('/revoke', { token: access_token }));
    expect(revoked).to.deep.include({ event_type: 'revocation_request', endpoint: '/revoke', status: 'success' });
    expect(revoked.details).to.deep.equal({ revoked: true });
    const notRevoked = await only(() => post('/revoke', { token: access_token }, { Authorization: basic('web', 'x') }));
    expect(notRevoked.status).to.equal('failed');
    expect(notRevoked.details).to.have.keys('reason', 'refusal', 'method_used');
  });

  verifies(['AUD-22', 'AUD-23'], 'writes login, logout and logout_request', async () => {
    const browser = new BrowserClient(idp.baseUrl);
    const failed = await only(() => browser.post('/login', { username: 'alice', password: 'wrong-password' }));
    expect(failed).to.deep.include({ event_type: 'login', endpoint: '/login', status: 'failed' });
    expect(failed.details).to.have.keys('reason', 'refusal');
    const success = await only(() => browser.post('/login', alice));
    expect(success).to.deep.include({ event_type: 'login', endpoint: '/login', status: 'success', username: 'alice' });
    const away = await only(() => browser.get('/ui/logout'));
    expect(away).to.deep.include({ event_type: 'logout', endpoint: '/ui/logout', username: 'alice', details: {} });
    const request = await only(() => browser.get('/logout?post_logout_redirect_uri=http://127.0.0.1:9/bye'));
    expect(request).to.deep.include({ event_type: 'logout_request', endpoint: '/logout' });
    expect(request.details.has_redirect).to.equal(true);
    const plain = await only(() => browser.get('/logout'));
    expect(plain.details.has_redirect).to.equal(false);
  });

  verifies(['AUD-24', 'AUD-23'], 'writes device_authorization_request and device_verification', async () => {
    const begin = async (scope = 'openid') => {
      const body = await (await post('/device_authorization', { scope })).json();
      secrets.add(body.device_code);
      return body;
    };
    let grant: { user_code: string; device_code: string } = { user_code: '', device_code: '' };
    const begun = await only(async () => {
      grant = await begin();
    });
    expect(begun).to.deep.include({
      event_type: 'device_authorization_request',
      endpoint: '/device_authorization',
      status: 'success',
      client_id: 'web',
    });
    expect(begun.details).to.deep.equal({ user_code: grant.user_code, scope: 'openid' });
    const refused = await only(() => begin('unknown-scope'));
    expect(refused.status).to.equal('failed');
    expect(refused.details.reason).to.be.a('string');

    const decide = async (userCode: string, fields: Record<string, string>) => {
      const browser = new BrowserClient(idp.baseUrl);
      return browser.post('/device', { user_code: userCode, ...fields });
    };
    const failed = await besidesLogin(() => decide(grant.user_code, { ...alice, password: 'wrong-password' }), {
      endpoint: '/device',
      status: 'failed',
      details: { reason: 'wrong username or password', refusal: 'user_credentials_wrong' },
    });
    expect([failed.event_type, failed.endpoint, failed.status]).to.deep.equal([
      'device_verification',
      '/device',
      'failed',
    ]);
    expect(failed.details).to.have.keys('user_code', 'reason', 'refusal');
    const login = { endpoint: '/device', status: 'success' };
    const approved = await besidesLogin(() => decide(grant.user_code, { ...alice }), login);
    expect([approved.status, approved.username]).to.deep.equal(['success', 'alice']);
    expect(approved.details).to.deep.equal({ user_code: grant.user_code });
    const other = await begin();
    const denied = await only(() => decide(other.user_code, { ...alice, action: 'deny' }));
    expect([denied.status, denied.details]).to.deep.equal(['denied', { user_code: other.user_code }]);
  });

  verifies(
    ['AUD-25', 'AUD-26', 'AUD-23', 'AUD-08'],
    'writes saml_request, saml_attribute_query and the login at /saml/sso',
    async () => {
      const browser = new BrowserClient(idp.baseUrl);
      const [login, sso, ...more] = await during(async () => {
        const page = await browser.post('/saml/sso', {
          SAMLRequest: encodePost(authnRequest({ acs: 'http://127.0.0.1:9/acs' })),
        });
        await browser.submit(page, alice);
      });
      expect(more).to.deep.equal([]);
      expect(login).to.deep.include({
        event_type: 'login',
        endpoint: '/saml/sso',
        status: 'success',
        username: 'alice',
      });
      expect(sso).to.deep.include({
        event_type: 'saml_request',
        endpoint: '/saml/sso',
        status: 'success',
        username: 'alice',
      });
      expect(sso?.details).to.deep.equal({
        acs_url: 'http://127.0.0.1:9/acs',
        sp_issuer: 'https://sp.example',
        audience: 'https://sp.example',
      });
      const failed = await only(() =>
        browser.post('/saml/sso', { SAMLRequest: encodePost(authnRequest({ acs: 'ftp://sp.example' })) }),
      );
      expect([failed.event_type, failed.status]).to.deep.equal(['saml_request', 'failed']);
      expect(failed.details.reason).to.be.a('string');

      const query = (nameId: string) =>
        fetch(`${idp.baseUrl}/saml/attribute-query`, {
          method: 'POST',
          headers: { 'Content-Type': 'text/xml' },
          body: attributeQueryText(nameId),
        });
      const answered = await only(() => query('alice'));
      expect(answered).to.deep.include({
        event_type: 'saml_attribute_query',
        endpoint: '/saml/attribute-query',
        status: 'success',
        username: 'alice',
      });
      expect(answered.details).to.have.keys('request_id', 'content_length', 'attributes_count');
      expect(answered.details.request_id).to.equal('_q1');
      expect(answered.details.content_length).to.equal(attributeQueryText('alice').length);
      const unknown = await only(() => query('nobody'));
      expect([unknown.status, unknown.username]).to.deep.equal(['failed', 'nobody']);
      expect(unknown.details).to.have.keys('request_id', 'content_length', 'reason', 'refusal');
    },
  );

  verifies(
    ['AUD-27', 'AUD-31', 'AUD-08'],
    'writes key_rotation for rotations by API and tool, and one mcp_tool per call',
    async () => {
      const rotated = await only(() => api('POST', '/api/keys/rotate'));
      expect(rotated).to.deep.include({
        event_type: 'key_rotation',
        endpoint: '/api/keys/rotate',
        status: 'success',
        username: 'api',
      });
      expect(rotated.details).to.have.keys('old_kid', 'new_kid');

      const client = new Client({ name: 'tests', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(idp.mcpUrl ?? '')));
      const [byTool, call, ...more] = await during(() => client.callTool({ name: 'rotate_keys', arguments: {} }));
      expect(more).to.deep.equal([]);
      expect(byTool).to.deep.include({
        event_type: 'key_rotation',
        endpoint: 'mcp:rotate_keys',
        method: 'MCP',
        username: 'mcp',
        status: 'success',
      });
      expect(byTool?.details).to.have.keys('old_kid', 'new_kid');
      expect(call).to.deep.include({
        event_type: 'mcp_tool',
        endpoint: 'mcp',
        method: 'rotate_keys',
        status: 'success',
        details: { tool: 'rotate_keys' },
      });
      const refused = await only(() => client.callTool({ name: 'get_user', arguments: { username: 7 } }));
      expect(refused).to.deep.include({ event_type: 'mcp_tool', method: 'get_user', status: 'error' });
      expect(refused.details).to.deep.equal({ tool: 'get_user', error: 'MCP_INVALID_ARGUMENTS' });
      await client.close();
    },
  );

  verifies(
    'AUD-28',
    'writes client_registered, client_registration_refused and client_registration_deleted',
    async () => {
      let made = { client_id: '', registration_access_token: '', client_secret: '' };
      const registered = await only(async () => {
        made = (await api('POST', '/register', { redirect_uris: ['http://127.0.0.1:9/cb'] })).body;
      });
      secrets.add(made.registration_access_token).add(made.client_secret);
      expect(registered).to.deep.include({
        event_type: 'client_registered',
        status: 'success',
        client_id: made.client_id,
      });
      expect(registered.details).to.deep.equal({
        token_endpoint_auth_method: 'client_secret_basic',
        grant_types: ['authorization_code'],
      });
      const refused = await only(() => api('POST', '/register', { redirect_uris: [] }));
      expect(refused).to.deep.include({ event_type: 'client_registration_refused', status: 'failed' });
      expect(refused.details.error).to.equal('invalid_redirect_uri');
      const deleted = await only(() =>
        api('DELETE', `/register/${made.client_id}`, undefined, {
          Authorization: `Bearer ${made.registration_access_token}`,
        }),
      );
      expect(deleted).to.deep.include({ event_type: 'client_registration_deleted', client_id: made.client_id });
    },
  );

  verifies('AUD-29', 'writes runtime_identity_created and runtime_identity_deleted', async () => {
    const created = await only(() => api('POST', '/api/runtime/users', { username: 'zoe', password: 'wonderland' }));
    expect(created).to.deep.include({
      event_type: 'runtime_identity_created',
      status: 'success',
      endpoint: '/api/runtime/users',
    });
    expect(created.details).to.deep.equal({ kind: 'user', name: 'zoe' });
    const deleted = await only(() => api('DELETE', '/api/runtime/users/zoe'));
    expect(deleted).to.deep.include({ event_type: 'runtime_identity_deleted', endpoint: '/api/runtime/users/zoe' });
    expect(deleted.details).to.deep.equal({ kind: 'user', name: 'zoe' });
    await during(() => api('POST', '/api/runtime/users', { username: 'zoe' }));
    const [, promoted] = [undefined, await only(() => api('POST', '/api/runtime/users/zoe/promote'))];
    expect(promoted.details).to.deep.equal({ kind: 'user', name: 'zoe' });
    await during(() => api('DELETE', '/api/runtime'));
  });

  verifies(['AUD-15', 'AUD-13'], 'uses only the listed event types, each with a status and without secrets', () => {
    const known = [
      'authorization_request',
      'client_metadata_document_refused',
      'token_request',
      'userinfo_request',
      'introspection_request',
      'revocation_request',
      'logout_request',
      'logout',
      'login',
      'device_authorization_request',
      'device_verification',
      'saml_request',
      'saml_attribute_query',
      'key_rotation',
      'client_registered',
      'client_registration_refused',
      'client_registration_deleted',
      'runtime_identity_created',
      'runtime_identity_deleted',
      'runtime_identities_reset',
      'runtime_identity_promoted',
      'mcp_tool',
    ];
    const seen = new Set(recorded.map(({ event_type }) => event_type));
    expect([...seen].toSorted()).to.deep.equal(known.toSorted());
    const statuses = new Set(recorded.map(({ status }) => status));
    expect([...statuses].toSorted()).to.deep.equal(['denied', 'error', 'failed', 'success']);
    for (const entry of recorded) {
      if (entry.status === 'failed' && !('reason' in entry.details)) {
        expect(['client_metadata_document_refused', 'client_registration_refused']).to.include(entry.event_type);
      }
    }
    expect(exported.join()).to.contain('"grant_type",').and.to.contain('"client_secret",\n');
    const whole = JSON.stringify(recorded) + exported.join();
    expect(secrets.size).to.be.greaterThan(10);
    for (const secret of secrets) expect(whole).to.not.contain(secret);
  });
});
