// POST /api/runtime/…/promote over HTTP: into the file, out of the store, with exactly one event, or not at all.
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
import { basic, postForm } from '#test/support/http.ts';
import { type ApiClient, apiClient } from '#test/support/management-api.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

describe('promotion', () => {
  let idp: RunningIdp;
  let api: ApiClient;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  before(async () => {
    idp = await startIdp({
      command: 'oidc',
      settings: {
        ...demoSettings,
        oauth: { ...demoSettings.oauth, dynamic_registration: { enabled: true, max_clients: 1 } },
        hooks: { on_config_saved: 'test ! -e {config_dir}/../hook-must-fail', strict: true },
        runtime: { updates: true },
        jwt: { external_keys: { private_key: '../private.pem', public_key: '../public.pem' } },
      },
      files: {
        'private.pem': String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
        'public.pem': String(publicKey.export({ type: 'spki', format: 'pem' })),
      },
    });
    api = apiClient(idp);
  });
  after(() => idp.stop());

  const file = (name: 'users.yaml' | 'settings.yaml') => join(idp.configDirectory, name);
  const declaredUsers = () => parse(readFileSync(file('users.yaml'), 'utf8')).users;
  const declaredClients = () => parse(readFileSync(file('settings.yaml'), 'utf8')).oauth.clients;
  const eventsAbout = async (name: string) => {
    const { body } = await api('GET', '/api/audit?limit=-1');
    return body.entries.filter((entry: { details: { name?: string } }) => entry.details.name === name);
  };
  const typesAbout = async (name: string) =>
    (await eventsAbout(name)).map((entry: { event_type: string }) => entry.event_type);
  const createUser = (username: string, members: object = {}) =>
    api('POST', '/api/runtime/users', { username, ...members });
  const promoteUser = (username: string) => api('POST', `/api/runtime/users/${username}/promote`);

  verifies(['RUN-22', 'AUD-30'], 'writes a user with password and TOTP secret, and lists it as declared', async () => {
    await createUser('newcomer', { password: 'pw', totp_secret: 'JBSWY3DPEHPK3PXP', roles: ['TESTER'], shoe: 43 });
    const promoted = await promoteUser('newcomer');
    expect([promoted.status, promoted.body]).to.deep.equal([
      200,
      { promoted: 'newcomer', kind: 'user', file: 'users.yaml' },
    ]);
    const entry = declaredUsers().newcomer;
    expect([entry.password, entry.totp_secret, entry.roles]).to.deep.equal(['pw', 'JBSWY3DPEHPK3PXP', ['TESTER']]);
    expect((await api('GET', '/api/users/newcomer')).body.origin).to.equal('declared');
    expect((await api('GET', '/api/users/newcomer')).body.attributes).to.deep.equal({ shoe: 43 });
    expect((await api('GET', '/api/runtime/users/newcomer')).status).to.equal(404);
    const [, event, ...more] = await eventsAbout('newcomer');
    expect(more).to.deep.equal([]);
    expect(event).to.deep.include({
      event_type: 'runtime_identity_promoted',
      username: 'newcomer',
      endpoint: '/api/runtime/users/newcomer/promote',
      method: 'POST',
      ip_address: '127.0.0.1',
      user_agent: 'node',
      status: 'success',
      details: { kind: 'user', name: 'newcomer' },
    });
  });

  verifies(['RUN-22', 'RUN-29'], 'writes a client with its secret and ends its registration', async () => {
    const registered = (await api('POST', '/register', { redirect_uris: ['http://127.0.0.1:9/cb'] })).body;
    const path = `/api/runtime/clients/${registered.client_id}`;
    const bearer = { Authorization: `Bearer ${registered.registration_access_token}` };
    const promoted = await api('POST', `${path}/promote`);
    expect([promoted.status, promoted.body.file]).to.deep.equal([200, 'settings.yaml']);
    const entry = declaredClients().find((client: { client_id: string }) => client.client_id === registered.client_id);
    expect(entry.client_secret).to.equal(registered.client_secret);
    expect((await api('GET', `/register/${registered.client_id}`, undefined, bearer)).status).to.equal(401);
    // The only slot is free again.
    expect((await api('POST', '/register', { redirect_uris: ['http://127.0.0.1:9/cb'] })).status).to.equal(201);
    const token = await postForm(
      `${idp.baseUrl}/token`,
      { grant_type: 'client_credentials' },
      { Authorization: basic(registered.client_id, registered.client_secret) },
    );
    expect(token.status).to.equal(200);
  });

  verifies('RUN-23', 'succeeds once, however many promotions of one object run at once', async () => {
    await createUser('popular');
    const answers = await Promise.all(Array.from({ length: 8 }, () => promoteUser('popular')));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    for (const { status, body } of answers.filter(({ status }) => status !== 200)) {
      expect(['409 promotion_in_progress', '404 not_found']).to.include(`${status} ${body.kind}`);
    }
    expect(await typesAbout('popular')).to.deep.equal(['runtime_identity_created', 'runtime_identity_promoted']);
    expect((await promoteUser('nobody')).status).to.equal(404);
  });

  verifies('RUN-24', 'and a reload at the same time both come through', async () => {
    await createUser('steady');
    const [promoted, ...reloads] = await Promise.all([
      promoteUser('steady'),
      ...Array.from({ length: 4 }, () => api('POST', '/api/config/reload')),
    ]);
    expect(promoted?.status).to.equal(200);
    expect(reloads.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(await typesAbout('steady')).to.deep.equal(['runtime_identity_created', 'runtime_identity_promoted']);
  });

  verifies('RUN-25', 'is refused for a name that the file holds already, and leaves the object as it was', async () => {
    const { body: before } = await createUser('contested', { password: 'runtime' });
    const users = declaredUsers();
    writeFileSync(file('users.yaml'), stringify({ users: { ...users, contested: { password: 'file' } } }));
    const text = readFileSync(file('users.yaml'), 'utf8');
    const refused = await promoteUser('contested');
    expect([refused.status, refused.body.kind]).to.deep.equal([409, 'declared']);
    expect(readFileSync(file('users.yaml'), 'utf8')).to.equal(text);
    expect((await api('GET', '/api/runtime/users/contested')).body).to.deep.equal(before);
    writeFileSync(file('users.yaml'), stringify({ users }));
    expect((await promoteUser('contested')).status).to.equal(200);
  });

  verifies(
    ['RUN-26', 'WRT-08'],
    'is refused when the result would not load, with the place of what is wrong, nothing written and the object free',
    async () => {
      await createUser('unlucky');
      const text = readFileSync(file('settings.yaml'), 'utf8');
      writeFileSync(file('settings.yaml'), text.replace('http://127.0.0.1:8000', 'no address'));
      const users = readFileSync(file('users.yaml'), 'utf8');
      const refused = await promoteUser('unlucky');
      expect([refused.status, refused.body.kind]).to.deep.equal([422, 'unloadable']);
      // It may be another file that does not load: whoever asks is told which, and never the value.
      expect(refused.body.error)
        .to.match(/settings\.yaml:\d+:\d+ oauth\.issuer must be/)
        .and.not.include('no address');
      expect(readFileSync(file('users.yaml'), 'utf8')).to.equal(users);
      writeFileSync(file('settings.yaml'), text);
      expect((await promoteUser('unlucky')).status).to.equal(200);
    },
  );

  verifies('RUN-28', 'is done although a strict on_config_saved fails', async () => {
    await createUser('mirrored');
    writeFileSync(join(idp.root, 'hook-must-fail'), '');
    const promoted = await promoteUser('mirrored');
    rmSync(join(idp.root, 'hook-must-fail'));
    expect([promoted.status, promoted.body.promoted]).to.deep.equal([200, 'mirrored']);
    expect(promoted.body.mirror_hook_error).to.be.a('string').that.is.not.empty;
    expect((await api('GET', '/api/users/mirrored')).body.origin).to.equal('declared');
  });

  const withoutKey = async (work: () => Promise<void>) => {
    const key = join(idp.root, 'private.pem');
    renameSync(key, `${key}.away`);
    try {
      await work();
    } finally {
      renameSync(`${key}.away`, key);
    }
  };

  verifies(
    ['RUN-27', 'RUN-18', 'PCL-16'],
    'waits for a reload when the entry is in the file and the load failed',
    async () => {
      await createUser('halfway');
      await withoutKey(async () => {
        const failed = await promoteUser('halfway');
        expect([failed.status, failed.body.kind]).to.deep.equal([500, 'reload_failed']);
        expect(declaredUsers()).to.have.property('halfway');
        const changed = await api('PATCH', '/api/runtime/users/halfway', { tenant: 'x' });
        for (const answer of [
          await promoteUser('halfway'),
          await api('DELETE', '/api/runtime/users/halfway'),
          changed,
        ]) {
          expect([answer.status, answer.body.kind]).to.deep.equal([409, 'promotion_in_progress']);
        }
        const { body } = await api('DELETE', '/api/runtime');
        expect(body.users_deleted).to.equal(0);
        expect(await typesAbout('halfway')).to.deep.equal(['runtime_identity_created']);
      });
      expect((await api('POST', '/api/config/reload')).status).to.equal(200);
      expect((await api('GET', '/api/users/halfway')).body.origin).to.equal('declared');
      expect((await api('GET', '/api/runtime/users/halfway')).status).to.equal(404);
      const [, promoted, ...more] = await eventsAbout('halfway');
      expect(more).to.deep.equal([]);
      expect(promoted).to.deep.include({
        event_type: 'runtime_identity_promoted',
        endpoint: '/api/runtime/users/halfway/promote',
        method: 'POST',
        user_agent: 'node',
      });
    },
  );

  verifies(['RUN-27', 'AUD-30'], 'is abandoned when the entry is gone at the next successful load', async () => {
    await createUser('dropped');
    const text = readFileSync(file('users.yaml'), 'utf8');
    await withoutKey(async () => {
      expect((await promoteUser('dropped')).body.kind).to.equal('reload_failed');
    });
    writeFileSync(file('users.yaml'), text);
    expect((await api('POST', '/api/config/reload')).status).to.equal(200);
    expect((await api('GET', '/api/users/dropped')).body.origin).to.equal('runtime');
    const [, abandoned, ...more] = await eventsAbout('dropped');
    expect(more).to.deep.equal([]);
    expect(abandoned).to.deep.include({
      event_type: 'runtime_identity_promotion_abandoned',
      endpoint: '/api/runtime/users/dropped/promote',
      method: 'POST',
      ip_address: '127.0.0.1',
      user_agent: 'node',
      details: { kind: 'user', name: 'dropped', reason: abandoned?.details.reason },
    });
    expect(abandoned?.details.reason).to.include('the file did not declare it');
    expect(idp.log()).to.contain('cancelled a promotion');
    expect((await promoteUser('dropped')).status).to.equal(200);
  });
});
