// A worker is killed during a promotion, before or after the entry reached the file. The next process settles it to exactly
// one of the two allowed outcomes and records it once. A worker that is only stopped keeps its claim.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { holdLock } from '#test/support/held-lock.ts';
import { type ApiClient, patientApiClient } from '#test/support/management-api.ts';
import { openTestStore } from '#test/support/open-test-store.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { killWorker, until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const settings = {
  ...sharedSettings,
  // Delays a promotion after its write and before its end while the file exists.
  hooks: { on_config_saved: 'while test -e {config_dir}/../hold; do sleep 0.05; done', timeout_seconds: 60 },
};

describe('a promotion whose writer', () => {
  let shared: SharedRoot;
  let one: RunningIdp;
  let other: RunningIdp;
  let api: ApiClient;
  let otherApi: ApiClient;
  before(async () => {
    shared = makeSharedRoot(settings);
    const { root } = shared;
    [one, other] = await Promise.all([startIdp({ root }), startIdp({ root, command: 'oidc' })]);
    api = patientApiClient(one);
    otherApi = patientApiClient(other);
  });
  after(async () => {
    rmSync(hold(), { force: true });
    await one.stop();
    await other.stop();
    shared.remove();
  });

  afterEach(function () {
    if (this.currentTest?.state === 'failed') process.stderr.write(one.log());
  });

  const hold = () => join(shared.root, 'hold');
  const isInFile = (name: string) =>
    name in parse(readFileSync(join(shared.root, 'config', 'users.yaml'), 'utf8')).users;
  const promotionOf = async (name: string) => {
    const opened = await openTestStore({ kind: 'sqlite', path: shared.storePath });
    const user = await opened.store.identities.findUser(name).finally(() => opened.close());
    return user?.promotion.state;
  };
  const eventsAbout = async (name: string) =>
    (await otherApi('GET', '/api/audit?limit=-1')).body.entries
      .filter((entry: { details: { name?: string } }) => entry.details.name === name)
      .map((entry: { event_type: string; details: { outcome?: string } }) =>
        [entry.event_type, entry.details.outcome].filter((part) => part !== undefined).join(' '),
      );
  /**
   * These requests start after the waiting ones and are answered before them. A request that need not wait is complete
   * by then.
   */
  const laterRequests = async () => {
    for (let request = 0; request < 50; request += 1) expect((await api('GET', '/health')).status).to.equal(200);
  };
  verifies(['RUN-30', 'RUN-31', 'RUN-23'], 'died after the write is recovered as declared, once', async () => {
    await api('POST', '/api/runtime/users', { username: 'late', password: 'pw' });
    writeFileSync(hold(), '');
    const promotion = api('POST', '/api/runtime/users/late/promote').catch(() => 'lost with its worker');
    await until('the entry is in the file', () => isInFile('late'));
    expect(await promotionOf('late')).to.equal('claimed');
    await killWorker(one, 'oidc');
    rmSync(hold());
    await promotion;
    const answers = await Promise.all([
      otherApi('DELETE', '/api/runtime/users/late'),
      otherApi('POST', '/api/runtime/users/late/promote'),
      api('POST', '/api/config/reload'),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([404, 404, 200]);
    expect((await otherApi('GET', '/api/users/late')).body.origin).to.equal('declared');
    expect(await eventsAbout('late')).to.deep.equal([
      'runtime_identity_created',
      'runtime_identity_promotion_recovered declared',
    ]);
  });

  verifies(['RUN-30', 'RUN-31'], 'died before the write leaves the object free, and records that once', async () => {
    await api('POST', '/api/runtime/users', { username: 'early', password: 'pw' });
    const release = holdLock(join(shared.root, 'config'));
    const promotion = api('POST', '/api/runtime/users/early/promote').catch(() => 'lost with its worker');
    await until('the object is claimed', async () => (await promotionOf('early')) === 'claimed');
    await killWorker(one, 'oidc');
    release();
    await promotion;
    const reset = await otherApi('DELETE', '/api/runtime');
    expect([reset.status, reset.body]).to.deep.equal([200, { users_deleted: 1, clients_deleted: 0 }]);
    expect(isInFile('early')).to.equal(false);
    expect(await eventsAbout('early')).to.deep.equal([
      'runtime_identity_created',
      'runtime_identity_promotion_recovered runtime',
    ]);
  });

  verifies(
    ['RUN-32', 'RUN-18', 'RUN-24'],
    'is only stopped keeps its claim, while others wait or get an error',
    async () => {
      await api('POST', '/api/runtime/users', { username: 'slow', password: 'pw' });
      writeFileSync(hold(), '');
      // A standalone worker, because a supervisor would take a stopped worker for a dead one.
      const promotion = otherApi('POST', '/api/runtime/users/slow/promote');
      await until('the entry is in the file', () => isInFile('slow'));
      process.kill(other.pid, 'SIGSTOP');
      try {
        rmSync(hold());
        for (const answer of [
          await api('DELETE', '/api/runtime/users/slow'),
          await api('POST', '/api/runtime/users/slow/promote'),
        ]) {
          expect([answer.status, answer.body.kind]).to.deep.equal([409, 'promotion_in_progress']);
        }
        expect(await promotionOf('slow')).to.equal('claimed');
        let isReset = false;
        const reset = api('DELETE', '/api/runtime').then((answer) => {
          isReset = true;
          return answer;
        });
        await laterRequests();
        expect(isReset).to.equal(false);
        process.kill(other.pid, 'SIGCONT');
        expect((await promotion).status).to.equal(200);
        expect((await reset).body).to.deep.equal({ users_deleted: 0, clients_deleted: 0 });
      } finally {
        process.kill(other.pid, 'SIGCONT');
      }
      expect((await api('GET', '/api/users/slow')).body.origin).to.equal('declared');
      expect(await eventsAbout('slow')).to.deep.equal(['runtime_identity_created', 'runtime_identity_promoted']);
    },
  );

  verifies('RUN-24', 'is running delays a reload of its process', async () => {
    await api('POST', '/api/runtime/users', { username: 'steady' });
    writeFileSync(hold(), '');
    const promotion = api('POST', '/api/runtime/users/steady/promote');
    await until('the entry is in the file', () => isInFile('steady'));
    let isReloaded = false;
    const reload = api('POST', '/api/config/reload').then((answer) => {
      isReloaded = true;
      return answer;
    });
    await laterRequests();
    expect(isReloaded).to.equal(false);
    rmSync(hold());
    expect((await promotion).status).to.equal(200);
    expect((await reload).status).to.equal(200);
    expect(await eventsAbout('steady')).to.deep.equal(['runtime_identity_created', 'runtime_identity_promoted']);
  });
});
