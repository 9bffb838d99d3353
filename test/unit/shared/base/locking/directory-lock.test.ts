// The lock on a directory has one holder at a time. A waiter takes it over from a dead holder, and it is never released
// twice.
import { fork } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Monotonic, systemStopwatch } from '#shared/base/clock.ts';
import { acquireDirectoryLock, DirectoryLockError } from '#shared/base/locking/directory-lock.ts';
import { bundleScript } from '#test/support/bundled-script.ts';
import { verifies } from '#test/support/verifies.ts';

describe('directory lock', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-lock-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const acquire = (deadlineMilliseconds?: number) =>
    acquireDirectoryLock(directory, {
      stopwatch: systemStopwatch,
      ...(deadlineMilliseconds === undefined ? {} : { deadlineMilliseconds }),
    });
  const failure = async (attempt: Promise<unknown>) => {
    try {
      await attempt;
    } catch (error) {
      if (error instanceof DirectoryLockError) return error.kind;
      throw error;
    }
    return 'no failure';
  };

  it('has one holder at a time among many callers in one process', async () => {
    let holders = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const lock = await acquire();
        holders += 1;
        most = Math.max(most, holders);
        expect(lock.stillHeld()).to.equal(true);
        await new Promise((resolve) => setImmediate(resolve));
        holders -= 1;
        await lock.release();
        expect(lock.stillHeld()).to.equal(false);
      }),
    );
    expect(most).to.equal(1);
    expect(existsSync(join(directory, '.lock'))).to.equal(false);
  });

  it('fails with lock_timeout at its deadline', async () => {
    const lock = await acquire();
    const start = performance.now();
    expect(await failure(acquire(120))).to.equal('lock_timeout');
    expect(performance.now() - start).to.be.within(115, 9_000);
    await lock.release();
    await (await acquire(120)).release();
  });

  verifies('WRT-02', 'retries for 10 s, with pauses that double from 1 ms to 50 ms', async () => {
    const lock = await acquire();
    let now = 0;
    const pauses: number[] = [];
    const stopwatch = { read: () => now as Monotonic, since: (start: Monotonic) => now - start };
    const waiting = acquireDirectoryLock(directory, {
      stopwatch,
      async pause(milliseconds) {
        pauses.push(milliseconds);
        now += milliseconds;
      },
    });
    expect(await failure(waiting)).to.equal('lock_timeout');
    // 63 ms of growing pauses, 198 of the longest, and the remainder.
    expect(pauses).to.deep.equal([1, 2, 4, 8, 16, 32, ...Array(198).fill(50), 37]);
    expect(now).to.equal(10_000);
    await lock.release();
  });

  verifies('WRT-03', 'is taken over if its time is ahead of the clock and no holder refreshes it', async () => {
    mkdirSync(join(directory, '.lock'));
    const tomorrow = Date.now() / 1000 + 86_400;
    utimesSync(join(directory, '.lock'), tomorrow, tomorrow);
    const lock = await acquire();
    expect(lock.stillHeld()).to.equal(true);
    await lock.release();
  });

  verifies('WRT-03', 'stays with a holder whose clock is ahead and who refreshes it', async () => {
    mkdirSync(join(directory, '.lock'));
    const tomorrow = Date.now() / 1000 + 86_400;
    let refreshes = 0;
    const refresh = () => {
      utimesSync(join(directory, '.lock'), tomorrow + refreshes, tomorrow + refreshes);
      refreshes += 1;
    };
    refresh();
    const holder = setInterval(refresh, 1_000);
    expect(await failure(acquire(6_000))).to.equal('lock_timeout');
    clearInterval(holder);
  });

  it('is taken over from a killed process within the waiting time', async () => {
    const child = fork(await bundleScript('store/hold-lock.ts'), [directory], { execArgv: [] });
    await new Promise((resolve) => child.once('message', resolve));
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    expect(existsSync(join(directory, '.lock'))).to.equal(true);
    const lock = await acquire();
    expect(lock.stillHeld()).to.equal(true);
    await lock.release();
  });

  verifies('WRT-03', 'leaves no file behind when the process ends while it creates the lock', async () => {
    const child = fork(await bundleScript('store/hold-lock.ts'), [directory, 'and-end'], { execArgv: [] });
    expect(await new Promise((resolve) => child.once('exit', resolve))).to.equal(0);
    expect(existsSync(join(directory, '.lock'))).to.equal(false);
  });

  it('notifies a holder that lost it, and keeps the new holder’s lock', async () => {
    const lost = await acquire();
    // What a waiter does with a lock that it considers stale.
    rmdirSync(join(directory, '.lock'));
    expect(lost.stillHeld()).to.equal(false);
    const holder = await acquire();
    expect(lost.stillHeld()).to.equal(false);
    await lost.release();
    expect(holder.stillHeld()).to.equal(true);
    await holder.release();
  });

  it('does not treat a lock as its own if it finds it after a freeze', async () => {
    const frozen = { read: () => 0 as Monotonic, since: () => 4_000 };
    const lock = await acquireDirectoryLock(directory, { stopwatch: frozen });
    expect(lock.stillHeld()).to.equal(false);
    await lock.release();
    expect(existsSync(join(directory, '.lock'))).to.equal(true);
  });

  it('reports what prevents it', async () => {
    writeFileSync(join(directory, '.lock'), '');
    expect(await failure(acquire())).to.equal('lock_namespace_unavailable');
    rmSync(join(directory, '.lock'));
    const missing = acquireDirectoryLock(join(directory, 'missing'), { stopwatch: systemStopwatch });
    expect(await failure(missing)).to.equal('lock_namespace_unavailable');
    mkdirSync(join(directory, 'sub'));
    await (await acquireDirectoryLock(join(directory, 'sub'), { stopwatch: systemStopwatch })).release();
  });
});
