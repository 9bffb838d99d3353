// Creating disposable users and clients over HTTP, the order of errors, and using them right after the 201.

import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { basic, postForm } from '#test/support/http.ts';
import type { ApiClient } from '#test/support/management-api.ts';
import { eventsOf, passwordGrant, writeUsers } from '#test/support/runtime-identities.ts';
import { attributeQueryText } from '#test/support/saml/attribute-query-text.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoUsers, registering } from '#test/support/worlds.ts';

/** A placeholder that would be expanded in the files. */
const placeholder = ['$', '{TEST_IDP_NAME}'].join('');
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
const secretive = { password: 'swordfish', totp_secret: 'JBSWY3DPEHPK3PXP' };

describe('creating runtime identities', () => {
  let idp: RunningIdp;
  let api: ApiClient;
  before(async () => {
    idp = await startIdp({ command: 'instance', world: registering, env: { TEST_IDP_NAME: 'expanded' } });
    api = idp.api;
  });
  after(() => idp.stop());

  verifies('RUN-01', 'creates a user and returns what a list of users shows', async () => {
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

  verifies('RUN-03', 'rejects a member that no entry can have, instead of dropping it', async () => {
    for (const [member, at] of [
      ['"claims":{"__proto__":{"admin":true}}', 'claims.__proto__'],
      ['"attributes":{"deep":[{"__proto__":1}]}', 'attributes.deep.0.__proto__'],
      ['"__proto__":{"roles":["ADMIN"]}', 'attributes.__proto__'],
    ]) {
      const body = Buffer.from(`{"username":"polluter",${member}}`);
      const answer = await fetch(`${idp.baseUrl}/api/runtime/users`, { method: 'POST', body: new Uint8Array(body) });
      const { error, kind } = await answer.json();
      expect([answer.status, kind], at).to.deep.equal([400, 'invalid']);
      expect(error).to.contain(`${at} is a reserved name`);
    }
    expect((await api('GET', '/api/runtime/users/polluter')).status).to.equal(404);
  });

  verifies(['RUN-02', 'RUN-12'], 'creates a client and shows everything except its secret', async () => {
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
      redirect_uri_patterns: [],
      scope: 'openid email',
      allowed_scopes: ['openid', 'email'],
      allowed_resources: ['https://api.example.org'],
      additional_audiences: ['other'],
      roles: [],
      groups: [],
      audience: [],
      default_scopes: [],
      post_logout_redirect_uris: ['http://127.0.0.1:9/bye'],
      post_logout_redirect_uri_patterns: [],
      backchannel_logout_uri: null,
      frontchannel_logout_uri: null,
    });
    expect((await api('GET', '/api/runtime/clients/app')).body).to.deep.equal(body);
  });

  verifies('RUN-03', 'rejects non-objects and invalid members, and names the field but no value', async () => {
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
    users.push({ username: 'x', attributes: { deep: nested(101) } }, { username: 'x', deep: nested(101) });
    const holdingNul = [
      ['users', { username: 'al\0ice' }, sentences.nulIn('username')],
      ['users', { username: 'x', email: 'a\0b' }, 'email must not contain the character U+0000'],
      ['users', { username: 'x', attributes: { deep: [{ 'a\0': 1 }] } }, 'attributes.deep.0.a\\u0000 must not contain'],
      ['clients', { client_id: 'a\0b', client_secret: 's' }, 'client_id must not contain the character U+0000'],
      ['clients', { client_id: 'c', client_secret: 's\0' }, 'client_secret must not contain the character U+0000'],
      ['service-providers', { entity_id: 'urn:a\0b' }, sentences.nulIn('entity_id')],
    ] as const;
    for (const [kind, body, problem] of holdingNul) {
      const answer = await api('POST', `/api/runtime/${kind}`, JSON.stringify(body));
      expect([answer.status, answer.body.kind], problem).to.deep.equal([400, 'invalid']);
      expect(answer.body.error).to.contain(problem);
    }
    for (const body of users) {
      const answer = await api('POST', '/api/runtime/users', JSON.stringify(body));
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(answer.body.kind).to.equal('invalid');
      expect(answer.body.error).to.be.a('string').that.does.not.contain('4711');
    }
    const absurd = `{"username":"x","attributes":{"deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
    expect((await api('POST', '/api/runtime/users', absurd)).body.kind).to.equal('invalid');
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

  verifies('RUN-04', 'turns unknown members of a user into attributes, and rejects those of a client', async () => {
    const made = { username: 'attributed', favourite: { colour: 'green' }, attributes: { shoe: 43 } };
    expect((await api('POST', '/api/runtime/users', made)).status).to.equal(201);
    const { body } = await api('GET', '/api/users/attributed');
    expect(body.attributes).to.deep.equal({ shoe: 43, favourite: { colour: 'green' } });
    const doubtful = await api('POST', '/api/runtime/users', { username: 'keyed', api_key: 'k' });
    expect([doubtful.status, doubtful.body.warnings?.length]).to.deep.equal([201, 1]);
    expect(doubtful.body.warnings[0]).to.match(/^api_key looks like a secret, but becomes an attribute/);
    const refused = await api('POST', '/api/runtime/clients', { client_id: 'c', client_secret: 's', favourite: 1 });
    expect([refused.status, refused.body.kind]).to.deep.equal([400, 'invalid']);
    expect(refused.body.error).to.contain('favourite');
  });

  verifies('RUN-05', 'stores a placeholder literally', async () => {
    const made = { username: 'placeholder', password: placeholder, description: placeholder };
    const { body } = await api('POST', '/api/runtime/users', made);
    expect(body.description).to.equal(placeholder);
    expect((await passwordGrant(idp, 'placeholder', placeholder)).status).to.equal(200);
    expect((await passwordGrant(idp, 'placeholder', 'expanded')).status).to.equal(400);
  });

  verifies(['RUN-06', 'RUN-07'], 'rejects declared names, then taken names, in the order of the contract', async () => {
    const declared = await api('POST', '/api/runtime/users', { username: 'alice' });
    expect([declared.status, declared.body.kind]).to.deep.equal([409, 'declared']);
    const declaredClient = await api('POST', '/api/runtime/clients', { client_id: 'web', client_secret: 's' });
    expect([declaredClient.status, declaredClient.body.kind]).to.deep.equal([409, 'declared']);
    expect((await api('POST', '/api/runtime/users', { username: 'taken' })).status).to.equal(201);
    const taken = await api('POST', '/api/runtime/users', { username: 'taken' });
    expect([taken.status, taken.body.kind]).to.deep.equal([409, 'exists']);
    // Invalid input is reported before a declared name.
    const both = await api('POST', '/api/runtime/users', { username: 'alice', roles: 7 });
    expect([both.status, both.body.kind]).to.deep.equal([400, 'invalid']);
  });

  verifies('RUN-06', 'rejects a name that the file declares, although it is not loaded yet or any more', async () => {
    writeUsers(idp, { users: { ...demoUsers.users, edited: { password: 'x' } } });
    const edited = await api('POST', '/api/runtime/users', { username: 'edited' });
    expect([edited.status, edited.body.kind]).to.deep.equal([409, 'declared']);
    writeUsers(idp, { users: { alice: demoUsers.users.alice } });
    const inForce = await api('POST', '/api/runtime/users', { username: 'bob' });
    expect([inForce.status, inForce.body.kind]).to.deep.equal([409, 'declared']);
    writeUsers(idp, demoUsers);
  });

  verifies('RUN-07', 'lets one of many simultaneous creations succeed', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => api('POST', '/api/runtime/users', { username: 'wanted' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, ...Array(11).fill(409)]);
    expect(answers.filter(({ status }) => status === 409).every(({ body }) => body.kind === 'exists')).to.equal(true);
    expect(await eventsOf(idp, 'wanted')).to.deep.equal(['runtime_identity_created']);
  });

  verifies('RUN-08', 'returns 503 while the files do not load or cannot be read', async () => {
    writeUsers(idp, { users: { alice: { roles: 'no list' } } });
    const unloadable = await api('POST', '/api/runtime/users', { username: 'patient' });
    expect([unloadable.status, unloadable.body.error]).to.deep.equal([503, 'configuration_unloadable']);
    expect(unloadable.body.error_description).to.be.a('string').that.does.not.contain('roles');
    // A file that exists but cannot be read.
    rmSync(join(idp.configDirectory, 'users.yaml'));
    mkdirSync(join(idp.configDirectory, 'users.yaml'));
    const unreadable = await api('POST', '/api/runtime/users', { username: 'patient' });
    expect([unreadable.status, unreadable.body.error]).to.deep.equal([503, 'configuration_unavailable']);
    expect(unreadable.headers.get('retry-after')).to.equal('5');
    rmdirSync(join(idp.configDirectory, 'users.yaml'));
    writeUsers(idp, demoUsers);
    expect((await api('POST', '/api/runtime/users', { username: 'patient' })).status).to.equal(201);
  });

  verifies('RUN-09', 'creates a user and a client with the same name, with a warning in response and log', async () => {
    const user = await api('POST', '/api/runtime/users', { username: 'spa' });
    expect(user.status).to.equal(201);
    expect(user.body.warnings).to.be.an('array').with.lengthOf(1);
    const client = await api('POST', '/api/runtime/clients', { client_id: 'bob', client_secret: 's' });
    expect(client.status).to.equal(201);
    expect(client.body.warnings).to.be.an('array').with.lengthOf(1);
    expect(idp.log()).to.contain('a runtime user has the name of a client');
    expect(idp.log()).to.contain('a runtime client has the name of a user');
  });

  verifies(['CFG-K50', 'RUN-09'], 'warns in the log without names unless verbose_logging is on', async () => {
    const clients = [{ client_id: 'namesake-client', client_secret: 's' }];
    const users = { users: { 'namesake-user': { password: 'p' } } };
    const settings = { oauth: { clients }, logging: { verbose_logging: false } };
    const quiet = await startIdp({ settings, users, command: 'oidc' });
    try {
      await quiet.api('POST', '/api/runtime/users', { username: 'namesake-client' });
      await quiet.api('POST', '/api/runtime/clients', { client_id: 'namesake-user', client_secret: 's' });
      expect(quiet.log()).to.contain('has the name of a client').and.contain('has the name of a user');
      await quiet.api('POST', '/api/runtime/users', { username: 'namesake-third' });
      await quiet.configure({ settings, users: { users: { 'namesake-third': { password: 'p' } } } });
      expect(quiet.log()).to.contain('removed a runtime object');
      expect(quiet.log()).to.not.contain('namesake-');
    } finally {
      await quiet.stop();
    }
  });

  verifies('RUN-03', 'accepts a name with surrounding spaces, with a warning', async () => {
    for (const username of [' pad ', '  ']) {
      const { status, body } = await api('POST', '/api/runtime/users', { username });
      expect([status, body.username]).to.deep.equal([201, username]);
      expect(body.warnings).to.deep.equal(['username begins or ends with a space. Remove it unless a test needs it.']);
    }
  });

  verifies('RUN-02', 'accepts a redirect URI that /authorize rejects (AUT-12), with a warning', async () => {
    const answer = await api('POST', '/api/runtime/clients', {
      client_id: 'repaired',
      client_secret: 's',
      redirect_uris: ['http://h/cb', 'http:///cb'],
      post_logout_redirect_uris: ['/bye'],
    });
    expect(answer.status).to.equal(201);
    expect(answer.body.warnings).to.deep.equal([
      'redirect_uris[1] must be an absolute URI with // and a host. /authorize rejects it.',
      'post_logout_redirect_uris[0] must be an absolute URI. /logout does not redirect to it.',
    ]);
  });

  verifies(
    ['RUN-02', 'SCO-02'],
    'accepts several scopes as one name, which allows none of them, with a warning',
    async () => {
      const { status, body } = await api('POST', '/api/runtime/clients', {
        client_id: 'one-name',
        client_secret: 's',
        allowed_scopes: 'openid profile',
      });
      expect([status, body.allowed_scopes]).to.deep.equal([201, ['openid profile']]);
      expect(body.warnings).to.be.an('array').with.lengthOf(1);
      expect(String(body.warnings)).to.match(/^allowed_scopes\[0\] is not a valid scope name .* separate item\.$/);
    },
  );

  verifies(['RUN-02', 'SCO-05'], 'accepts a scope outside the vocabulary, with a warning', async () => {
    const client = { client_id: 'reaching', client_secret: 's', scope: 'openid api' };
    const answer = await api('POST', '/api/runtime/clients', client);
    expect(answer.status).to.equal(201);
    expect(answer.body.warnings).to.deep.equal([
      'scope lists a scope that oauth.scopes_supported does not have. The server rejects requests with this scope, and requests for a user without scope.',
    ]);
  });

  verifies('RUN-10', 'works in every flow from the 201 on, and appears in the lists', async () => {
    await api('POST', '/api/runtime/users', { username: 'usable', password: 'pw', email: 'u@example.org' });
    await api('POST', '/api/runtime/clients', { client_id: 'usable', client_secret: 'cs' });
    expect((await passwordGrant(idp, 'usable', 'pw', ['usable', 'cs'])).status).to.equal(200);
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
    // The SAML front end is another process.
    const envelope = attributeQueryText('usable');
    const query2 = await fetch(`${idp.baseUrl}/saml/attribute-query`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml' },
      body: envelope,
    });
    expect(await query2.text()).to.contain('u@example.org');
  });
});
