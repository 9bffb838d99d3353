// An editor is killed while its child, the MCP server, waits for the lock of the directory to save. The server finishes the
// save, leaves complete files and ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { systemStopwatch } from '#shared/base/clock.ts';
import { acquireDirectoryLock } from '#shared/base/locking/directory-lock.ts';
import { newConfigRoot } from '#test/support/mcp-client.ts';
import { cliPath } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

/** Prints the pid of the server that it starts, and passes input and output through. */
const editorProgram = `
  const [cli, directory] = process.argv.slice(1);
  const { spawn } = require('node:child_process');
  const server = spawn(process.execPath, [cli, 'mcp', '--config-dir', directory], { stdio: ['pipe', 'pipe', 'ignore'] });
  process.stdout.write(server.pid + '\\n');
  process.stdin.pipe(server.stdin);
  server.stdout.pipe(process.stdout);
`;

class Editor {
  readonly process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(configDirectory: string) {
    this.process = spawn(process.execPath, ['-e', editorProgram, cliPath, configDirectory], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    if (this.process.stdout === null) throw new Error('standard output is not piped');
    this.#lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    return String((await this.#lines.next()).value);
  }

  send(id: number, method: string, params: object): void {
    this.process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  }

  async answerTo(id: number): Promise<string> {
    for (;;) {
      const line = await this.line();
      if (JSON.parse(line).id === id) return line;
    }
  }
}

/** Whether the process still runs. A zombie does not. */
function isAlive(pid: number): boolean {
  try {
    const [, afterName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    return !afterName.startsWith('Z');
  } catch {
    return false;
  }
}

describe('an editor that is killed during a save', () => {
  verifies(['MCP-41', 'WRT-13'], 'leaves the save finished, the files complete and no process behind', async () => {
    const { root, configDirectory, file } = newConfigRoot();
    const editor = new Editor(configDirectory);
    const server = Number(await editor.line());
    try {
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'editor', version: '1' } };
      editor.send(1, 'initialize', params);
      editor.send(2, 'tools/call', { name: 'create_user', arguments: { username: 'carol', password: 'p' } });
      expect(await editor.answerTo(2)).to.include('success');
      const lock = await acquireDirectoryLock(configDirectory, { stopwatch: systemStopwatch });
      editor.send(3, 'tools/call', { name: 'save_config', arguments: {} });
      editor.send(4, 'ping', {});
      await editor.answerTo(4);
      editor.process.kill('SIGKILL');
      await new Promise((resolve) => editor.process.once('exit', resolve));
      expect([isAlive(server), file('users.yaml').includes('carol')]).to.deep.equal([true, false]);
      await lock.release();
      while (isAlive(server)) await pause(20);
      expect(Object.keys(parse(file('users.yaml')).users)).to.deep.equal(['alice', 'bob', 'carol']);
    } finally {
      editor.process.kill('SIGKILL');
      if (isAlive(server)) process.kill(server, 'SIGKILL');
      rmSync(root, { recursive: true, force: true });
    }
  });
});
