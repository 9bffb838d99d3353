// Workers on PostgreSQL are killed, stopped, or disappear with their machine: when they count as dead, and how long they
// delay others.
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import type { PostgresLocation } from '#shared/model/runtime-store/store-location.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { at, event, userEntry } from '#test/contract/store-under-test.ts';
import { bundleScript } from '#test/support/bundled-script.ts';
import { skipBecause } from '#test/support/debian-programs.ts';
import {
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  postgresOrSkip,
} from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';

const created = event('runtime_identity_created');

describe('a worker on PostgreSQL', () => {
  let server: PostgresServer;
  let port: number;
  let location: PostgresLocation;
  let observer: OpenedStore;
  let owner: ChildProcess | undefined;
  before(async function () {
    server = await postgresOrSkip(this, { listen: '*' });
    port = server.port;
  });
  after(() => (server === undefined ? undefined : server.stop()));
  const openFresh = async () => {
    location = emptyPostgresLocation(server);
    observer = await openTestPostgres(location);
    for (const name of ['zoe', 'yan']) await observer.store.identities.createUser(name, userEntry(), at(0), created);
  };
  const closeAll = async () => {
    owner?.kill('SIGKILL');
    owner = undefined;
    await observer.close();
  };
  beforeEach(openFresh);
  afterEach(closeAll);

  /** Claims zoe. With `holding` it is also in the middle of a write. */
  const startOwner = async (holding?: 'holding') => {
    const script = await bundleScript('store/own-in-postgres.ts');
    const more = holding === undefined ? [] : [server.socketDirectory, String(port)];
    const child = fork(script, [location.url, location.schema, 'zoe', ...more], { execArgv: [] });
    owner = child;
    expect(await new Promise((resolve) => child.once('message', resolve))).to.equal('claimed');
    return child;
  };
  const deadOnes = async () => (await observer.store.identities.deadClaims()).map(({ identity }) => identity.name);
  const millisecondsUntilDead = async () => {
    const start = systemStopwatch.read();
    while ((await deadOnes()).length === 0) await pause(10);
    return systemStopwatch.since(start);
  };
  /** Kills this owner. On a busy machine the server may notice late, so up to two more are tried. */
  const expectDeadWithin1s = async (child: ChildProcess) => {
    child.kill('SIGKILL');
    let least = await millisecondsUntilDead();
    for (let more = 0; more < 2 && least >= 1_000; more += 1) {
      await closeAll();
      await openFresh();
      (await startOwner()).kill('SIGKILL');
      least = Math.min(least, await millisecondsUntilDead());
    }
    expect(least).to.be.below(1_000);
  };

  verifies('PGS-26', 'is dead within 1 s when it is killed', async () => {
    const child = await startOwner();
    expect(await deadOnes()).to.deep.equal([]);
    await expectDeadWithin1s(child);
  });

  verifies('PGS-27', 'is alive while it is stopped, and delays others for at most 5 s', async () => {
    const child = await startOwner('holding');
    child.kill('SIGSTOP');
    const start = systemStopwatch.read();
    let held = 0;
    for (;;) {
      const done = await observer.store.identities.createUser(`after-${held}`, userEntry(), at(0), created).then(
        () => true,
        (error: unknown) => {
          expect(error).to.be.instanceOf(RuntimeStoreUnavailableError);
          return false;
        },
      );
      if (done) break;
      held += 1;
    }
    // The server ends its open transaction 5 s after its last statement, which was a moment earlier.
    expect(systemStopwatch.since(start)).to.be.within(2_000, 6_000);
    // Its other sessions hold nothing. Its life session ends only with the process.
    await pause(8_000);
    expect(await deadOnes(), 'after a while').to.deep.equal([]);
    const again = await observer.store.identities.claimPromotion('user', 'zoe', event('runtime_identity_promoted'));
    expect(again.outcome).to.equal('promotion_in_progress');
    await expectDeadWithin1s(child);
  });

  verifies(
    'PGS-26',
    'is dead within 30 s when its machine disappears without closing its connections',
    async function () {
      const machine = await otherMachineOrSkip(this);
      try {
        const { address, own } = machine;
        server.place('pg_hba.conf', `local all all trust\nhost all all ${address}/32 trust\n`);
        await server.ask('SELECT pg_reload_conf()');
        const script = await bundleScript('store/own-in-postgres.ts');
        const url = `postgres://${server.user}@${own}:${port}/postgres?sslmode=disable`;
        const child = spawn(...machine.command([process.execPath, script, url, location.schema, 'zoe']), {
          stdio: ['ignore', 'inherit', 'inherit'],
        });
        try {
          while ((await observer.store.identities.findUser('zoe'))?.promotion.state !== 'claimed') await pause(50);
          expect(await deadOnes()).to.deep.equal([]);
          machine.cutOff();
          expect(await millisecondsUntilDead()).to.be.within(5_000, 30_000);
          expect(child.exitCode, 'the process there').to.equal(null);
        } finally {
          child.kill('SIGKILL');
        }
      } finally {
        machine.remove();
      }
    },
  );
});

/** A separate network next to this machine's, with a link that can be cut. */
async function otherMachineOrSkip(context: Mocha.Context) {
  const holder = spawn('unshare', ['--net', 'sleep', '600'], { stdio: 'ignore' });
  const run = (...command: readonly string[]) => {
    const [program = '', ...args] = command;
    execFileSync(program, args, { stdio: 'pipe' });
  };
  const networkOf = (pid: number | undefined) => readlinkSync(`/proc/${pid}/ns/net`);
  const there = (...command: readonly string[]) => run('nsenter', '--net', '-t', String(holder.pid), ...command);
  const cable = `idp${process.pid}`;
  const [own, address] = ['10.213.77.1', '10.213.77.2'];
  try {
    // Until then it is still in the network of this machine.
    while (networkOf(holder.pid) === networkOf(process.pid)) {
      if (holder.exitCode !== null) throw new Error(`unshare ended with exit code ${holder.exitCode}`);
      await pause(10);
    }
    run('ip', 'link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(holder.pid));
    run('ip', 'addr', 'add', `${own}/30`, 'dev', cable);
    run('ip', 'link', 'set', cable, 'up');
    there('ip', 'addr', 'add', `${address}/30`, 'dev', 'eth0');
    there('ip', 'link', 'set', 'eth0', 'up');
  } catch (error) {
    holder.kill('SIGKILL');
    skipBecause(context, `this user may not make a network: ${error instanceof Error ? error.message : error}`);
  }
  return {
    ...{ own, address },
    command: (program: readonly string[]): [string, string[]] => [
      'nsenter',
      ['--net', '-t', String(holder.pid), '--', ...program],
    ],
    cutOff: () => there('ip', 'link', 'set', 'eth0', 'down'),
    remove: () => {
      holder.kill('SIGKILL');
      try {
        run('ip', 'link', 'del', cable);
      } catch {
        // The link was deleted together with the network at its other end.
      }
    },
  };
}
