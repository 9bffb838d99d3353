// Processes that write one configuration are killed or frozen at random times. Every acknowledged write is in the files at
// the end (WRT-03, WRT-07, WRT-13). See configuration-writer-dies and -frozen for each step of a write, and
// configuration-race for whole programs.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { loadDirectory } from '#shared/state/configuration/load/load-directory.ts';
import { bundleScript } from '#test/support/bundled-script.ts';

interface Writer {
  readonly child: ChildProcess;
  readonly acknowledged: string[];
  readonly ready: Promise<void>;
  /** Includes its output on standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly errorOutput: string }>;
}

describe('writers of one configuration', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-writers-'));
    writeFileSync(join(directory, 'settings.yaml'), '# settings\n');
    writeFileSync(join(directory, 'users.yaml'), '# users\nusers: {}\n');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  async function startWriter(name: string, seconds: number): Promise<Writer> {
    const script = await bundleScript('configuration-writer.ts');
    const child = spawn(process.execPath, [script, directory, name, String(seconds)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const errorOutput = textOf(child.stderr);
    const acknowledged: string[] = [];
    let isReady = () => {};
    const ready = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    createInterface({ input: child.stdout }).on('line', (line) =>
      line === 'ready' ? isReady() : acknowledged.push(line),
    );
    const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code))).then(
      async (code) => ({ code, errorOutput: await errorOutput }),
    );
    return { child, acknowledged, ready, ended };
  }

  async function expectEndedWell({ ended }: Writer): Promise<void> {
    const { code, errorOutput } = await ended;
    expect(code, errorOutput).to.equal(0);
  }

  const declared = () =>
    new Set(loadDirectory({ directory, environment: {}, problemsOfFault }).configuration?.users.keys());

  it('leave complete files and an available lock when killed at any time', async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 8; round += 1) {
      const writer = await startWriter(`k${round}`, 30);
      await writer.ready;
      await pause(20 + round * 23);
      writer.child.kill('SIGKILL');
      await writer.ended;
      acknowledged.push(...writer.acknowledged);
      expect(loadDirectory({ directory, environment: {}, problemsOfFault }).configuration).to.not.equal(undefined);
    }
    const last = await startWriter('last', 1);
    await expectEndedWell(last);
    expect(last.acknowledged.length).to.be.above(0);
    const names = declared();
    expect([...acknowledged, ...last.acknowledged].filter((name) => !names.has(name))).to.deep.equal([]);
  });

  it('overwrite nothing when frozen until their lock is stale', async () => {
    const [frozen, other] = await Promise.all([startWriter('frozen', 20), startWriter('other', 20)]);
    await Promise.all([frozen.ready, other.ready]);
    for (let round = 0; round < 2; round += 1) {
      await pause(200 + round * 37);
      frozen.child.kill('SIGSTOP');
      await pause(6_000);
      frozen.child.kill('SIGCONT');
    }
    await Promise.all([expectEndedWell(frozen), expectEndedWell(other)]);
    const names = declared();
    expect([...frozen.acknowledged, ...other.acknowledged].filter((name) => !names.has(name))).to.deep.equal([]);
    expect(readFileSync(join(directory, 'users.yaml'), 'utf8')).to.match(/^# users\n/);
  });
});
