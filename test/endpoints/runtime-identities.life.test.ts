// Reading, deleting, reloading and resetting runtime identities over HTTP.

import { expect } from 'chai';
import { web } from '#test/support/credentials.ts';
import { claimsOf, postForm } from '#test/support/http.ts';
import type { ApiClient } from '#test/support/management-api.ts';
import { eventsOf, passwordGrant, writeUsers } from '#test/support/runtime-identities.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoUsers, registering } from '#test/support/worlds.ts';

describe('runtime identities', () => {
  let idp: RunningIdp;
  let api: ApiClient;
  before(async () => {
    idp = await startIdp({ command: 'instance', world: registering });
    api = idp.api;
  });
  after(() => idp.stop());

  verifies(
    'RUN-11',
    'lists runtime objects alone in order of creation, and answers 404 for a declared name',
    async () => {
      for (const username of ['zoe', 'adam', 'mia']) {
        await api('POST', '/api/runtime/users', { username, password: 'swordfish', totp_secret: 'JBSWY3DPEHPK3PXP' });
      }
      const { body } = await api('GET', '/api/runtime/users');
      const names = body.users.map((user: { username: string }) => user.username);
      expect(body.count).to.equal(names.length);
      expect(names).to.deep.equal(['zoe', 'adam', 'mia']);
      for (const path of ['/api/runtime/users/alice', '/api/runtime/users/nobody', '/api/runtime/clients/web']) {
        const missing = await api('GET', path);
        expect([missing.status, missing.body.kind]).to.deep.equal([404, 'not_found']);
      }
    },
  );

  verifies(['RUN-12', 'RUN-29'], 'shows source dcr exactly while the registration lives', async () => {
    const registered = await api('POST', '/register', { redirect_uris: ['http://127.0.0.1:9/cb'] });
    expect(registered.status).to.equal(201);
    const path = `/api/runtime/clients/${registered.body.client_id}`;
    const shown = await api('GET', path);
    expect(shown.body.source).to.equal('dcr');
    expect(JSON.stringify(shown.body)).to.not.contain(registered.body.client_secret);
    const bearer = { Authorization: `Bearer ${registered.body.registration_access_token}` };
    expect((await api('GET', `/register/${registered.body.client_id}`, undefined, bearer)).status).to.equal(200);
    expect((await api('DELETE', path)).status).to.equal(200);
    expect((await api('GET', `/register/${registered.body.client_id}`, undefined, bearer)).status).to.equal(401);
    await api('POST', '/api/runtime/clients', { client_id: registered.body.client_id, client_secret: 'again' });
    expect((await api('GET', path)).body).to.not.have.property('source');
    expect((await api('GET', `/register/${registered.body.client_id}`, undefined, bearer)).status).to.equal(401);
  });

  verifies('RUN-12', 'shows no password, client secret or TOTP secret anywhere', async () => {
    await api('POST', '/api/runtime/clients', { client_id: 'app', client_secret: 'app-secret' });
    for (const path of ['/api/runtime/users', '/api/runtime/users/zoe', '/api/runtime/clients', '/api/users/zoe']) {
      const text = JSON.stringify((await api('GET', path)).body);
      for (const secret of ['swordfish', 'JBSWY3DPEHPK3PXP', 'app-secret']) expect(text).to.not.contain(secret);
    }
  });

  verifies('RUN-13', 'knows no update', async () => {
    for (const method of ['PUT', 'PATCH']) {
      for (const path of ['/api/runtime/users/zoe', '/api/runtime/clients/app']) {
        expect((await api(method, path, {})).status, `${method} ${path}`).to.equal(405);
      }
    }
  });

  verifies(['RUN-13', 'PCL-15'], 'a reload lets runtime users be changed, and forbids it again', async () => {
    const patched = () => api('PATCH', '/api/runtime/users/changing', { description: 'x' });
    await api('POST', '/api/runtime/users', { username: 'changing' });
    const options = async () =>
      (await fetch(`${idp.baseUrl}/api/runtime/users/changing`, { method: 'OPTIONS' })).headers.get('allow');
    expect([(await patched()).status, await options()]).to.deep.equal([405, 'GET, DELETE, HEAD, OPTIONS']);
    await idp.configure({ settings: { runtime: { updates: true } } });
    expect([(await patched()).status, await options()]).to.deep.equal([200, 'GET, PATCH, DELETE, HEAD, OPTIONS']);
    await idp.configure();
    const { status, body } = await patched();
    expect([status, body.error_description]).to.deep.equal([
      405,
      'PATCH is not allowed at this address while runtime.updates is off. Allowed: GET, DELETE, HEAD, OPTIONS.',
    ]);
    expect((await api('PUT', '/api/runtime/users/changing', {})).body.error_description).not.to.include(
      'runtime.updates',
    );
  });

  verifies(['PCL-15', 'PCL-16'], 'a merge patch changes what it names, and says which members', async () => {
    await idp.configure({ settings: { runtime: { updates: true } } });
    const claims = { name: 'Ann', plan: { tier: 1, seats: 2 } };
    const attributes = { team: 'red', room: 7 };
    const user = { username: 'ann', password: 'first', email: 'ann@example.net', claims, attributes };
    const { body: made } = await api('POST', '/api/runtime/users', user);
    const { warnings } = (await api('PATCH', '/api/runtime/users/ann', { pasword: 'x' })).body;
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/^pasword looks like a secret.*Did you mean "password"\?$/);
    await api('PATCH', '/api/runtime/users/ann', { pasword: null });
    await api('POST', '/api/audit/clear');
    const changes = { claims: { plan: { tier: 2 }, name: null }, roles: ['ADMIN'], team: null, floor: 3, email: null };
    const updated = await api('PATCH', '/api/runtime/users/ann', { ...changes, tenant: 'default', password: 'second' });
    expect(updated.status).to.equal(200);
    expect(updated.body).to.deep.equal({ ...made, roles: ['ADMIN'], email: 'ann@example.org' });
    expect((await api('GET', '/api/users/ann')).body).to.deep.include({
      claims: { plan: { tier: 2, seats: 2 } },
      attributes: { room: 7, floor: 3 },
    });
    const [event, ...others] = await idp.audit('&event_type=runtime_identity_updated');
    expect([event?.username, event?.details, others]).to.deep.equal([
      'ann',
      { kind: 'user', name: 'ann', members: ['password', 'email', 'roles', 'attributes', 'claims'] },
      [],
    ]);
    expect(JSON.stringify(event)).not.to.include('second');
    const { access_token: text }: { access_token: string } = await (await passwordGrant(idp, 'ann', 'second')).json();
    expect(claimsOf(text)).to.deep.include({ plan: { tier: 2, seats: 2 }, roles: ['ADMIN'] });
    expect((await passwordGrant(idp, 'ann', 'first')).status).to.equal(400);
    await idp.configure();
  });

  verifies('PCL-16', 'what the model refuses changes nothing, and simultaneous patches all count', async () => {
    await idp.configure({ settings: { runtime: { updates: true } } });
    await api('POST', '/api/runtime/users', { username: 'eve', claims: { level: 1 } });
    const refused = [{ username: 'adam' }, { username: null }, { email: 'nowhere' }, { claims: { iss: 'x' } }];
    for (const patch of [...refused, { totp_secret: 'JBSWY3DPEHPK3PXP' }, [], 'x']) {
      const { status, body } = await api('PATCH', '/api/runtime/users/eve', patch);
      expect([status, body.kind], JSON.stringify(patch)).to.deep.equal([400, 'invalid']);
    }
    const nobody = await api('PATCH', '/api/runtime/users/nobody', { tenant: 'x' });
    expect([nobody.status, nobody.body.kind]).to.deep.equal([404, 'not_found']);
    const patches = Array.from({ length: 8 }, (_, n) => ({ claims: { [`claim_${n}`]: n } }));
    const answers = await Promise.all(patches.map((patch) => api('PATCH', '/api/runtime/users/eve', patch)));
    expect(answers.map(({ status }) => status)).to.deep.equal(patches.map(() => 200));
    const all = Object.assign({ level: 1 }, ...patches.map((patch) => patch.claims));
    expect((await api('GET', '/api/users/eve')).body.claims).to.deep.equal(all);
    await idp.configure();
  });

  verifies(['RUN-14', 'RUN-15'], 'deletes once, and gives a successor another id', async () => {
    const first = await api('POST', '/api/runtime/users', { username: 'brief' });
    const gone = await api('DELETE', '/api/runtime/users/brief');
    expect([gone.status, gone.body]).to.deep.equal([200, { deleted: 'brief', kind: 'user' }]);
    const again = await api('DELETE', '/api/runtime/users/brief');
    expect([again.status, again.body.kind]).to.deep.equal([404, 'not_found']);
    const second = await api('POST', '/api/runtime/users', { username: 'brief' });
    expect(second.body.instance_id).to.not.equal(first.body.instance_id);
    expect((await api('GET', '/api/runtime/users/brief')).body.instance_id).to.equal(second.body.instance_id);
    await api('POST', '/api/runtime/clients', { client_id: 'brief', client_secret: 's' });
    expect((await api('DELETE', '/api/runtime/clients/brief')).body).to.deep.equal({
      deleted: 'brief',
      kind: 'client',
    });
    expect(await eventsOf(idp, 'brief')).to.deep.equal([
      'runtime_identity_created',
      'runtime_identity_deleted',
      'runtime_identity_created',
      'runtime_identity_created',
      'runtime_identity_deleted',
    ]);
  });

  verifies('RUN-16', 'revokes nothing with a delete, but refuses to refresh', async () => {
    await api('POST', '/api/runtime/users', { username: 'leaver', password: 'pw' });
    const tokens = await (await passwordGrant(idp, 'leaver', 'pw')).json();
    await api('DELETE', '/api/runtime/users/leaver');
    const introspected = await postForm(`${idp.baseUrl}/introspect`, { token: tokens.access_token }, web);
    expect((await introspected.json()).active).to.equal(true);
    const refreshed = await postForm(
      `${idp.baseUrl}/token`,
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
      web,
    );
    expect([refreshed.status, (await refreshed.json()).error]).to.deep.equal([400, 'invalid_grant']);
  });

  verifies(['RUN-19', 'RUN-20', 'RUN-21'], 'survive a reload, unless it declares their name', async () => {
    await api('POST', '/api/runtime/users', { username: 'stays', password: 'pw' });
    await api('POST', '/api/runtime/users', { username: 'replaced', password: 'runtime' });
    writeUsers(idp, { users: { ...demoUsers.users, replaced: { password: 'declared' } } });
    expect((await api('POST', '/api/config/reload')).status).to.equal(200);
    expect((await api('GET', '/api/runtime/users/stays')).status).to.equal(200);
    expect((await api('GET', '/api/runtime/users/replaced')).status).to.equal(404);
    expect((await api('GET', '/api/users/replaced')).body.origin).to.equal('declared');
    expect((await passwordGrant(idp, 'replaced', 'declared')).status).to.equal(200);
    expect(idp.log()).to.contain('removed a runtime object, because the configuration now declares it');
    expect(await eventsOf(idp, 'replaced')).to.deep.equal([
      'runtime_identity_created',
      'runtime_identity_removed_on_reload',
    ]);
    writeUsers(idp, demoUsers);
    await api('POST', '/api/config/reload');
  });

  verifies(
    ['RUN-17', 'RUN-18', 'AUD-29'],
    'removes everything with one event, and leaves codes and audit alone',
    async () => {
      const registered = await api('POST', '/register', { redirect_uris: ['http://127.0.0.1:9/cb'] });
      const users = (await api('GET', '/api/runtime/users')).body.count;
      const clients = (await api('GET', '/api/runtime/clients')).body.count;
      const before = (await api('GET', '/api/audit/stats')).body.total_requests;
      const reset = await api('DELETE', '/api/runtime');
      expect([reset.status, reset.body]).to.deep.equal([200, { users_deleted: users, clients_deleted: clients }]);
      expect((await api('GET', '/api/runtime/users')).body).to.deep.equal({ users: [], count: 0 });
      expect((await api('GET', '/api/runtime/clients')).body).to.deep.equal({ clients: [], count: 0 });
      const bearer = { Authorization: `Bearer ${registered.body.registration_access_token}` };
      expect((await api('GET', `/register/${registered.body.client_id}`, undefined, bearer)).status).to.equal(401);
      expect((await api('GET', '/api/audit/stats')).body.total_requests).to.equal(before + 1);
      const [entry] = (await api('GET', '/api/audit?limit=1')).body.entries;
      expect(entry.event_type).to.equal('runtime_identities_reset');
      expect(entry.endpoint).to.equal('/api/runtime');
      expect(entry.details).to.deep.equal({ users_deleted: users, clients_deleted: clients });
      expect((await api('DELETE', '/api/runtime')).body).to.deep.equal({ users_deleted: 0, clients_deleted: 0 });
    },
  );
});
