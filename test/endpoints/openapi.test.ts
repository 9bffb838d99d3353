// GET /openapi.json of a started server. The tests drive every operation and validate its responses and errors against the
// document.
import { expect } from 'chai';
import { version } from '#shared/base/version.ts';
import { declared, seenStatuses } from '#test/support/declared-answers.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { registering } from '#test/support/worlds.ts';

describe('/openapi.json', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'oidc', world: registering, settings: { runtime: { updates: true } } });
  });
  after(() => idp.stop());

  verifies(
    ['OAS-01', 'OAS-07', 'OAS-08'],
    "is the package's document with its own server URL, readable without credentials",
    async () => {
      const answer = await fetch(`${idp.baseUrl}/openapi.json`, { headers: { Origin: 'https://elsewhere.example' } });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('application/json');
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
      const { servers, ...document } = await answer.json();
      expect(document).to.deep.equal(JSON.parse(JSON.stringify(declared().document)));
      expect(document).not.to.have.property('servers');
      expect(servers).to.deep.equal([{ url: idp.baseUrl }]);
      expect(document.info.version).to.equal(version);
      const etag = answer.headers.get('etag') ?? '';
      const again = await fetch(`${idp.baseUrl}/openapi.json`, { headers: { 'If-None-Match': etag } });
      expect([again.status, await again.text()]).to.deep.equal([304, '']);
    },
  );

  verifies(['OAS-02', 'OAS-07'], 'lists only existing operations in a sandbox, at its issuer', async () => {
    await idp.api('POST', '/api/sandboxes', { name: 'described' });
    const { body } = await idp.api('GET', '/s/described/openapi.json');
    expect(body.servers).to.deep.equal([{ url: `${idp.baseUrl}/s/described` }]);
    const missing = declared()
      .operations.map(({ path }) => path)
      .filter((path) => body.paths[path] === undefined);
    expect([...new Set(missing)]).to.deep.equal([
      '/health',
      '/health/ready',
      '/api/config/reload',
      '/api/cluster',
      '/api/sandboxes',
      '/api/sandboxes/{name}',
      '/api/sandboxes/{name}/reset',
    ]);
  });

  verifies('OAS-06', 'describes every response of every operation, and rejects no accepted body', async () => {
    const { api } = idp;
    const status = async (...request: Parameters<typeof api>) => (await api(...request)).status;
    const registered = await api('POST', '/register', {
      redirect_uris: ['http://127.0.0.1/callback'],
      client_name: null,
    });
    const own = { Authorization: `Bearer ${registered.body.registration_access_token}` };
    const registration = `/register/${registered.body.client_id}`;
    const fault = await api('POST', '/api/faults', {
      fault: 'token_expired',
      when: { client_id: 'web' },
      times: 'always',
    });
    const withMaterial = await api('POST', '/api/faults', { fault: 'token_header_jku' });
    const answers: readonly (readonly [expected: number, ...request: Parameters<typeof api>])[] = [
      ...[
        '/health',
        '/api/health',
        '/health/ready',
        '/api/config',
        '/api/users',
        '/api/keys/info',
        '/api/runtime/users',
      ].map((path) => [200, 'GET', path] as const),
      [200, 'GET', registration, undefined, own],
      [401, 'GET', registration],
      [400, 'POST', '/register', {}],
      [200, 'GET', '/api/users/alice'],
      [404, 'GET', '/api/users/nobody'],
      [
        200,
        'POST',
        '/api/users/alice/token',
        { scope: 'openid', client_id: 'web', extra: { a: 1 }, resource: 'https://a.example' },
      ],
      [200, 'POST', '/api/users/alice/token'],
      [400, 'POST', '/api/users/alice/token', { scope: 'no-such-scope' }],
      [400, 'POST', '/api/users/alice/token', '{'],
      [200, 'POST', '/api/clients/web/token', { exp_seconds: -90, scope: 'profile', extra: { a: 1 } }],
      [400, 'POST', '/api/clients/web/token', { exp_seconds: 1, exp_minutes: 1 }],
      [404, 'POST', '/api/clients/nobody/token'],
      [200, 'POST', '/api/config/reload'],
      [200, 'POST', '/api/keys/rotate'],
      [201, 'POST', '/api/runtime/users', { username: 'web', department: 'an attribute' }],
      [409, 'POST', '/api/runtime/users', { username: 'web' }],
      [201, 'POST', '/api/runtime/users?replace=true', { username: 'web', department: 'an attribute' }],
      [409, 'POST', '/api/runtime/users', { username: 'alice' }],
      [200, 'GET', '/api/runtime/users/web'],
      [200, 'PATCH', '/api/runtime/users/web', { tenant: 't' }],
      [200, 'GET', '/api/users/web'],
      [404, 'POST', '/api/runtime/users/nobody/promote'],
      [200, 'POST', '/api/runtime/users/web/promote'],
      [201, 'POST', '/api/runtime/users', { username: 't1' }],
      [200, 'DELETE', '/api/runtime/users/t1'],
      [404, 'DELETE', '/api/runtime/users/t1'],
      [
        201,
        'POST',
        '/api/runtime/clients',
        { client_id: 'c1', client_secret: 's', redirect_uris: 'http://127.0.0.1/' },
      ],
      [201, 'POST', '/api/runtime/clients?replace=true', { client_id: 'c1', client_secret: 's2' }],
      [201, 'POST', '/api/runtime/clients', { client_id: 'c2', token_endpoint_auth_method: 'none' }],
      [400, 'POST', '/api/runtime/clients', { client_id: 'c3', unknown: 1 }],
      [200, 'GET', '/api/runtime/clients'],
      [200, 'GET', '/api/runtime/clients/c1'],
      [200, 'POST', '/api/runtime/clients/c1/promote'],
      [200, 'DELETE', '/api/runtime/clients/c2'],
      [200, 'GET', '/api/audit?limit=-1'],
      [400, 'GET', '/api/audit?limit=many'],
      [200, 'GET', '/api/audit/stats'],
      [200, 'POST', '/api/audit/clear'],
      [200, 'PUT', '/api/clock', { advance_seconds: 60, frozen: true }],
      [200, 'GET', '/health'],
      [400, 'PUT', '/api/clock', { at: '2500-01-01T00:00:00Z' }],
      [200, 'GET', '/api/clock'],
      [200, 'DELETE', '/api/clock'],
      [200, 'GET', '/api/faults'],
      [200, 'GET', '/api/faults/catalogue'],
      [200, 'GET', `/api/faults/${fault.body.id}`],
      [200, 'GET', `/api/faults/${withMaterial.body.id}/material`],
      [404, 'GET', '/api/faults/none/material'],
      [400, 'POST', '/api/faults', { fault: 'no_such_fault' }],
      [200, 'DELETE', `/api/faults/${fault.body.id}`],
      [200, 'DELETE', '/api/faults'],
      [200, 'GET', '/api/service-providers'],
      [200, 'POST', '/api/service-providers/check', { metadata: '<a/>' }],
      [400, 'POST', '/api/service-providers/check', { url: 'https://elsewhere.example/' }],
      [
        201,
        'POST',
        '/api/sandboxes',
        { name: 'box', keys: 'own', settings: { security_profile: 'oauth21', oauth: {} } },
      ],
      [409, 'POST', '/api/sandboxes', { name: 'box' }],
      [200, 'GET', '/api/sandboxes'],
      [200, 'GET', '/api/sandboxes/box'],
      [404, 'GET', '/api/sandboxes/none'],
      [200, 'POST', '/api/sandboxes/box/reset'],
      [201, 'POST', '/s/box/api/runtime/users', { username: 't1' }],
      [409, 'POST', '/s/box/api/runtime/users/t1/promote'],
      [200, 'DELETE', '/api/sandboxes/box'],
      [200, 'DELETE', '/api/sandboxes'],
      [403, 'DELETE', '/api/runtime', undefined, { Origin: 'https://elsewhere.example' }],
      [413, 'POST', '/api/runtime/users', { username: 'x'.repeat(1024 * 1024) }],
      [415, 'POST', '/api/runtime/users', { username: 't1' }, { 'Content-Encoding': 'gzip' }],
      [204, 'DELETE', registration, undefined, own],
      [200, 'DELETE', '/api/runtime'],
      [200, 'GET', '/openapi.json'],
    ];
    for (const [expected, ...request] of answers) {
      expect(await status(...request), request.slice(0, 2).join(' ')).to.equal(expected);
    }
    // Calls the remaining operations without further setup.
    for (const { method, path, operation } of declared().operations) {
      // A rejection of undeclared names, which another file may have caused, shows nothing of the operation.
      if ([...(seenStatuses.get(operation.operationId) ?? [])].some((seen) => seen !== 400)) continue;
      const body = operation.requestBody === undefined ? undefined : {};
      await api(method, path.replace(/\{\w+\}/g, 'none'), body);
    }
    for (const { method, path, operation } of declared().operations) {
      const seen = [...(seenStatuses.get(operation.operationId) ?? [])];
      expect(seen, `${operation.operationId} was driven`).not.to.deep.equal([]);
      // showCluster needs a shared database and is tested in processes/cluster.drill.ts.
      if (operation.operationId === 'showCluster') continue;
      if (method === 'GET' && !path.includes('{')) expect(seen, operation.operationId).to.include(200);
    }
  });

  const bodies: readonly (readonly [method: string, path: string, valid: Readonly<Record<string, unknown>>])[] = [
    [
      'POST',
      '/api/users/alice/token',
      { exp_minutes: 5, nbf: 0, client_id: 'web', extra: {}, scope: 'openid', resource: [] },
    ],
    ['PUT', '/api/clock', { offset_seconds: 1, frozen: false }],
    ['PUT', '/api/clock', { at: '2030-01-01T00:00:00Z' }],
    [
      'POST',
      '/api/runtime/users',
      { username: 'x', password: 'p', roles: ['A'], attributes: {}, email: '', tenant: 't' },
    ],
    [
      'POST',
      '/api/runtime/clients',
      { client_id: 'x', client_secret: 's', redirect_uris: [], show_client_id: true, scope: '' },
    ],
    ['POST', '/api/sandboxes', { name: 'x', ttl_seconds: 60, keys: 'shared', settings: { oauth: { audience: 'a' } } }],
    [
      'POST',
      '/api/faults',
      { fault: 'token_expired', at: ['token'], when: { nth: 1 }, times: 1, parameters: {}, ttl_seconds: 5 },
    ],
    ['POST', '/api/service-providers/check', { metadata: '<a/>' }],
    [
      'POST',
      '/register',
      { redirect_uris: ['http://127.0.0.1/cb'], grant_types: [], scope: 'openid', client_name: 'c' },
    ],
  ];
  const wrong: readonly unknown[] = [0, -1.5, 1e13, true, '', 'text', [], [1], {}, { a: 1 }, null];

  verifies('OAS-06', 'describes the response to a path segment that cannot be decoded', async () => {
    const templated = declared().operations.filter(({ path }) => path.includes('{'));
    expect(templated.length).to.be.greaterThan(10);
    for (const placed of templated) {
      const { path, method, operation } = placed;
      const answer = await idp.api(method, path.replaceAll(/\{[^}]+\}/g, '%ff'));
      const outcome = `${operation.operationId}: ${answer.status} ${JSON.stringify(answer.body)}`;
      expect(answer.status, outcome).to.equal(404);
      const accepts = declared().validatorAt(placed, 'responses', 404);
      expect(accepts(answer.body), outcome).to.equal(true);
    }
  });

  for (const [method, path, valid] of bodies) {
    verifies('OAS-06', `matches which bodies ${method} ${path} with ${Object.keys(valid)[0]} rejects`, async () => {
      const placed = declared().find(method, path);
      if (placed === undefined) throw new Error('no such operation');
      const accepts = declared().validatorAt(placed, 'requestBody');
      expect(accepts(valid), JSON.stringify(accepts.errors)).to.equal(true);
      const changed = Object.keys(valid).flatMap((name) => wrong.map((value) => ({ ...valid, [name]: value })));
      const inner = Object.entries(valid).flatMap(([name, value]) =>
        Object.keys(Object(value)).flatMap((key) => wrong.map((other) => ({ ...valid, [name]: { [key]: other } }))),
      );
      const refused = [...wrong, ...changed, ...inner, { ...valid, undeclared: 1 }].filter((body) => !accepts(body));
      expect(refused.length).to.be.greaterThan(10);
      for (const body of refused) {
        const answer = await idp.api(method, path, JSON.stringify(body));
        expect(answer.status, JSON.stringify(body)).to.equal(400);
      }
    });
  }
});
