// The MCP server on standard input and output: malformed frames, output of plugins, and an editor that disconnects.
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { newConfigRoot, startMcp } from '#test/support/mcp-client.ts';
import { RawMcpServer } from '#test/support/raw-mcp-server.ts';
import { cliPath } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

describe('the MCP server of an editor', function () {
  this.timeout(60_000);

  verifies(
    'MCP-01',
    'ends with exit code 0 when the editor closes the pipe, and prints nothing but the protocol',
    async () => {
      const server = await new RawMcpServer().start();
      expect((await server.call('list_users', {})).count).to.equal(2);
      expect(await server.stop()).to.equal(0);
      expect(server.notProtocol).to.deep.equal([]);
    },
  );

  verifies('MCP-01', 'keeps output of a plugin off standard output', async () => {
    const plugin =
      'console.log("plugin speaks"); process.stdout.write("and again\\n"); export default { hook_api_version: 1 };';
    const made = newConfigRoot({ settings: { ...demoSettings, plugins: { './plugin.mjs': {} } } });
    writeFileSync(join(made.configDirectory, 'plugin.mjs'), plugin);
    const child = spawn(process.execPath, [cliPath, 'mcp', '--config-dir', made.configDirectory], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let out = '';
    let log = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString('utf8');
    });
    child.stdin.end();
    const code = await new Promise((resolve) => child.once('close', resolve));
    rmSync(made.root, { recursive: true, force: true });
    expect([code, out]).to.deep.equal([0, '']);
    expect(log).to.include('plugin speaks').and.include('and again');
  });

  it('continues after malformed frames', async () => {
    const server = await new RawMcpServer().start();
    server.write('{\n\nnot json\n[]\n{"jsonrpc":"1.0"}\n{"jsonrpc":"2.0","method":7}\n\u0000\n');
    expect((await server.call('list_users', {})).count).to.equal(2);
    expect(await server.stop()).to.equal(0);
    expect(server.notProtocol).to.deep.equal([]);
  });

  verifies('MCP-12', 'rejects only tools that change something with --readonly or IDP_MCP_READONLY', async () => {
    const started = [
      startMcp({ args: ['--readonly'] }),
      ...['true', 'YES', '1'].map((value) => startMcp({ env: { IDP_MCP_READONLY: value } })),
    ];
    for (const server of await Promise.all(started)) {
      const mutating = {
        create_user: { username: 'x', password: 'p' },
        create_persona_user: {},
        update_user: {},
        delete_user: {},
        generate_token: { username: 'alice' },
        create_client: {},
        update_client: {},
        delete_client: {},
        update_settings: { audience: 'x' },
        save_config: {},
        clear_audit_log: {},
        rotate_keys: {},
      };
      for (const [name, args] of Object.entries(mutating)) {
        const { isError, result } = await server.call(name, args);
        expect(isError).to.equal(true);
        expect(Object.keys(result)).to.deep.equal(['error', 'code', 'tool']);
        expect(result).to.include({ code: 'MCP_READONLY_MODE', tool: name });
      }
      await server.ok('list_users');
      await server.ok('reload_config');
      await server.ok('validate_config');
      await server.stop();
    }
    const writable = await startMcp({ env: { IDP_MCP_READONLY: 'no' } });
    await writable.ok('update_settings', { audience: 'x' });
    expect(writable.log()).not.to.contain('IDP_MCP_READONLY');
    await writable.stop();
    const mistaken = await startMcp({ env: { IDP_MCP_READONLY: 'on' } });
    await mistaken.ok('update_settings', { audience: 'x' });
    expect(mistaken.log()).to.contain('IDP_MCP_READONLY has an unknown value');
    await mistaken.stop();
  });

  verifies(
    'MCP-13',
    'requires the management secret for tools that change something, from the file or the environment',
    async () => {
      const fromFile = startMcp({ settings: { ...demoSettings, management_secret: 's3cret' } });
      const fromEnvironment = startMcp({ env: { IDP_MANAGEMENT_SECRET: 's3cret' } });
      for (const server of await Promise.all([fromFile, fromEnvironment])) {
        for (const admin_secret of [undefined, 'wrong']) {
          const args = { username: 'x', password: 'p', ...(admin_secret === undefined ? {} : { admin_secret }) };
          const { result } = await server.call('create_user', args);
          expect(result).to.include({ code: 'MCP_ADMIN_SECRET_REQUIRED', tool: 'create_user' });
          expect(JSON.stringify(result)).not.to.include('s3cret');
        }
        await server.ok('list_users');
        await server.ok('create_user', { username: 'x', password: 'p', admin_secret: 's3cret' });
        expect(JSON.stringify(await server.client.listTools())).not.to.include('admin_secret');
        expect(JSON.stringify(await server.ok('get_audit_log'))).not.to.include('s3cret');
        await server.stop();
      }
    },
  );

  verifies(
    ['MCP-10', 'MCP-06', 'MCP-07'],
    'loads edited files with the shared store, unless it has unsaved changes',
    async () => {
      const shared = { ...demoSettings, runtime: { store: 'sqlite', path: '../state/runtime.db' } };
      const server = await startMcp({ settings: shared });
      const first = await server.ok('list_users');
      server.write('users.yaml', { users: { carol: { password: 'c' } } });
      const second = await server.ok('list_users');
      expect([second.count, second.users_revision === first.users_revision]).to.deep.equal([1, false]);
      await server.ok('create_user', { username: 'dave', password: 'd' });
      server.write('users.yaml', { users: { erin: { password: 'e' } } });
      const third = await server.ok('list_users');
      expect([third.count, third.users_revision]).to.deep.equal([2, second.users_revision]);
      expect((await server.call('save_config', { expected_users_revision: second.users_revision })).result).to.include({
        kind: 'conflict',
      });
      await server.ok('reload_config');
      expect((await server.ok('get_user', { username: 'erin' })).found).to.equal(true);
      await server.stop();
    },
  );
});
