// Standard input and output at their limits: huge arguments, a thousand calls at once, an editor that closes its pipe, reads
// slowly, does not read at all, goes away in the middle of a save, cancels, begins twice, speaks another version of the
// protocol, or sends what is not for this server.
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

describe('the MCP server of an editor, at its limits', () => {
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
      `answers all it was asked before the pipe was closed, to a reader that ${reading ? 'reads along' : 'begins late'}`,
      async () => {
        const server = startServer({}, { reading });
        void server.initialize('2025-06-18');
        for (let n = 0; n < 2000; n += 1) void server.request('tools/call', { name: 'list_users', arguments: {} });
        void server.request('tools/call', { name: 'create_user', arguments: { username: 'carol', password: 'p' } });
        void server.request('tools/call', { name: 'save_config', arguments: {} });
        server.child.stdin?.end();
        if (!reading) {
          // By now the answers fill the pipe several times over.
          await until(() => server.file('users.yaml').includes('carol'));
          server.read();
        }
        expect(await server.exited).to.equal(0);
        expect(server.answered.size).to.equal(2003);
        expect(server.notProtocol).to.deep.equal([]);
      },
    );
  }

  it('ends with exit code 0 when nobody reads its answers any more', async () => {
    const server = await startServer().start();
    server.child.stdout?.destroy();
    void server.request('tools/list', {});
    void server.request('tools/list', {});
    expect(await server.exited).to.equal(0);
    expect(server.log).not.to.include('EPIPE');
  });

  it('ends when a message has no end', async () => {
    const server = await startServer().start();
    server.write('x'.repeat(17 * 1024 * 1024));
    expect(await server.exited).to.equal(0);
    expect(server.log).to.include('more than 16777216 bytes');
  });

  it('is initialized again when asked again, in whatever version both know, else in its newest', async () => {
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

  it('refuses what it does not offer, and calls without a form, as the protocol does', async () => {
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
    // A batch is no message over this transport; what follows is answered.
    server.write('[{"jsonrpc":"2.0","id":99,"method":"ping"}]\n');
    expect((await server.call('list_users', {})).count).to.equal(2);
    expect(server.answered.has(99)).to.equal(false);
    expect(await server.stop()).to.equal(0);
    expect(server.notProtocol).to.deep.equal([]);
  });

  it('does not answer a cancelled call, and leaves whole files whether or not it was under way', async () => {
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

  it('tells who asked for it that a save waits, until it is done', async () => {
    const hook = 'while test ! -e {config_dir}/../go-on; do sleep 0.05; done';
    const server = startServer({
      settings: { ...demoSettings, hooks: { on_config_saved: hook, timeout_seconds: 30 } },
    });
    await server.start();
    await server.call('create_user', { username: 'carol', password: 'p' });
    const call = (token: object) => server.request('tools/call', { name: 'save_config', arguments: {}, ...token });
    const quiet = call({});
    const told = call({ _meta: { progressToken: 'save-1' } });
    await until(() => server.notifications.length >= 2);
    writeFileSync(join(server.root, 'go-on'), '');
    await Promise.all([quiet, told]);
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

  it('takes arguments of 10 MB', async () => {
    const server = await new RawMcpServer().start();
    const attributes = { text: 'x'.repeat(10 * 1024 * 1024) };
    expect((await server.call('create_user', { username: 'big', password: 'p', attributes })).success).to.equal(true);
    expect((await server.call('get_user', { username: '' })).code).to.equal('MCP_INVALID_ARGUMENTS');
    expect(await server.stop()).to.equal(0);
  });

  it('answers a thousand calls in flight', async () => {
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

  it('finishes a save that the editor did not wait for, and leaves whole files when it is killed in one', async () => {
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
