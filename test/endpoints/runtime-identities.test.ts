// /api/runtime over HTTP: creating, reading, using and removing disposable users and clients.
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { basic, postForm } from '#test/support/http.ts';
import { type ApiClient, apiClient } from '#test/support/management-api.ts';
import { demoSettings, demoUsers, type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

/** As in the files, where it would be expanded. */
const placeholder = ['$', '{TEST_IDP_NAME}'].join('');
const secretive = { password: 'swordfish', totp_secret: 'JBSWY3DPEHPK3PXP' };

describe('runtime identities', () => {
  let idp: RunningIdp;
  let api: ApiClient;
  const settings = {
    ...demoSettings,
    management_secret: null,
    login: { mode: 'password' },
    oauth: { ...demoSettings.oauth, dynamic_registration: { enabled: true } },
  };
  const writeUsers = (users: object) => writeFileSync(join(idp.configDirectory, 'users.yaml'), stringify(users));
  const eventsOf = async (name: string) => {
    const { body } = await api('GET', '/api/audit?limit=-1');
    return body.entries
      .filter((entry: { details: { name?: string } }) => entry.details.name === name)
      .map((entry: { event_type: string }) => entry.event_type);
  };
  const passwordGrant = (username: string, password: string, client = ['web', 'web-secret']) =>
    postForm(
      `${idp.baseUrl}/token`,
      { grant_type: 'password', username, password, scope: 'openid' },
      { Authorization: basic(client[0] ?? '', client[1] ?? '') },
    );

  before(async function () {
    this.timeout(30_000);
    idp = await startIdp({ settings, env: { TEST_IDP_NAME: 'expanded' } });
    api = apiClient(idp);
  });
  after(() => idp.stop());

  verifies('RUN-01', 'creates a user and answers with what a list of users shows of it', async () => {
    const { status, body } = await api('POST', '/api/runtime/users', {
      username: 'zoe',
      ...secretive,
      description: 'a visitor',
      email: 'zoe@example.net',
      roles: ['USER', 'TESTER'],
      groups: ['guests'],
      tenant: 'north',
      identity_class: 'EXTERNAL',
      entitlements: ['read'],
    });
    expect(status).to.equal(201);
    expect(body.instance_id).to.match(/^[\w-]{22}$/);
    expect(body).to.deep.equal({
      username: 'zoe',
      origin: 'runtime',
      instance_id: body.instance_id,
      description: 'a visitor',
      email: 'zoe@example.net',
      identity_class: 'EXTERNAL',
      roles: ['USER', 'TESTER'],
      groups: ['guests'],
      tenant: 'north',
      has_acl: false,
      has_entitlements: true,
    });
  });

  verifies(['RUN-02', 'RUN-12'], 'creates a client and shows everything of it but its secret', async () => {
    const { status, body } = await api('POST', '/api/runtime/clients', {
      client_id: 'app',
      client_secret: 'app-secret',
      description: 'an app',
      redirect_uris: 'http://127.0.0.1:9/cb',
      scope: 'openid email',
      allowed_resources: ['https://api.example.org'],
      additional_audiences: ['other'],
      post_logout_redirect_uris: ['http://127.0.0.1:9/bye'],
    });
    expect(status).to.equal(201);
    expect(body).to.deep.equal({
      client_id: 'app',
      origin: 'runtime',
      instance_id: body.instance_id,
      description: 'an app',
      token_endpoint_auth_method: 'client_secret_basic',
      redirect_uris: ['http://127.0.0.1:9/cb'],
      scope: 'openid email',
      allowed_scopes: ['openid', 'email'],
      allowed_resources: ['https://api.example.org'],
      additional_audiences: ['other'],
      post_logout_redirect_uris: ['http://127.0.0.1:9/bye'],
    });
    expect((await api('GET', '/api/runtime/clients/app')).body).to.deep.equal(body);
  });

  verifies('RUN-03', 'refuses what is no object or what the models refuse, naming the field and no value', async () => {
    const users: unknown[] = [
      [],
      'text',
      null,
      {},
      { username: '' },
      { username: 7 },
      { username: 'x', roles: 'USER' },
    ];
    users.push({ username: 'x', email: 'no-address-4711' }, { username: 'x', password: 4711 });
    users.push({ username: 'x', totp_secret: 'JBSWY3DPEHPK3PXP' });
    for (const body of users) {
      const answer = await api('POST', '/api/runtime/users', JSON.stringify(body));
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(answer.body.kind).to.equal('invalid');
      expect(answer.body.error).to.be.a('string').that.does.not.contain('4711');
    }
    const clients: unknown[] = [[], {}, { client_id: '' }, { client_id: 'no-secret' }];
    clients.push(
      { client_id: 'x', client_secret: '' },
      { client_id: 'x', client_secret: 's', layout: 'diagonal-4711' },
    );
    for (const body of clients) {
      const answer = await api('POST', '/api/runtime/clients', JSON.stringify(body));
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(answer.body.kind).to.equal('invalid');
      expect(answer.body.error).to.be.a('string').that.does.not.contain('4711');
    }
    expect((await api('GET', '/api/runtime/users/x')).status).to.equal(404);
    expect((await api('POST', '/api/runtime/users', '{"username":')).status).to.equal(400);
  });

  verifies('RUN-04', 'makes unknown members of a user its attributes and refuses those of a client', async () => {
    const made = { username: 'attributed', favourite: { colour: 'green' }, attributes: { shoe: 43 } };
    expect((await api('POST', '/api/runtime/users', made)).status).to.equal(201);
    const { body } = await api('GET', '/api/users/attributed');
    expect(body.attributes).to.deep.equal({ shoe: 43, favourite: { colour: 'green' } });
    const refused = await api('POST', '/api/runtime/clients', { client_id: 'c', client_secret: 's', favourite: 1 });
    expect([refused.status, refused.body.kind]).to.deep.equal([400, 'invalid']);
    expect(refused.body.error).to.contain('favourite');
  });

  verifies('RUN-05', 'keeps a placeholder as the text it is', async () => {
    const made = { username: 'placeholder', password: placeholder, description: placeholder };
    const { body } = await api('POST', '/api/runtime/users', made);
    expect(body.description).to.equal(placeholder);
    expect((await passwordGrant('placeholder', placeholder)).status).to.equal(200);
    expect((await passwordGrant('placeholder', 'expanded')).status).to.equal(400);
  });

  verifies(
    ['RUN-06', 'RUN-07'],
    'refuses declared names, then names that are taken, in the order of the contract',
    async () => {
      const declared = await api('POST', '/api/runtime/users', { username: 'alice' });
      expect([declared.status, declared.body.kind]).to.deep.equal([409, 'declared']);
      const declaredClient = await api('POST', '/api/runtime/clients', { client_id: 'web', client_secret: 's' });
      expect([declaredClient.status, declaredClient.body.kind]).to.deep.equal([409, 'declared']);
      expect((await api('POST', '/api/runtime/users', { username: 'taken' })).status).to.equal(201);
      const taken = await api('POST', '/api/runtime/users', { username: 'taken' });
      expect([taken.status, taken.body.kind]).to.deep.equal([409, 'exists']);
      // Invalid comes before declared.
      const both = await api('POST', '/api/runtime/users', { username: 'alice', roles: 7 });
      expect([both.status, both.body.kind]).to.deep.equal([400, 'invalid']);
    },
  );

  verifies(
    'RUN-06',
    'refuses a name that the file declares although it is not loaded yet, or not any more',
    async () => {
      writeUsers({ users: { ...demoUsers.users, edited: { password: 'x' } } });
      const edited = await api('POST', '/api/runtime/users', { username: 'edited' });
      expect([edited.status, edited.body.kind]).to.deep.equal([409, 'declared']);
      writeUsers({ users: { alice: demoUsers.users.alice } });
      const inForce = await api('POST', '/api/runtime/users', { username: 'bob' });
      expect([inForce.status, inForce.body.kind]).to.deep.equal([409, 'declared']);
      writeUsers(demoUsers);
    },
  );

  verifies('RUN-07', 'lets one of many simultaneous creates succeed', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => api('POST', '/api/runtime/users', { username: 'wanted' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, ...Array(11).fill(409)]);
    expect(answers.filter(({ status }) => status === 409).every(({ body }) => body.kind === 'exists')).to.equal(true);
    expect(await eventsOf('wanted')).to.deep.equal(['runtime_identity_created']);
  });

  verifies('RUN-08', 'answers 503 while the files do not load or cannot be read', async () => {
    writeUsers({ users: { alice: { roles: 'no list' } } });
    const unloadable = await api('POST', '/api/runtime/users', { username: 'patient' });
    expect([unloadable.status, unloadable.body.error]).to.deep.equal([503, 'configuration_unloadable']);
    expect(unloadable.body.error_description).to.be.a('string').that.does.not.contain('roles');
    // A file that is there and cannot be read.
    rmSync(join(idp.configDirectory, 'users.yaml'));
    mkdirSync(join(idp.configDirectory, 'users.yaml'));
    const unreadable = await api('POST', '/api/runtime/users', { username: 'patient' });
    expect([unreadable.status, unreadable.body.error]).to.deep.equal([503, 'configuration_unavailable']);
    expect(unreadable.headers.get('retry-after')).to.equal('5');
    rmdirSync(join(idp.configDirectory, 'users.yaml'));
    writeUsers(demoUsers);
    expect((await api('POST', '/api/runtime/users', { username: 'patient' })).status).to.equal(201);
  });

  verifies('RUN-09', 'creates a namesake of a client or of a user, with a warning in answer and log', async () => {
    const user = await api('POST', '/api/runtime/users', { username: 'spa' });
    expect(user.status).to.equal(201);
    expect(user.body.warnings).to.be.an('array').with.lengthOf(1);
    const client = await api('POST', '/api/runtime/clients', { client_id: 'bob', client_secret: 's' });
    expect(client.status).to.equal(201);
    expect(client.body.warnings).to.be.an('array').with.lengthOf(1);
    expect(idp.log()).to.contain('a runtime user bears the name of a client');
    expect(idp.log()).to.contain('a runtime client bears the name of a user');
  });

  verifies('RUN-10', 'are good for every flow from the 201 on, and stand in the lists', async () => {
    await api('POST', '/api/runtime/users', { username: 'usable', password: 'pw', email: 'u@example.org' });
    await api('POST', '/api/runtime/clients', { client_id: 'usable', client_secret: 'cs' });
    expect((await passwordGrant('usable', 'pw', ['usable', 'cs'])).status).to.equal(200);
    const credentials = await postForm(
      `${idp.baseUrl}/token`,
      { grant_type: 'client_credentials' },
      { Authorization: basic('usable', 'cs') },
    );
    expect(credentials.status).to.equal(200);
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'usable',
      redirect_uri: 'http://127.0.0.1:9/callback',
    });
    expect((await fetch(`${idp.baseUrl}/authorize?${query}`)).status).to.equal(200);
    const { body } = await api('GET', '/api/users');
    expect(body.users.find((user: { username: string }) => user.username === 'usable')?.origin).to.equal('runtime');
    expect((await (await fetch(`${idp.baseUrl}/users`)).text()).includes('usable')).to.equal(true);
    expect((await (await fetch(`${idp.baseUrl}/clients`)).text()).includes('usable')).to.equal(true);
    // The SAML frontend is another process.
    const envelope = attributeQuery('usable');
    const query2 = await fetch(`${idp.baseUrl}/saml/attribute-query`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml' },
      body: envelope,
    });
    expect(await query2.text()).to.contain('u@example.org');
  });

  verifies(
    'RUN-11',
    'lists runtime objects alone in order of creation, and answers 404 for a declared name',
    async () => {
      const { body } = await api('GET', '/api/runtime/users');
      const names = body.users.map((user: { username: string }) => user.username);
      expect(body.count).to.equal(names.length);
      expect(names.slice(0, 3)).to.deep.equal(['zoe', 'attributed', 'placeholder']);
      expect(names).to.not.include('alice');
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
    expect(await eventsOf('brief')).to.deep.equal([
      'runtime_identity_created',
      'runtime_identity_deleted',
      'runtime_identity_created',
      'runtime_identity_created',
      'runtime_identity_deleted',
    ]);
  });

  verifies('RUN-16', 'revokes nothing with a delete, but refuses to refresh', async () => {
    await api('POST', '/api/runtime/users', { username: 'leaver', password: 'pw' });
    const tokens = await (await passwordGrant('leaver', 'pw')).json();
    await api('DELETE', '/api/runtime/users/leaver');
    const introspected = await postForm(
      `${idp.baseUrl}/introspect`,
      { token: tokens.access_token },
      { Authorization: basic('web', 'web-secret') },
    );
    expect((await introspected.json()).active).to.equal(true);
    const refreshed = await postForm(
      `${idp.baseUrl}/token`,
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
      { Authorization: basic('web', 'web-secret') },
    );
    expect([refreshed.status, (await refreshed.json()).error]).to.deep.equal([400, 'invalid_grant']);
  });

  verifies(['RUN-19', 'RUN-20', 'RUN-21'], 'survive a reload, unless it declares their name', async () => {
    await api('POST', '/api/runtime/users', { username: 'stays', password: 'pw' });
    await api('POST', '/api/runtime/users', { username: 'replaced', password: 'runtime' });
    writeUsers({ users: { ...demoUsers.users, replaced: { password: 'declared' } } });
    expect((await api('POST', '/api/config/reload')).status).to.equal(200);
    expect((await api('GET', '/api/runtime/users/stays')).status).to.equal(200);
    expect((await api('GET', '/api/runtime/users/replaced')).status).to.equal(404);
    expect((await api('GET', '/api/users/replaced')).body.origin).to.equal('declared');
    expect((await passwordGrant('replaced', 'declared')).status).to.equal(200);
    expect(idp.log()).to.contain('removed a runtime object that the configuration now declares');
    expect(await eventsOf('replaced')).to.deep.equal([
      'runtime_identity_created',
      'runtime_identity_removed_on_reload',
    ]);
    writeUsers(demoUsers);
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

function attributeQuery(nameId: string): string {
  const saml = 'urn:oasis:names:tc:SAML:2.0';
  return (
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
    `<samlp:AttributeQuery xmlns:samlp="${saml}:protocol" xmlns:saml="${saml}:assertion" ID="_q1" Version="2.0" ` +
    'IssueInstant="2026-01-01T00:00:00Z"><saml:Issuer>https://sp.example.org</saml:Issuer>' +
    `<saml:Subject><saml:NameID>${nameId}</saml:NameID></saml:Subject></samlp:AttributeQuery>` +
    '</soap:Body></soap:Envelope>'
  );
}
