// Several processes write one configuration at once, and are killed or frozen in the middle: every acknowledged write is
// in the files at the end, and a reader finds loadable files at every instant (WRT-03, WRT-07, WRT-09, WRT-13).
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { loadDirectory } from '#shared/configuration/load/load-directory.ts';

const script = fileURLToPath(new URL('../fixtures/configuration-writer.ts', import.meta.url));

interface Writer {
  readonly child: ChildProcess;
  readonly acknowledged: string[];
  readonly ready: Promise<void>;
  readonly ended: Promise<number | null>;
}

describe('writers of one configuration', function () {
  this.timeout(120_000);
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-writers-'));
    writeFileSync(join(directory, 'settings.yaml'), '# settings\n');
    writeFileSync(join(directory, 'users.yaml'), '# users\nusers: {}\n');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  function startWriter(name: string, seconds: number): Writer {
    const child = spawn(process.execPath, ['--import=tsx', script, directory, name, String(seconds)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const acknowledged: string[] = [];
    let isReady = () => {};
    const ready = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    createInterface({ input: child.stdout }).on('line', (line) =>
      line === 'ready' ? isReady() : acknowledged.push(line),
    );
    const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
    return { child, acknowledged, ready, ended };
  }

  /** Reads as anybody does, without the lock, until it is stopped; answers how often. */
  function watchFiles(): { stop(): number } {
    let readings = 0;
    const timer = setInterval(() => {
      const { configuration, findings } = loadDirectory({ directory, environment: {} });
      if (configuration === undefined) throw new Error(JSON.stringify(findings));
      readings += 1;
    }, 5);
    return {
      stop: () => {
        clearInterval(timer);
        return readings;
      },
    };
  }

  const declared = () => new Set(loadDirectory({ directory, environment: {} }).configuration?.users.keys());

  it('six at once lose nothing, and the files load at every instant', async () => {
    const writers = Array.from({ length: 6 }, (_, index) => startWriter(`w${index}`, 15));
    const watch = watchFiles();
    const codes = await Promise.all(writers.map(({ ended }) => ended));
    expect(watch.stop()).to.be.above(50);
    expect(codes).to.deep.equal([0, 0, 0, 0, 0, 0]);
    const acknowledged = writers.flatMap((writer) => writer.acknowledged);
    expect(acknowledged.length).to.be.above(20);
    const names = declared();
    expect(acknowledged.filter((name) => !names.has(name))).to.deep.equal([]);
    for (const writer of writers) expect(writer.acknowledged.length).to.be.above(0);
  });

  it('killed at any moment leave whole files and a lock that the next one gets', async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 8; round += 1) {
      const writer = startWriter(`k${round}`, 30);
      await writer.ready;
      await pause(20 + round * 23);
      writer.child.kill('SIGKILL');
      await writer.ended;
      acknowledged.push(...writer.acknowledged);
      expect(loadDirectory({ directory, environment: {} }).configuration).to.not.equal(undefined);
    }
    const last = startWriter('last', 1);
    expect(await last.ended).to.equal(0);
    expect(last.acknowledged.length).to.be.above(0);
    const names = declared();
    expect([...acknowledged, ...last.acknowledged].filter((name) => !names.has(name))).to.deep.equal([]);
  });

  it('frozen across the staleness of their lock overwrite nothing', async () => {
    const [frozen, other] = [startWriter('frozen', 20), startWriter('other', 20)];
    await Promise.all([frozen.ready, other.ready]);
    for (let round = 0; round < 2; round += 1) {
      await pause(200 + round * 37);
      frozen.child.kill('SIGSTOP');
      await pause(6_000);
      frozen.child.kill('SIGCONT');
    }
    expect(await Promise.all([frozen.ended, other.ended])).to.deep.equal([0, 0]);
    const names = declared();
    expect([...frozen.acknowledged, ...other.acknowledged].filter((name) => !names.has(name))).to.deep.equal([]);
    expect(readFileSync(join(directory, 'users.yaml'), 'utf8')).to.match(/^# users\n/);
  });
});
