// /api/audit over HTTP: read, count and clear entries, and the requests that leave no entry.
import { expect } from 'chai';
import { web } from '#test/support/credentials.ts';
import { basic, postForm } from '#test/support/http.ts';
import { type ApiClient, apiClient } from '#test/support/management-api.ts';
import { authnRequest, encodePost } from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

describe('/api/audit', () => {
  let idp: RunningIdp;
  let api: ApiClient;
  before(async () => {
    idp = await startIdp({
      command: 'instance',
      settings: {
        ...demoSettings,
        oauth: { ...demoSettings.oauth, issuer_from_proxy_headers: true, dynamic_registration: { enabled: true } },
      },
    });
    api = apiClient(idp);
  });
  after(() => idp.stop());
  beforeEach(() => api('POST', '/api/audit/clear'));

  const credentials = (headers: Record<string, string> = web) =>
    postForm(`${idp.baseUrl}/token`, { grant_type: 'client_credentials' }, headers);
  const logout = (path = '/logout') => fetch(idp.baseUrl + path, { redirect: 'manual' });
  const types = async (query = '') =>
    (await api('GET', `/api/audit${query}`)).body.entries.map((entry: { event_type: string }) => entry.event_type);

  verifies(['AUD-01', 'AUD-02'], 'returns entries with every member, in the order they were recorded', async () => {
    await credentials();
    await logout();
    const { status, body } = await api('GET', '/api/audit');
    expect(status).to.equal(200);
    expect(body.count).to.equal(2);
    const [first, second] = body.entries;
    expect(first.timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Math.abs(Date.parse(first.timestamp) - Date.now())).to.be.below(60_000);
    expect({ ...first, timestamp: '' }).to.deep.equal({
      timestamp: '',
      clock: null,
      event_type: 'token_request',
      username: null,
      client_id: 'web',
      ip_address: '127.0.0.1',
      user_agent: 'node',
      endpoint: '/token',
      method: 'POST',
      status: 'success',
      details: { grant_type: 'client_credentials' },
    });
    expect(second.event_type).to.equal('logout_request');
    expect(second.client_id).to.equal(null);
  });

  verifies(['AUD-03', 'AUD-04'], 'filters by limit and by exact values', async () => {
    for (let number = 0; number < 3; number += 1) await credentials();
    await credentials({ Authorization: basic('post', 'wrong') });
    await logout();
    expect(await types('?limit=2')).to.deep.equal(['token_request', 'logout_request']);
    expect(await types('?limit=0')).to.deep.equal([]);
    expect(await types('?limit=-1')).to.have.length(5);
    expect(await types('?limit=-7')).to.have.length(5);
    expect(await types('?event_type=token_request&limit=2&username=')).to.deep.equal([
      'token_request',
      'token_request',
    ]);
    expect(await types('?client_id=web&event_type=token_request')).to.have.length(3);
    expect(await types('?event_type=unknown')).to.deep.equal([]);
    for (const limit of ['abc', '1.5', '', '0x10', '1e2', '%20']) {
      expect((await api('GET', `/api/audit?limit=${limit}`)).status, limit).to.equal(400);
    }
  });

  verifies('AUD-03', 'returns the newest 100 entries without a limit', async () => {
    for (let number = 0; number < 101; number += 1) await logout();
    expect((await api('GET', '/api/audit')).body.count).to.equal(100);
  });

  verifies(['AUD-06', 'AUD-07'], 'counts from zero, and clears entries and counters', async () => {
    const nothing = {
      total_requests: 0,
      token_requests: 0,
      saml_sso_requests: 0,
      saml_attribute_queries: 0,
      login_attempts: 0,
      successful_logins: 0,
      failed_logins: 0,
    };
    expect((await api('GET', '/api/audit/stats')).body).to.deep.equal(nothing);
    await credentials();
    await postForm(`${idp.baseUrl}/login`, { username: 'alice', password: 'wonderland' });
    await postForm(`${idp.baseUrl}/login`, { username: 'alice', password: 'wrong' });
    await fetch(`${idp.baseUrl}/saml/attribute-query`, { method: 'POST', body: 'no xml' });
    const SAMLRequest = encodePost(authnRequest({ acs: 'ftp://sp.example' }));
    await postForm(`${idp.baseUrl}/saml/sso`, { SAMLRequest });
    expect((await api('GET', '/api/audit/stats')).body).to.deep.equal({
      total_requests: 5,
      token_requests: 1,
      saml_sso_requests: 1,
      saml_attribute_queries: 1,
      login_attempts: 2,
      successful_logins: 1,
      failed_logins: 1,
    });
    const cleared = await api('POST', '/api/audit/clear');
    expect([cleared.status, cleared.body]).to.deep.equal([200, { status: 'cleared' }]);
    expect((await api('GET', '/api/audit/stats')).body).to.deep.equal(nothing);
    expect((await api('GET', '/api/audit')).body).to.deep.equal({ entries: [], count: 0 });
  });

  verifies('AUD-09', 'shows an event as soon as its request is answered, and only once', async () => {
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        const answer = await credentials();
        expect(answer.status).to.equal(200);
        await answer.arrayBuffer();
      }),
    );
    expect((await api('GET', '/api/audit?limit=-1')).body.count).to.equal(40);
  });

  verifies('AUD-11', 'records the forwarded address, and the canonical path for an alias', async () => {
    await logout('/end_session');
    await postForm(`${idp.baseUrl}/device/code`, { client_id: 'spa' }, { 'X-Forwarded-For': '203.0.113.9' });
    const [first, second] = (await api('GET', '/api/audit')).body.entries;
    expect([first.endpoint, first.ip_address]).to.deep.equal(['/logout', '127.0.0.1']);
    expect([second.endpoint, second.ip_address]).to.deep.equal(['/device_authorization', '203.0.113.9']);
  });

  verifies('AUD-12', 'records no username for a client’s own token, even if a user has the same name', async () => {
    await api('POST', '/api/runtime/users', { username: 'post' });
    await api('POST', '/api/audit/clear');
    const { access_token } = await (
      await postForm(`${idp.baseUrl}/token`, {
        grant_type: 'client_credentials',
        client_id: 'post',
        client_secret: 'post-secret',
      })
    ).json();
    await fetch(`${idp.baseUrl}/userinfo`, { headers: { Authorization: `Bearer ${access_token}` } });
    await postForm(`${idp.baseUrl}/introspect`, { token: access_token }, web);
    const { entries } = (await api('GET', '/api/audit')).body;
    expect(
      entries.map((entry: { event_type: string; username: unknown }) => [entry.event_type, entry.username]),
    ).to.deep.equal([
      ['token_request', null],
      ['userinfo_request', null],
      ['introspection_request', null],
    ]);
    await api('DELETE', '/api/runtime/users/post');
  });

  verifies(
    'AUD-14',
    'leaves no entry for reads, pages, keys, metadata, pending polls, reloads and wrong registration tokens',
    async () => {
      const authorization = await (await postForm(`${idp.baseUrl}/device_authorization`, {}, web)).json();
      await api('POST', '/api/audit/clear');
      const paths = [
        '/api/users',
        '/api/users/alice',
        '/api/config',
        '/api/keys/info',
        '/api/audit',
        '/api/audit/stats',
      ];
      paths.push('/api/runtime/users', '/api/runtime/clients/none', '/health', '/api/health', '/static/none.css');
      paths.push('/.well-known/openid-configuration', '/.well-known/oauth-authorization-server');
      paths.push('/.well-known/jwks.json', '/saml/metadata', '/saml/cert.pem', '/', '/users', '/nowhere');
      for (const path of paths) await (await fetch(idp.baseUrl + path)).arrayBuffer();
      const poll = await postForm(
        `${idp.baseUrl}/token`,
        { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: authorization.device_code },
        web,
      );
      expect((await poll.json()).error).to.equal('authorization_pending');
      expect((await api('POST', '/api/config/reload')).status).to.equal(200);
      const bearer = { Authorization: 'Bearer wrong' };
      expect((await api('GET', '/register/dcr-none', undefined, bearer)).status).to.equal(401);
      expect((await api('DELETE', '/register/dcr-none', undefined, bearer)).status).to.equal(401);
      expect(await types()).to.deep.equal([]);
    },
  );
});
