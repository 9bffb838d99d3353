// A claim of a dead process is settled once by any other process. A claim of a live process is never touched.
import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { at, event, userEntry } from '#test/contract/store-under-test.ts';
import { bundleScript } from '#test/support/bundled-script.ts';
import { openTestStore, temporaryDirectory } from '#test/support/open-test-store.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the owner of a promotion', () => {
  let directory: string;
  let one: OpenedStore;
  let other: OpenedStore;
  let owner: ChildProcess;
  beforeEach(async () => {
    directory = temporaryDirectory();
    const path = join(directory, 'runtime.db');
    one = await openTestStore({ kind: 'sqlite', path });
    other = await openTestStore({ kind: 'sqlite', path });
    await one.store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));
    await one.audit.clear();
    owner = fork(await bundleScript('store/claim-promotion.ts'), [path, 'zoe'], { execArgv: [] });
    expect(await new Promise((resolve) => owner.once('message', resolve))).to.equal('claimed');
  });
  afterEach(async () => {
    owner.kill('SIGKILL');
    await one.close();
    await other.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const killOwner = async () => {
    const gone = new Promise((resolve) => owner.once('exit', resolve));
    owner.kill('SIGKILL');
    await gone;
  };
  const settle = async ({ store }: OpenedStore, outcome: 'declared' | 'runtime') => {
    const dead = await store.identities.deadClaims();
    return Promise.all(dead.map(({ claim }) => store.identities.settleDeadClaim(claim, outcome, { at: at(5) })));
  };

  verifies('RUN-32', 'does not count as dead while it lives, nor while it is stopped by a signal', async () => {
    expect(await one.store.identities.deadClaims()).to.deep.equal([]);
    owner.kill('SIGSTOP');
    expect(await one.store.identities.deadClaims()).to.deep.equal([]);
    const third = await openTestStore({ kind: 'sqlite', path: join(directory, 'runtime.db') });
    expect(await third.store.identities.deadClaims()).to.deep.equal([]);
    await third.close();
    expect(await one.audit.read({ limit: -1 })).to.deep.equal([]);
    // Killed while stopped, so now it is dead.
    await killOwner();
    expect(await one.store.identities.deadClaims()).to.have.length(1);
  });

  verifies(['RUN-30', 'RUN-31'], 'leaves a free object when killed before the entry reached the file', async () => {
    await killOwner();
    const settled = await Promise.all([settle(one, 'runtime'), settle(other, 'runtime')]);
    expect(settled.flat().filter(Boolean)).to.have.length(1);
    expect((await other.store.identities.findUser('zoe'))?.promotion).to.deep.equal({ state: 'free' });
    expect(await one.audit.read({ limit: -1 })).to.deep.equal([
      {
        timestamp: '2026-01-01T00:00:05.000Z',
        clock: null,
        event_type: 'runtime_identity_promotion_recovered',
        username: 'zoe',
        client_id: null,
        ip_address: '127.0.0.7',
        user_agent: 'the one that died',
        endpoint: '/api/runtime/users/zoe/promote',
        method: 'POST',
        status: 'success',
        details: { kind: 'user', name: 'zoe', outcome: 'runtime' },
      },
    ]);
  });

  verifies(['RUN-30', 'RUN-31'], 'leaves no object when killed after the entry reached the file', async () => {
    await killOwner();
    const settled = await Promise.all([settle(one, 'declared'), settle(other, 'declared')]);
    expect(settled.flat().filter(Boolean)).to.have.length(1);
    expect(await one.store.identities.findUser('zoe')).to.equal(undefined);
    const entries = await one.audit.read({ limit: -1 });
    expect(entries.map(({ event_type, details }) => [event_type, details.outcome])).to.deep.equal([
      ['runtime_identity_promotion_recovered', 'declared'],
    ]);
  });

  it('counts as dead even if another start removed its file', async () => {
    await killOwner();
    const third = await openTestStore({ kind: 'sqlite', path: join(directory, 'runtime.db') });
    expect(await third.store.identities.deadClaims()).to.have.length(1);
    await third.close();
  });
});
