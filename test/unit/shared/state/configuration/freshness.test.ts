// With the shared store, every operation checks the files first (STO-18 to STO-24).
import { mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { instant, type Monotonic, systemStopwatch } from '#shared/base/clock.ts';
import { acquireDirectoryLock } from '#shared/base/locking/directory-lock.ts';
import { createLogger } from '#shared/base/logger.ts';
import { logSecrets } from '#shared/model/secrets/what-is-secret.ts';
import { ActivationError, ConfigurationUnavailableError } from '#shared/state/configuration/active-configuration.ts';
import { FreshnessGate } from '#shared/state/configuration/freshness-gate.ts';
import { contentKey, readConfigurationFiles } from '#shared/state/configuration/load/read-files.ts';
import { verifies } from '#test/support/verifies.ts';
import { lineSink } from './line-sink.ts';
import { type OpenedDirectory, openDirectory } from './opened-directory.ts';

const withAudience = (audience: string) => `oauth: {audience: ${audience}}\n`;

async function unavailable(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ConfigurationUnavailableError) return error.kind;
    throw error;
  }
  return 'available';
}

describe('the check of the files', () => {
  let opened: OpenedDirectory;
  const audience = async (active: { refreshed(): Promise<{ settings: { oauth: { audience: string } } }> }) =>
    (await active.refreshed()).settings.oauth.audience;
  beforeEach(() => {
    opened = openDirectory(withAudience('first'));
  });
  afterEach(() => opened.remove());

  verifies(
    'STO-18',
    'activates changed files at once with the shared store, otherwise only after a reload',
    async () => {
      const shared = await opened.open({ sharedStore: true });
      opened.write('settings.yaml', withAudience('other'));
      expect(await audience(shared)).to.equal('other');
      const alone = openDirectory(withAudience('first'));
      try {
        const memory = await alone.open();
        alone.write('settings.yaml', withAudience('other'));
        expect(await audience(memory)).to.equal('first');
      } finally {
        alone.remove();
      }
    },
  );

  verifies(
    'STO-19',
    'detects other content with the same size and time, and distinguishes missing from empty',
    async () => {
      const active = await opened.open({ sharedStore: true });
      const path = opened.path('settings.yaml');
      // Whole seconds, which can be set exactly.
      const time = Math.floor(Date.now() / 1000);
      opened.write('settings.yaml', withAudience('alpha'));
      utimesSync(path, time, time);
      expect(await audience(active)).to.equal('alpha');
      opened.write('settings.yaml', withAudience('gamma'));
      utimesSync(path, time, time);
      expect(await audience(active)).to.equal('gamma');
      rmSync(path);
      const begun = await opened.open({ sharedStore: true });
      expect([...(await begun.refreshed()).clients.keys()]).to.deep.equal(['demo-client']);
      opened.write('settings.yaml', '');
      expect((await begun.refreshed()).clients.size).to.equal(0);
      rmSync(path);
      // Detected, and rejected (D43).
      expect((await begun.refreshed()).clients.size).to.equal(0);
      expect(begun.changedOnDisk()).to.deep.equal(['settings.yaml']);
    },
  );

  verifies('STO-19', 'detects a change that only the inode’s change time shows, for a file of any age', async () => {
    const active = await opened.open({
      sharedStore: true,
      machineClock: { now: () => instant(Date.parse('2099-01-01')) },
    });
    const path = opened.path('settings.yaml');
    const time = Math.floor(Date.now() / 1000);
    opened.write('settings.yaml', withAudience('alpha'));
    utimesSync(path, time, time);
    expect(await audience(active)).to.equal('alpha');
    opened.write('settings.yaml', withAudience('gamma'));
    utimesSync(path, time, time);
    expect(statSync(path).mtimeMs).to.equal(time * 1000);
    expect(await audience(active)).to.equal('gamma');
  });

  verifies('STO-19', 'detects a change that leaves no trace in the stat of a file that is at most 2 s old', () => {
    const path = opened.path('settings.yaml');
    const frozen = statSync(path, { bigint: true });
    const modified = Number(frozen.mtimeNs) / 1e6;
    let inForce = '';
    const noticedAfter = (milliseconds: number) => {
      opened.write('settings.yaml', withAudience('alpha'));
      inForce = contentKey(readConfigurationFiles(opened.directory));
      const gate = new FreshnessGate({
        directory: opened.directory,
        stopwatch: systemStopwatch,
        machineClock: { now: () => instant(Math.floor(modified) + milliseconds) },
        active: () => inForce,
        takeOver: async () => ({ outcome: 'taken' }),
        lookAt: () => frozen,
      });
      expect(gate.isStale()).to.equal(false);
      opened.write('settings.yaml', withAudience('gamma'));
      return gate.isStale();
    };
    expect([0, 1_999, 2_000, 2_002].map(noticedAfter)).to.deep.equal([true, true, true, false]);
  });

  verifies(
    'STO-25',
    'never alternates between two directories on one store, because the newest declaration wins (D45)',
    async () => {
      const other = openDirectory(withAudience('second'));
      const lines: string[] = [];
      const log = createLogger({ name: 'test', pretty: lineSink(lines), secrets: logSecrets });
      const shared = { sharedStore: true, generations: opened.generations } as const;
      try {
        const one = await opened.open({ ...shared, log });
        const sibling = await opened.open(shared);
        const two = await other.open(shared);
        const all = async () => [await audience(one), await audience(sibling), await audience(two)];
        for (let check = 0; check < 3; check += 1) expect(await all()).to.deep.equal(['second', 'second', 'second']);
        expect(await opened.generations.newest()).to.equal(2);
        expect([one.isBehind(), one.changedOnDisk(), two.isBehind()]).to.deep.equal([true, ['settings.yaml'], false]);
        expect(lines.filter((line) => line.includes('superseded'))).to.have.length(1);
        // A change in either directory is declared, but a form is rejected where the files are behind.
        expect((await one.write([], {})).outcome).to.equal('conflict');
        // Its files declare nothing. Names come from the active configuration, also for a runtime user (RUN-06).
        expect((await one.whileLocked(() => one.declaredNames())).inForce).to.equal(true);
        opened.write('settings.yaml', withAudience('third'));
        expect(await all()).to.deep.equal(['third', 'third', 'third']);
        await two.refreshed();
        expect([one.isBehind(), two.isBehind()]).to.deep.equal([false, true]);
        // Changing a file back to an earlier text is also a change.
        opened.write('settings.yaml', withAudience('first'));
        expect(await all()).to.deep.equal(['first', 'first', 'first']);
        await two.reload();
        expect(await all()).to.deep.equal(['second', 'second', 'second']);
      } finally {
        other.remove();
      }
    },
  );

  verifies(
    'STO-25',
    'lets a start with superseded files use the active configuration, but declares changed files',
    async () => {
      const other = openDirectory(withAudience('second'));
      const shared = { sharedStore: true, generations: opened.generations } as const;
      try {
        await opened.open(shared);
        await other.open(shared);
        const lines: string[] = [];
        const log = createLogger({ name: 'test', pretty: lineSink(lines), secrets: logSecrets });
        const again = await opened.open({ ...shared, log });
        expect(again.inForce().settings.oauth.audience).to.equal('second');
        expect([await audience(again), again.isBehind()]).to.deep.equal(['second', true]);
        // One warning with both digests and the file.
        expect(lines).to.have.length(1);
        expect(lines[0]).to.match(
          /superseded settings\.yaml in .* \(digest [0-9a-f]{12}\)\. Its generation 2 \(digest /,
        );
        const declared = await opened.open({ ...shared, declareAnyway: true });
        expect([await audience(declared), await audience(again)]).to.deep.equal(['first', 'first']);
        opened.write('settings.yaml', withAudience('third'));
        const edited = await opened.open(shared);
        expect(edited.inForce().settings.oauth.audience).to.equal('third');
        expect(await audience(again)).to.equal('third');
      } finally {
        other.remove();
      }
    },
  );

  verifies(
    'STO-25',
    'declares nothing from files of an earlier generation that were copied from another directory before a start',
    async () => {
      const other = openDirectory(withAudience('first'));
      const shared = { sharedStore: true, generations: opened.generations } as const;
      try {
        const one = await opened.open(shared);
        await other.open(shared);
        opened.write('settings.yaml', withAudience('second'));
        expect(await audience(one)).to.equal('second');
        other.write('settings.yaml', withAudience('second'));
        opened.write('settings.yaml', withAudience('third'));
        expect(await audience(one)).to.equal('third');
        const two = await other.open(shared);
        expect([await audience(two), two.isBehind(), await audience(one)]).to.deep.equal(['third', true, 'third']);
        other.write('settings.yaml', withAudience('fourth'));
        expect([await audience(two), await audience(one)], 'an edit declares').to.deep.equal(['fourth', 'fourth']);
      } finally {
        other.remove();
      }
    },
  );

  for (const { title, machine } of [
    { title: 'reverts no later change after files were updated by hand', machine: undefined },
    { title: 'reverts no later change when one is written through the machine with these files', machine: 'machine' },
  ]) {
    verifies(['STO-25', 'CLU-15'], title, async () => {
      const other = openDirectory(withAudience('first'));
      const shared = { sharedStore: true, generations: opened.generations, machine } as const;
      try {
        await other.open(shared);
        const one = await opened.open(shared);
        opened.write('settings.yaml', withAudience('second'));
        expect(await audience(one)).to.equal('second');
        const behind = await other.open(shared);
        expect([await audience(behind), behind.isBehind()]).to.deep.equal(['second', true]);
        other.write('settings.yaml', withAudience('second'));
        expect([await audience(behind), behind.isBehind()]).to.deep.equal(['second', false]);
        opened.write('settings.yaml', withAudience('third'));
        expect(await audience(one)).to.equal('third');
        if (machine !== undefined) {
          const change = { kind: 'set', path: 'oauth.audience', value: 'third' } as const;
          expect((await behind.write([change])).outcome).to.equal('written');
          expect(other.read('settings.yaml')).to.equal(withAudience('third'));
        }
        expect([await audience(behind), await audience(one)]).to.deep.equal(['third', 'third']);
        const again = await other.open(shared);
        expect([await audience(again), await audience(one)]).to.deep.equal(['third', 'third']);
        // Editing a file back to an earlier text is also an edit.
        other.write('settings.yaml', withAudience('first'));
        expect([await audience(again), await audience(one)]).to.deep.equal(['first', 'first']);
      } finally {
        other.remove();
      }
    });
  }

  verifies(
    'STO-20',
    'continues with the previous configuration if files do not load, with one warning until they change',
    async () => {
      const lines: string[] = [];
      const log = createLogger({ name: 'test', pretty: lineSink(lines), secrets: logSecrets });
      const active = await opened.open({ sharedStore: true, log });
      opened.write('settings.yaml', 'broken: [');
      for (let request = 0; request < 3; request += 1) expect(await audience(active)).to.equal('first');
      expect(lines).to.have.length(1);
      opened.write('settings.yaml', 'broken: {');
      expect(await audience(active)).to.equal('first');
      expect(lines).to.have.length(2);
      opened.write('settings.yaml', withAudience('whole'));
      expect(await audience(active)).to.equal('whole');
    },
  );

  verifies('STO-20', 'retries after 5 s if the failure is outside the files', async () => {
    let now = 0;
    let tries = 0;
    const stopwatch = { read: () => now as Monotonic, since: (start: Monotonic) => now - start };
    const keys = {
      async prepare() {
        tries += 1;
        if (tries < 3) throw new ActivationError('no keys');
        return () => {};
      },
    };
    const active = await opened.open({ sharedStore: true, stopwatch });
    active.join(keys);
    opened.write('settings.yaml', withAudience('second'));
    expect(await audience(active)).to.equal('first');
    now = 4_999;
    expect(await audience(active)).to.equal('first');
    expect(tries).to.equal(1);
    now = 5_000;
    expect(await audience(active)).to.equal('first');
    expect(tries).to.equal(2);
    now = 10_001;
    expect(await audience(active)).to.equal('second');
  });

  verifies(
    ['STO-21', 'STO-22', 'WRT-02'],
    'returns lock_timeout to the caller that checks and freshness_in_progress to those that wait',
    async () => {
      const active = await opened.open({ sharedStore: true, lockDeadlineMilliseconds: 1_500 });
      opened.write('settings.yaml', withAudience('second'));
      const lock = await acquireDirectoryLock(opened.directory, { stopwatch: systemStopwatch });
      try {
        const first = unavailable(active.refreshed());
        const start = systemStopwatch.read();
        const second = unavailable(active.refreshed());
        expect(await Promise.race([second, first])).to.equal('freshness_in_progress');
        expect(systemStopwatch.since(start)).to.be.at.least(450);
        expect(await Promise.all([first, second])).to.deep.equal(['lock_timeout', 'freshness_in_progress']);
      } finally {
        await lock.release();
      }
      expect(await audience(active)).to.equal('second');
    },
  );

  verifies(
    ['WRT-02', 'STO-21'],
    'ends each call at its deadline, even behind others that wait for the lock',
    async () => {
      const deadline = 4_800;
      const active = await opened.open({ sharedStore: true, lockDeadlineMilliseconds: deadline });
      const lock = await acquireDirectoryLock(opened.directory, { stopwatch: systemStopwatch });
      const timed = async (work: () => Promise<unknown>) => {
        const start = systemStopwatch.read();
        const answer = await work();
        return { answer, milliseconds: systemStopwatch.since(start) };
      };
      try {
        const reload = timed(() => unavailable(active.reload()));
        await pause(600);
        const write = timed(() => active.write([{ kind: 'set', path: 'oauth.audience', value: 'written' }]));
        await pause(600);
        opened.write('settings.yaml', withAudience('second'));
        const check = timed(() => unavailable(active.refreshed()));
        const answers = await Promise.all([reload, write, check]);
        expect(answers.map(({ answer }) => answer)).to.deep.equal([
          'lock_timeout',
          { outcome: 'lock_timeout' },
          'lock_timeout',
        ]);
        // If they waited for each other, they would take more than twice the deadline.
        for (const { milliseconds } of answers) expect(milliseconds).to.be.within(deadline - 50, deadline + 3_000);
      } finally {
        await lock.release();
      }
      expect(await audience(active)).to.equal('second');
    },
  );

  verifies('STO-22', 'shares the result of one check with all simultaneous callers', async () => {
    let loads = 0;
    const keys = {
      async prepare() {
        loads += 1;
        await pause(50);
        return () => {};
      },
    };
    const active = await opened.open({ sharedStore: true });
    active.join(keys);
    opened.write('settings.yaml', withAudience('second'));
    const answers = await Promise.all(Array.from({ length: 10 }, () => audience(active)));
    expect(new Set(answers)).to.deep.equal(new Set(['second']));
    expect(loads).to.equal(1);
  });

  verifies('STO-21', 'needs no lock while nothing has changed', async () => {
    const active = await opened.open({
      sharedStore: true,
      lockDeadlineMilliseconds: 50,
      machineClock: { now: () => instant(Date.parse('2099-01-01')) },
    });
    const lock = await acquireDirectoryLock(opened.directory, { stopwatch: systemStopwatch });
    try {
      expect(await audience(active)).to.equal('first');
    } finally {
      await lock.release();
    }
  });

  verifies('STO-24', 'activates changed files before a decision under the lock', async () => {
    const active = await opened.open({ sharedStore: true });
    opened.write('users.yaml', 'users: {ada: {}}');
    const [declared, locked] = await active.whileLocked(async () => {
      const names = (await active.declaredNames()).users;
      const other = await acquireDirectoryLock(opened.directory, {
        stopwatch: systemStopwatch,
        deadlineMilliseconds: 20,
      }).catch(() => 'locked');
      return [names.has('ada') && active.inForce().users.has('ada'), other] as const;
    });
    expect([declared, locked]).to.deep.equal([true, 'locked']);
  });

  it('activates a file that was replaced by a rename', async () => {
    const active = await opened.open({ sharedStore: true });
    mkdirSync(opened.path('next'));
    const other = openDirectory(withAudience('renamed'));
    renameSync(other.path('settings.yaml'), opened.path('settings.yaml'));
    other.remove();
    expect(await audience(active)).to.equal('renamed');
  });
});
