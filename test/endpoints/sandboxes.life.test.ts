// Creating, showing, resetting and ending sandboxes over REST.
import { expect } from 'chai';
import { makeSandbox, namespaceAt } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { registering } from '#test/support/worlds.ts';

describe('/api/sandboxes', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: registering, args: ['--oidc-workers', '2'] });
  });
  after(() => idp.stop());
  afterEach(() => idp.api('DELETE', '/api/sandboxes'));

  verifies('SBX-01', 'returns the values that a client needs for its configuration', async () => {
    const settings = { login: { mode: 'persona' } };
    const { status, body } = await idp.api('POST', '/api/sandboxes', {
      name: 'box',
      ttl_seconds: 60,
      settings,
      keys: 'own',
    });
    expect(status).to.equal(201);
    const issuer = `${idp.baseUrl}/s/box`;
    const { instance_id, created_at, expires_at, ...rest } = body;
    expect(rest).to.deep.equal({
      name: 'box',
      issuer,
      discovery_url: `${issuer}/.well-known/openid-configuration`,
      jwks_url: `${issuer}/.well-known/jwks.json`,
      saml: { entity_id: `${issuer}/saml`, metadata_url: `${issuer}/saml/metadata`, sso_url: `${issuer}/saml/sso` },
      api_url: `${issuer}/api`,
      keys: 'own',
      settings,
      ttl_seconds: 60,
    });
    expect(instance_id).to.match(/^[\w-]{12}$/);
    expect(created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(expires_at) - Date.parse(created_at)).to.equal(60_000);
  });

  verifies(['SBX-01', 'SBX-02', 'SBX-04'], 'needs no member, and rejects invalid ones by name', async () => {
    const { body } = await idp.api('POST', '/api/sandboxes');
    expect(body.name).to.match(/^[a-z0-9]{12}$/);
    expect([body.ttl_seconds, body.keys, body.settings]).to.deep.equal([3600, 'shared', {}]);
    const refused: (readonly [body: unknown, named: string])[] = [
      ...['Box', '-box', 'box-', '', 'a_b', 'a'.repeat(64), 'b.c', 'ä'].map((name) => [{ name }, 'name'] as const),
      ...[0, 86_401, 1.5, '60', null].map((ttl_seconds) => [{ ttl_seconds }, 'ttl_seconds'] as const),
      [{ keys: 'mine' }, 'keys'],
      [{ settings: [] }, 'settings'],
      [{ lifetime: 1 }, 'lifetime'],
      [[], 'body'],
      ['{"name":', 'JSON'],
    ];
    for (const [sent, named] of refused) {
      const answer = await idp.api('POST', '/api/sandboxes', sent);
      expect([answer.status, answer.body.kind], JSON.stringify(sent)).to.deep.equal([400, 'invalid']);
      expect(answer.body.error).to.contain(named);
    }
    for (const name of ['a', '0', 'a-b', 'a'.repeat(63)]) {
      expect((await idp.api('POST', '/api/sandboxes', { name, ttl_seconds: 86_400 })).status, name).to.equal(201);
    }
    expect((await idp.api('GET', '/api/sandboxes')).body.count).to.equal(5);
  });

  verifies('SBX-03', 'gives a name to exactly one of many simultaneous requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => idp.api('POST', '/api/sandboxes', { name: 'one' }, { Connection: 'close' })),
    );
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    const others = answers.filter(({ status }) => status !== 201);
    expect(new Set(others.map(({ status, body }) => `${status} ${body.kind}`))).to.deep.equal(new Set(['409 exists']));
    expect(
      (await idp.audit('&event_type=sandbox_created')).filter(({ details }) => details.name === 'one'),
    ).to.have.length(1);
  });

  verifies('SBX-06', 'returns after the sandbox exists in every process', async () => {
    for (let round = 0; round < 10; round += 1) {
      const box = await makeSandbox(idp);
      const spots = ['/.well-known/openid-configuration', '/saml/metadata', '/api/health', '/login'];
      const statuses = await Promise.all(
        [...spots, ...spots].map(async (path) => (await box.get(path, { Connection: 'close' })).status),
      );
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
    }
  });

  verifies('SBX-08', 'lists sandboxes in creation order and shows each', async () => {
    const made = [];
    for (const name of ['zebra', 'ape', 'mole']) made.push((await makeSandbox(idp, { name, keys: 'own' })).made);
    const { body } = await idp.api('GET', '/api/sandboxes');
    expect(body).to.deep.equal({ sandboxes: made, count: 3 });
    expect((await idp.api('GET', '/api/sandboxes/ape')).body).to.deep.equal(made[1]);
    expect(JSON.stringify(body)).to.not.contain('PRIVATE');
    const { status, body: nobody } = await idp.api('GET', '/api/sandboxes/nobody');
    expect([status, nobody.kind]).to.deep.equal([404, 'not_found']);
  });

  verifies(['SBX-08', 'FLT-31'], 'shows no credential from a fault condition in the settings', async () => {
    const fault = (name: string) => ({
      fault: 'status',
      at: ['token'],
      when: { header: { name, value: 'Bearer s3cret' } },
    });
    const settings = { faults: [fault('Authorization'), fault('COOKIE'), fault('X-Mark'), { fault: 'status' }] };
    const box = await makeSandbox(idp, { name: 'box', settings });
    const shown = { fault: 'status', at: ['token'] };
    const expected = [
      { ...shown, when: { header: { name: 'Authorization' } } },
      { ...shown, when: { header: { name: 'COOKIE' } } },
      fault('X-Mark'),
      { fault: 'status' },
    ];
    expect(box.made.settings.faults).to.deep.equal(expected);
    expect((await idp.api('GET', '/api/sandboxes/box')).body.settings.faults).to.deep.equal(expected);
    const { status } = await box.post(
      '/token',
      { grant_type: 'client_credentials' },
      { Authorization: 'Bearer s3cret' },
    );
    expect(status, 'the fault still matches the credential').to.equal(500);
  });

  verifies('SBX-09', 'supports no update', async () => {
    await makeSandbox(idp, { name: 'box' });
    for (const method of ['PUT', 'PATCH']) {
      const { status, headers } = await idp.api(method, '/api/sandboxes/box', { ttl_seconds: 1 });
      expect([status, headers.get('allow')]).to.deep.equal([405, 'GET, DELETE, HEAD, OPTIONS']);
    }
  });

  verifies(['SBX-10', 'SBX-45'], 'ends one or all sandboxes, and records each once', async () => {
    const { made } = await makeSandbox(idp, { name: 'box' });
    await makeSandbox(idp, { name: 'second' });
    await makeSandbox(idp, { name: 'third' });
    await idp.api('POST', '/api/audit/clear');
    expect((await idp.api('DELETE', '/api/sandboxes/box')).body).to.deep.equal({ deleted: 'box' });
    expect((await idp.api('DELETE', '/api/sandboxes/box')).status).to.equal(404);
    expect((await idp.api('DELETE', '/api/sandboxes')).body).to.deep.equal({ deleted: 2 });
    expect((await idp.api('DELETE', '/api/sandboxes')).body).to.deep.equal({ deleted: 0 });
    const events = await idp.audit();
    expect(events.map(({ event_type, details }) => [event_type, details.name, details.reason])).to.deep.equal([
      ['sandbox_deleted', 'box', 'deleted'],
      ['sandbox_deleted', 'second', 'deleted'],
      ['sandbox_deleted', 'third', 'deleted'],
    ]);
    expect(events[0]).to.deep.include({
      ...{ endpoint: '/api/sandboxes/box', method: 'DELETE', status: 'success' },
      details: { name: 'box', instance_id: made.instance_id, reason: 'deleted' },
    });
  });

  verifies(['SBX-11', 'SBX-45'], 'resets a sandbox to its initial state, under a new instance id', async () => {
    const box = await makeSandbox(idp, { name: 'box', keys: 'own', settings: { oauth: { audience: 'box-audience' } } });
    const user = { username: 'zoe', password: 'z' };
    expect((await box.api('POST', '/api/runtime/users', user)).status).to.equal(201);
    const keys = (await box.get('/.well-known/jwks.json')).body;
    const tokens = await box.tokens();
    expect(await box.userinfo(tokens.access_token)).to.equal(200);
    await idp.api('POST', '/api/audit/clear');
    const { status, body } = await idp.api('POST', '/api/sandboxes/box/reset');
    expect(status).to.equal(200);
    expect({ ...body, instance_id: box.made.instance_id }).to.deep.equal(box.made);
    expect(body.instance_id).to.not.equal(box.made.instance_id);
    expect((await box.get('/.well-known/jwks.json')).body).to.deep.equal(keys);
    expect((await box.get('/api/runtime/users')).body.users).to.deep.equal([]);
    expect((await box.get('/api/audit')).body.entries).to.deep.equal([]);
    expect((await box.get('/api/audit/stats')).body.total_requests).to.equal(0);
    expect(await box.userinfo(tokens.access_token)).to.equal(401);
    expect((await box.get('/api/config')).body.oauth.audience).to.equal('box-audience');
    const [event] = await idp.audit();
    expect([event?.event_type, event?.details]).to.deep.equal([
      'sandbox_reset',
      { name: 'box', instance_id: body.instance_id },
    ]);
    expect((await idp.api('POST', '/api/sandboxes/nobody/reset')).status).to.equal(404);
  });

  verifies('SBX-12', 'deletes runtime objects of one namespace only', async () => {
    const [one, other] = [await makeSandbox(idp), await makeSandbox(idp)];
    const home = namespaceAt(idp, '');
    const user = { username: 'zoe', password: 'z' };
    for (const each of [one, other, home])
      expect((await each.api('POST', '/api/runtime/users', user)).status).to.equal(201);
    expect((await one.api('DELETE', '/api/runtime')).body).to.deep.equal({ users_deleted: 1, clients_deleted: 0 });
    const left = async () =>
      Promise.all([one, other, home].map(async (each) => (await each.get('/api/runtime/users')).body.count));
    expect(await left()).to.deep.equal([0, 1, 1]);
    expect((await home.api('DELETE', '/api/runtime')).body).to.deep.equal({ users_deleted: 1, clients_deleted: 0 });
    expect(await left()).to.deep.equal([0, 1, 0]);
  });

  verifies('SBX-14', 'keeps nothing of an earlier sandbox of the same name', async () => {
    const ended: readonly ((name: string) => Promise<unknown>)[] = [
      async (name) => {
        await idp.api('DELETE', `/api/sandboxes/${name}`);
        await makeSandbox(idp, { name });
      },
      (name) => idp.api('POST', `/api/sandboxes/${name}/reset`),
    ];
    for (const end of ended) {
      const box = await makeSandbox(idp, { name: 'again' });
      const tokens = await box.tokens();
      const code = await box.code();
      const browser = await box.login();
      const device = (await box.post('/device_authorization', { client_id: 'web' })).body;
      const registered = (await box.api('POST', '/register', { redirect_uris: ['http://127.0.0.1:9/cb'] })).body;
      await end('again');
      expect(await box.userinfo(tokens.access_token)).to.equal(401);
      expect((await box.post('/introspect', { token: tokens.access_token ?? '' })).body).to.deep.equal({
        active: false,
      });
      const refreshed = await box.post('/token', {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token ?? '',
      });
      expect(refreshed.body.error).to.equal('invalid_grant');
      expect((await box.redeem(code)).body.error).to.equal('invalid_grant');
      expect((await browser.get('/s/again/')).text).to.contain('Log in');
      const polled = await box.post('/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: device.device_code,
      });
      expect(polled.body.error).to.equal('invalid_grant');
      const managed = await call(idp, registered.registration_client_uri, {
        headers: { Authorization: `Bearer ${registered.registration_access_token}` },
      });
      expect(managed.status).to.equal(401);
      await idp.api('DELETE', '/api/sandboxes');
    }
  });

  verifies('SBX-15', 'answers pending requests while a sandbox ends, never with a server error', async () => {
    const statuses = new Set<number>();
    for (let round = 0; round < 15; round += 1) {
      const box = await makeSandbox(idp, { keys: round % 2 === 0 ? 'own' : 'shared' });
      const asked = Array.from({ length: 6 }, async () => {
        const client = await box.post('/token', { grant_type: 'client_credentials' });
        const user = await box.api('POST', '/api/runtime/users', { username: `u${Math.random()}`, password: 'p' });
        const page = await box.get('/');
        return [client.status, user.status, page.status];
      });
      const end =
        round % 3 === 0 ? ['POST', `/api/sandboxes/${box.name}/reset`] : ['DELETE', `/api/sandboxes/${box.name}`];
      const [answers] = await Promise.all([Promise.all(asked), idp.api(end[0] ?? '', end[1] ?? '')]);
      for (const status of answers.flat()) statuses.add(status);
    }
    expect([...statuses].filter((status) => ![200, 201, 404].includes(status))).to.deep.equal([]);
    expect(statuses.has(404)).to.equal(true);
  });
});
