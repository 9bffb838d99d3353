// Starting without files: the embedded configuration runs, uses the port that is bound, cannot be changed, and leaves
// nothing behind (PKG-13 to PKG-17).
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { BrowserClient } from '#test/support/browser-client.ts';
import { basic, claimsOf, postForm } from '#test/support/http.ts';
import { connect } from '#test/support/mcp-client.ts';
import { stackDirectoryOf } from '#test/support/stack.ts';
import { cliPath, type SpawnedIdp, spawnIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { postForm as submitForm } from '#test/support/web-ui.ts';
import { isGone } from '#test/support/with-stack.ts';

const remark = /running without configuration files, in memory/;
const remedy = /`test-idp init my-idp`.*`--config-dir my-idp`/;

describe('the embedded configuration', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-empty-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const startEmbedded = (...args: string[]) => spawnIdp([...args, '--port', '0'], { cwd: directory });

  function expectOneInfoLine(log: string): void {
    const lines = log.split('\n').filter((line) => line !== '');
    expect(lines.filter((line) => remark.test(line))).to.have.length(1);
    expect(lines.filter((line) => Number(JSON.parse(line).level) > 30)).to.deep.equal([]);
  }

  for (const command of ['start', 'oidc']) {
    verifies(['PKG-13', 'PKG-15'], `runs with ${command}, with the bound port in its addresses`, async () => {
      const idp = await startEmbedded(command);
      try {
        const discovery = await (await fetch(`${idp.baseUrl}/.well-known/openid-configuration`)).json();
        expect(discovery.issuer).to.equal(idp.baseUrl);
        const form = { grant_type: 'password', username: 'admin', password: 'admin', scope: 'openid' };
        const answer = await postForm(discovery.token_endpoint, form, {
          Authorization: basic('demo-client', 'demo-secret'),
        });
        const tokens = await answer.json();
        expect(claimsOf(tokens.access_token)).to.include({ iss: idp.baseUrl, sub: 'admin' });
        expect(claimsOf(tokens.id_token)).to.include({ iss: idp.baseUrl });
      } finally {
        await idp.stop();
      }
      expectOneInfoLine(idp.log());
    });
  }

  for (const command of ['start', 'saml']) {
    verifies(['PKG-13', 'PKG-15'], `serves SAML metadata with the bound port with ${command}`, async () => {
      const idp = await startEmbedded(command);
      try {
        const metadata = await (await fetch(`${idp.baseUrl}/saml/metadata`)).text();
        expect(metadata).to.include(`entityID="${idp.baseUrl}/saml"`);
        expect(metadata).to.include(`Location="${idp.baseUrl}/saml/sso"`);
      } finally {
        await idp.stop();
      }
      expectOneInfoLine(idp.log());
    });
  }

  verifies(['PKG-13', 'PKG-17'], 'runs with mcp, whose save_config has nowhere to write', async () => {
    const args = [cliPath, 'mcp'];
    const transport = new StdioClientTransport({ command: process.execPath, args, cwd: directory, stderr: 'ignore' });
    const mcp = await connect(transport);
    try {
      // A server would not know the key of tokens from these tools.
      expect(mcp.client.getInstructions())
        .to.match(remedy)
        .and.include('no running server can verify its tokens')
        .and.not.include('keys of the running server');
      expect(await mcp.ok('list_users')).to.deep.include({ count: 1 });
      const { users_revision, settings_revision } = await mcp.ok('reload_config');
      for (const [tool, given] of [
        ['save_config', { expected_users_revision: users_revision, expected_settings_revision: settings_revision }],
        ['validate_config', {}],
      ] as const) {
        const { isError, result } = await mcp.call(tool, given);
        expect(isError).to.equal(true);
        expect(result).to.include({ kind: 'no_configuration_directory' });
        expect(result.error).to.match(remedy);
      }
    } finally {
      await mcp.close();
    }
    expect(readdirSync(directory)).to.deep.equal([]);
  });

  verifies('PKG-13', 'is overridden by ./config and by IDP_CONFIG_DIR', async () => {
    mkdirSync(join(directory, 'config'));
    writeFileSync(join(directory, 'config', 'users.yaml'), 'users: {eve: {password: eve}}');
    for (const options of [
      { cwd: directory, env: { IDP_CONFIG_DIR: undefined } },
      { cwd: tmpdir(), env: { IDP_CONFIG_DIR: join(directory, 'config') } },
    ]) {
      const idp = await spawnIdp(['oidc', '--port', '0'], options);
      try {
        expect(await (await fetch(`${idp.baseUrl}/api/users`)).json()).to.nested.include({
          'users[0].username': 'eve',
        });
        expect(idp.log()).not.to.match(remark);
        // A file that is missing in an existing directory causes a warning with its whole path.
        expect(idp.log()).to.include(join(directory, 'config', 'settings.yaml is missing'));
      } finally {
        await idp.stop();
      }
    }
  });

  verifies('PKG-14', 'does not replace a directory that was named but is missing', () => {
    const missing = join(directory, 'nowhere');
    const named = [
      { args: ['--config-dir', missing], env: process.env },
      { args: ['--config', missing], env: process.env },
      { args: [], env: { ...process.env, IDP_CONFIG_DIR: missing } },
    ];
    for (const command of ['start', 'oidc', 'saml', 'mcp']) {
      for (const { args, env } of named) {
        const { status, stderr } = spawnSync(process.execPath, [cliPath, command, ...args], {
          cwd: directory,
          env,
          encoding: 'utf8',
          timeout: 30_000,
        });
        expect(status, command).to.equal(1);
        expect(stderr).to.include(`${missing} does not exist. Name the configuration directory with --config-dir`);
      }
    }
  });

  verifies('PKG-14', 'does not replace a ./config that is not a directory', () => {
    writeFileSync(join(directory, 'config'), '');
    const { status, stderr } = spawnSync(process.execPath, [cliPath, 'oidc'], {
      cwd: directory,
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect([status, stderr.includes(`${join(directory, 'config')} is not a directory`)]).to.deep.equal([1, true]);
  });

  for (const command of ['start', 'oidc', 'saml']) {
    verifies('PKG-16', `writes nothing where ${command} was started, and leaves nothing behind`, async () => {
      // As a user who can write only to the temporary directory and has no home.
      const temporary = join(directory, 'tmp');
      const here = join(directory, 'here');
      for (const path of [temporary, here]) mkdirSync(path);
      chmodSync(directory, 0o755);
      chmodSync(here, 0o555);
      const uid = process.getuid?.() === 0 ? 65_534 : undefined;
      if (uid !== undefined) chownSync(temporary, uid, uid);
      const env = { HOME: '/nonexistent', TMPDIR: temporary, XDG_CACHE_HOME: undefined };
      const idp = await spawnIdp([command, '--port', '0'], { cwd: here, env, uid });
      const own = stackDirectoryOf(idp.pid);
      expect(own !== undefined).to.equal(command === 'start');
      try {
        if (command !== 'saml') await expectRotation(idp);
      } finally {
        expect(await idp.stop()).to.equal(0);
      }
      expect([readdirSync(here), readdirSync(temporary)]).to.deep.equal([[], []]);
      if (own !== undefined) expect(isGone(own)).to.equal(true);
    });
  }

  verifies(
    'PKG-17',
    'rejects everything that would write it, with the remedy, and reloads without a change',
    async () => {
      const idp = await startEmbedded('start');
      try {
        const api = `${idp.baseUrl}/api`;
        const headers = { 'Content-Type': 'application/json' };
        const body = JSON.stringify({ username: 'temporary', password: 'temporary' });
        expect((await fetch(`${api}/runtime/users`, { method: 'POST', headers, body })).status).to.equal(201);
        const promotion = await fetch(`${api}/runtime/users/temporary/promote`, { method: 'POST' });
        expect(promotion.status).to.equal(409);
        const refused = await promotion.json();
        expect(refused).to.include({ kind: 'no_configuration_directory' });
        expect(refused.error).to.match(remedy);
        // Unchanged, and not half promoted.
        expect((await fetch(`${api}/runtime/users/temporary`)).status).to.equal(200);

        const browser = new BrowserClient(idp.baseUrl);
        const fields = { username: 'somebody', password: 'somebody' };
        const page = await submitForm(browser, '/users/create', fields);
        expect(page.status, page.text).to.equal(409);
        expect(page.text).to.include('test-idp init my-idp').and.to.include('Nothing was written.');

        const reload = await fetch(`${api}/config/reload`, { method: 'POST' });
        expect([reload.status, await reload.json()]).to.deep.equal([200, { status: 'reloaded', users_count: 1 }]);
        expect((await fetch(`${api}/runtime/users/temporary`)).status).to.equal(200);
      } finally {
        await idp.stop();
      }
    },
  );
});

/** Keys in memory rotate like those in a directory. */
async function expectRotation({ baseUrl }: SpawnedIdp): Promise<void> {
  const kids = async () =>
    (await (await fetch(`${baseUrl}/.well-known/jwks.json`)).json()).keys.map(({ kid }: { kid: string }) => kid);
  const [first] = await kids();
  const rotation = await (await fetch(`${baseUrl}/api/keys/rotate`, { method: 'POST' })).json();
  expect(rotation).to.include({ success: true, old_kid: first, previous_keys_count: 1 });
  expect(await kids()).to.deep.equal([rotation.new_kid, first]);
}
