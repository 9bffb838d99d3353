// Standard input and output at their limits: huge arguments, a thousand simultaneous calls, and messages that are not for
// this server. The editor closes its pipe, reads slowly or not at all, disconnects during a save, cancels, initializes
// twice, or speaks another version of the protocol.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { systemStopwatch } from '#shared/base/clock.ts';
import { acquireDirectoryLock } from '#shared/base/locking/directory-lock.ts';
import { RawMcpServer, type RawMessage } from '#test/support/raw-mcp-server.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(10);
}

const errorOf = ({ error }: RawMessage) => error as { readonly code: number; readonly message: string } | undefined;

describe('the MCP server of an editor at its limits', () => {
  const started: RawMcpServer[] = [];
  const startServer = (...options: ConstructorParameters<typeof RawMcpServer>) => {
    const server = new RawMcpServer(...options);
    started.push(server);
    return server;
  };
  afterEach(() => {
    for (const server of started.splice(0)) {
      server.child.kill('SIGKILL');
      server.remove();
    }
  });

  for (const reading of [true, false]) {
    verifies(
      'SUP-09',
      `answers every request before the pipe closed, to a reader that ${reading ? 'reads continuously' : 'starts late'}`,
      async () => {
        const server = startServer({}, { reading });
        void server.initialize('2025-06-18');
        for (let n = 0; n < 2000; n += 1) void server.request('tools/call', { name: 'list_users', arguments: {} });
        void server.request('tools/call', { name: 'create_user', arguments: { username: 'carol', password: 'p' } });
        void server.request('tools/call', { name: 'save_config', arguments: {} });
        server.child.stdin?.end();
        if (!reading) {
          // By now the responses exceed the pipe several times.
          await until(() => server.file('users.yaml').includes('carol'));
          server.read();
        }
        expect(await server.exited).to.equal(0);
        expect(server.answered.size).to.equal(2003);
        expect(server.notProtocol).to.deep.equal([]);
      },
    );
  }

  it('ends with exit code 0 when the editor stops reading', async () => {
    const server = await startServer().start();
    server.child.stdout?.destroy();
    void server.request('tools/list', {});
    void server.request('tools/list', {});
    expect(await server.exited).to.equal(0);
    expect(server.log).not.to.include('EPIPE');
  });

  it('ends for a message without an end', async () => {
    const server = await startServer().start();
    server.write('x'.repeat(17 * 1024 * 1024));
    expect(await server.exited).to.equal(0);
    expect(server.log).to.include('more than 16777216 bytes');
  });

  it('can be initialized again in any supported version, otherwise in its newest', async () => {
    const server = await startServer().start();
    for (const [asked, answered] of [
      ['2025-06-18', '2025-06-18'],
      ['2025-11-25', '2025-11-25'],
      ['2024-11-05', '2024-11-05'],
      ['1999-01-01', '2025-11-25'],
    ] as const) {
      const { result } = await server.initialize(asked);
      expect(result, asked).to.deep.include({ protocolVersion: answered });
    }
    expect((await server.call('list_users', {})).count).to.equal(2);
    expect(await server.stop()).to.equal(0);
  });

  it('rejects unsupported methods and malformed calls as the protocol specifies', async () => {
    const server = await startServer().start();
    expect((await server.request('ping', {})).result).to.deep.equal({});
    expect(errorOf(await server.request('resources/list', {}))?.code).to.equal(-32601);
    for (const params of [
      {},
      { name: 7 },
      { name: 'list_users', arguments: [] },
      { name: 'list_users', arguments: 'x' },
    ]) {
      const error = errorOf(await server.request('tools/call', params));
      expect(error?.code, JSON.stringify(params)).to.equal(-32602);
      expect(error?.message).to.match(/name|arguments/);
    }
    // A batch is not a message over this transport. The next message is answered.
    server.write('[{"jsonrpc":"2.0","id":99,"method":"ping"}]\n');
    expect((await server.call('list_users', {})).count).to.equal(2);
    expect(server.answered.has(99)).to.equal(false);
    expect(await server.stop()).to.equal(0);
    expect(server.notProtocol).to.deep.equal([]);
  });

  it('does not answer a cancelled call, and leaves complete files whether or not it had started', async () => {
    const server = await startServer().start();
    await server.call('create_user', { username: 'carol', password: 'p' });
    const lock = await acquireDirectoryLock(server.configDirectory, { stopwatch: systemStopwatch });
    const id = server.nextId;
    void server.request('tools/call', { name: 'save_config', arguments: {} });
    server.notify('notifications/cancelled', { requestId: id, reason: 'changed my mind' });
    await server.request('ping', {});
    await lock.release();
    await until(() => server.file('users.yaml').includes('carol'));
    expect((await server.call('save_config', {})).success).to.equal(true);
    expect(Object.keys(parse(server.file('users.yaml')).users)).to.deep.equal(['alice', 'bob', 'carol']);
    expect(server.answered.has(id)).to.equal(false);
    expect(await server.stop()).to.equal(0);
  });

  it('reports the progress of a waiting save to a client that requested it', async () => {
    const hook = 'while test ! -e {config_dir}/../go-on; do sleep 0.05; done';
    const server = startServer({
      settings: { ...demoSettings, hooks: { on_config_saved: hook, timeout_seconds: 30 } },
    });
    await server.start();
    await server.call('create_user', { username: 'carol', password: 'p' });
    const call = (token: object) => server.request('tools/call', { name: 'save_config', arguments: {}, ...token });
    const quiet = call({});
    const withProgress = call({ _meta: { progressToken: 'save-1' } });
    await until(() => server.notifications.length >= 2);
    writeFileSync(join(server.root, 'go-on'), '');
    await Promise.all([quiet, withProgress]);
    const reports = server.notifications.map(({ method, params }) => ({ method, params }));
    for (const [index, report] of reports.entries()) {
      expect(report).to.deep.equal({
        method: 'notifications/progress',
        params: {
          progressToken: 'save-1',
          progress: index + 1,
          message: `Still running after ${index + 1} s, possibly waiting for the lock of the configuration directory or the on_config_saved hooks.`,
        },
      });
    }
    const before = server.notifications.length;
    expect(await server.stop()).to.equal(0);
    expect(server.notifications.length).to.equal(before);
    expect(server.notProtocol).to.deep.equal([]);
  });

  it('accepts arguments of 10 MB', async () => {
    const server = await new RawMcpServer().start();
    const attributes = { text: 'x'.repeat(10 * 1024 * 1024) };
    expect((await server.call('create_user', { username: 'big', password: 'p', attributes })).success).to.equal(true);
    expect((await server.call('get_user', { username: '' })).code).to.equal('MCP_INVALID_ARGUMENTS');
    expect(await server.stop()).to.equal(0);
  });

  it('answers a thousand simultaneous calls', async () => {
    const server = await new RawMcpServer().start();
    const calls = Array.from({ length: 1000 }, (_, n) =>
      server.call('create_user', { username: `user-${n % 500}`, password: 'p' }),
    );
    const created = (await Promise.all(calls)).filter((answer) => answer.success === true);
    expect(created).to.have.length(500);
    expect((await server.call('list_users', {})).count).to.equal(502);
    expect(await server.stop()).to.equal(0);
    expect(server.notProtocol).to.deep.equal([]);
  });

  it('finishes a save that the editor did not wait for, and leaves complete files when it is killed during one', async () => {
    for (const how of ['closes', 'kills'] as const) {
      const server = await new RawMcpServer().start();
      for (let n = 0; n < 50; n += 1) await server.call('create_user', { username: `user-${n}`, password: 'p' });
      void server.request('tools/call', { name: 'save_config', arguments: {} });
      if (how === 'kills') {
        server.child.kill('SIGKILL');
        await server.exited;
        expect([2, 52]).to.include(Object.keys(parse(server.file('users.yaml')).users).length);
        rmSync(server.root, { recursive: true, force: true });
        continue;
      }
      server.child.stdin?.end();
      expect(await server.exited).to.equal(0);
      expect(Object.keys(parse(server.file('users.yaml')).users)).to.have.length(52);
      rmSync(server.root, { recursive: true, force: true });
    }
  });
});
