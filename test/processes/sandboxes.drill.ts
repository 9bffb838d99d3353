// Sandboxes in several processes: stacks on one store, kills and restarts.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { storeFilesOf } from '#shared/state/store/store-files.ts';
import { rowsBesideDefault } from '#test/support/namespace-rows.ts';
import { makeSandbox, namespaceAt } from '#test/support/sandboxes.ts';
import { killWorker, until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

const sqlite = { ...demoSettings, runtime: { store: 'sqlite', path: '../state/runtime.db' } };

describe('sandboxes of several processes', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  const started = async (options: Parameters<typeof startIdp>[0]): Promise<RunningIdp> => {
    const idp = await startIdp(options);
    closing.push(() => idp.stop());
    return idp;
  };

  verifies(['SBX-06', 'SBX-41'], 'exist at once in every stack of a store, with one key', async () => {
    const one = await started({ settings: sqlite });
    const other = await started({ root: one.root });
    for (const [making, asking] of [
      [one, other],
      [other, one],
    ] as const) {
      const box = await makeSandbox(making, { keys: 'own' });
      const there = namespaceAt(asking, box.prefix);
      expect((await there.get('/saml/metadata')).status).to.equal(200);
      const { keys } = (await there.get('/.well-known/jwks.json')).body;
      expect((await box.get('/.well-known/jwks.json')).body.keys).to.deep.equal(keys);
      const { access_token } = (await box.post('/token', { grant_type: 'client_credentials' })).body;
      expect((await there.post('/introspect', { token: access_token })).body.active).to.equal(true);
      await asking.api('DELETE', `/api/sandboxes/${box.name}`);
      expect((await box.get('/api/health')).status).to.equal(404);
    }
  });

  verifies('SBX-16', 'lose nothing when a worker is killed', async () => {
    const idp = await started({ args: ['--oidc-workers', '2'] });
    const box = await makeSandbox(idp, { keys: 'own' });
    const { body } = await box.api('POST', '/api/runtime/users', { username: 'zoe', password: 'z' });
    expect(body.username).to.equal('zoe');
    const keys = (await box.get('/.well-known/jwks.json')).body;
    await Promise.all([killWorker(idp, 'oidc'), killWorker(idp, 'saml')]);
    await until('the sandbox answers again', async () => {
      const [api, saml] = await Promise.all([box.get('/api/runtime/users/zoe'), box.get('/saml/metadata')]);
      return api.status === 200 && saml.status === 200;
    });
    expect((await box.get('/.well-known/jwks.json')).body).to.deep.equal(keys);
  });

  verifies(
    ['SBX-16', 'SBX-45', 'SBX-10'],
    'survive a kill of all processes with sqlite, and still end on time',
    async () => {
      const first = await startIdp({ settings: sqlite });
      closing.push(() => rmSync(first.root, { recursive: true, force: true }));
      const box = await makeSandbox(first, { keys: 'own' });
      const short = await makeSandbox(first, { ttl_seconds: 2 });
      await box.api('POST', '/api/runtime/users', { username: 'zoe', password: 'z' });
      const tokens = await box.tokens();
      first.process.kill('SIGKILL');
      await first.exited;
      const second = await started({ root: first.root });
      const again = namespaceAt(second, box.prefix);
      expect(await again.userinfo(tokens.access_token)).to.equal(200);
      expect((await again.get('/api/runtime/users/zoe')).status).to.equal(200);
      const ended = await until(
        'the expiry is recorded',
        async () =>
          (await second.audit('&event_type=sandbox_deleted')).find(({ details }) => details.name === short.name),
        30_000,
      );
      expect(ended.details).to.deep.equal({ name: short.name, instance_id: short.made.instance_id, reason: 'expired' });
      await second.api('DELETE', '/api/sandboxes');
      expect(rowsBesideDefault(storeFilesOf(join(first.root, 'state', 'runtime.db')))).to.deep.equal([]);
    },
  );
});
