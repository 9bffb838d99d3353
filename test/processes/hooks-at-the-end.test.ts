// A shell hook must end with its process, even if that is stopped while the hook runs. Otherwise nothing would limit the
// hook's time (HOK-05), and test runs would leave processes behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { allEnded, type LingeringHook, lingeringHook } from '#test/support/lingering-hook.ts';
import { cliPath, startIdp } from '#test/support/start-idp.ts';

describe('a running hook', function () {
  this.timeout(60_000);
  let scratch: string;
  let hook: LingeringHook;
  let running: ChildProcess | undefined;
  before(function () {
    if (process.platform === 'linux') return;
    process.stderr.write('skipped: the state of a process is read from /proc, which only Linux has\n');
    this.skip();
  });
  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'test-idp-lingering-'));
    hook = lingeringHook(join(scratch, 'trace'));
  });
  afterEach(async () => {
    if (running?.exitCode === null && running.signalCode === null) {
      running.kill('SIGKILL');
      await once(running, 'exit');
    }
    running = undefined;
    rmSync(scratch, { recursive: true, force: true });
  });

  /** A program whose on_before_load does not end. */
  function loading(command: string): ChildProcess {
    const directory = join(scratch, 'config');
    mkdirSync(directory);
    writeFileSync(
      join(directory, 'settings.yaml'),
      stringify({ hooks: { on_before_load: hook.command, timeout_seconds: 600 } }),
    );
    const args = [cliPath, command, '--config-dir', directory];
    running = spawn(process.execPath, command === 'mcp' ? args : [...args, '--port', '0'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    return running;
  }

  for (const [command, signal] of [
    ['start', 'SIGTERM'],
    ['start', 'SIGINT'],
    ['oidc', 'SIGTERM'],
    ['mcp', 'SIGINT'],
  ] as const) {
    it(`before the start ends with ${signal} to ${command}`, async () => {
      const program = loading(command);
      const pids = await hook.started();
      const ended = once(program, 'exit');
      program.kill(signal);
      expect(await ended).to.deep.equal([0, null]);
      await allEnded(pids);
    });
  }

  for (const command of ['start', 'oidc'] as const) {
    it(`for an audit event ends when ${command} is stopped at once`, async () => {
      const settings = { hooks: { on_audit_event: hook.command, timeout_seconds: 600 } };
      const idp = await startIdp({ command, settings });
      try {
        await fetch(`${idp.baseUrl}/token`, { method: 'POST' });
        const pids = await hook.started();
        process.kill(idp.pid, 'SIGTERM');
        process.kill(idp.pid, 'SIGINT');
        expect(await idp.exited).to.equal(1);
        await allEnded(pids);
      } finally {
        await idp.stop();
      }
    });
  }
});
