import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { instant, systemClock } from '#shared/base/clock.ts';
import { holdStackDirectory, stackDirectoryUse } from '#shared/process/worker/stack-lease.ts';
import { removeDeadStackDirectories } from '#supervisor/stack-directory.ts';

describe('the lease on a stack directory', () => {
  let base: string;
  let directory: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'lease-'));
    directory = join(base, 'test-idp-stack-a');
    mkdirSync(directory);
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const exists = () => {
    try {
      return statSync(directory).isDirectory();
    } catch {
      return false;
    }
  };

  /** A socket file without a listener: left by a killed process, or of a process that does not listen yet. */
  async function leaveDeadMark(name = '1.alive'): Promise<void> {
    const server = createServer();
    const path = join(directory, name);
    await new Promise<void>((resolve) => server.listen(join(directory, 'moving'), resolve));
    linkSync(join(directory, 'moving'), path);
    await new Promise((resolve) => server.close(resolve));
  }

  it('is visible only while it is held', async () => {
    expect(await stackDirectoryUse(directory)).to.equal('unmarked');
    const lease = await holdStackDirectory(directory);
    expect(await stackDirectoryUse(directory)).to.equal('used');
    await removeDeadStackDirectories(systemClock, [base]);
    expect(exists()).to.equal(true);
    await lease.release();
    expect(await stackDirectoryUse(directory)).to.equal('unmarked');
  });

  it('of a dead process is ignored', async () => {
    await leaveDeadMark();
    expect(await stackDirectoryUse(directory)).to.equal('dead');
    await removeDeadStackDirectories(systemClock, [base]);
    expect(exists()).to.equal(false);
  });

  it('is not needed in the first minute of a directory', async () => {
    await removeDeadStackDirectories(systemClock, [base]);
    expect(exists()).to.equal(true);
    await removeDeadStackDirectories({ now: () => instant(systemClock.now() + 61_000) }, [base]);
    expect(exists()).to.equal(false);
  });

  it('does not exist before its process listens, so an interrupted start does not count as dead', async () => {
    await leaveDeadMark('1.start');
    expect(await stackDirectoryUse(directory)).to.equal('unmarked');
    await removeDeadStackDirectories(systemClock, [base]);
    expect(exists()).to.equal(true);
  });

  it('is invisible to another start before its process listens, and leaves no file behind', async () => {
    const names: string[][] = [];
    for (let round = 0; round < 20; round += 1) {
      const holding = holdStackDirectory(directory);
      // In this turn the socket file exists already, but it is unknown whether a process listens.
      names.push(readdirSync(directory));
      await (await holding).release();
    }
    expect(names.flat().filter((name) => name.endsWith('.alive'))).to.deep.equal([]);
    expect(names.flat()).to.include(`${process.pid}.start`);
    expect(readdirSync(directory)).to.deep.equal([]);
  });

  it('lets the last orphan delete the directory', async () => {
    const lease = await holdStackDirectory(directory);
    await leaveDeadMark();
    await lease.releaseAndRemoveIfLast();
    expect(exists()).to.equal(false);
  });

  it('does not affect directories with other names', async () => {
    const other = join(base, 'somebody-else');
    mkdirSync(other);
    writeFileSync(join(other, 'file'), '');
    await removeDeadStackDirectories({ now: () => instant(systemClock.now() + 61_000) }, [base]);
    expect(statSync(join(other, 'file')).isFile()).to.equal(true);
  });
});
