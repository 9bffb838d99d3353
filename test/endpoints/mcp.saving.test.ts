// Saving and reloading the copy: revisions, conflicts, files that would not load, and concurrent edits.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { newConfigRoot, type StdioMcp, startMcp } from '#test/support/mcp-client.ts';
import { verifies } from '#test/support/verifies.ts';

const settings = `# who we are
oauth:
  issuer: "http://127.0.0.1:8000" # fixed
  audience: \${AUDIENCE:the-api}
  clients:
    - client_id: web
      client_secret: web-secret
`;
const users = `users:
  # the first one
  alice:
    password: wonderland
`;

describe('save_config, reload_config and validate_config', () => {
  let mcp: StdioMcp;
  before(async () => {
    mcp = await startMcp({ settings, users });
  });
  after(() => mcp.stop());
  beforeEach(async () => {
    mcp.write('settings.yaml', settings);
    mcp.write('users.yaml', users);
    await mcp.ok('reload_config');
  });

  const names = async () => {
    const { users: listed } = await mcp.ok('list_users');
    return Array.isArray(listed) ? listed.map((user) => user.username) : [];
  };
  const onDisk = () => Object.keys(parse(mcp.file('users.yaml')).users);

  verifies(['MCP-41', 'MCP-05'], 'write the whole copy, and only on save', async () => {
    await mcp.ok('create_user', { username: 'bob', password: 'builder' });
    await mcp.ok('create_client', { client_id: 'api', client_secret: 's', scope: 'openid' });
    await mcp.ok('update_settings', { token_expiry_minutes: 5 });
    expect(mcp.file('users.yaml')).to.equal(users);
    expect(mcp.file('settings.yaml')).to.equal(settings);

    const saved = await mcp.ok('save_config');
    expect(Object.keys(saved)).to.deep.equal(['success', 'message', 'users_revision', 'settings_revision']);
    const { createHash } = await import('node:crypto');
    const revisionOf = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(saved.users_revision).to.equal(revisionOf(mcp.file('users.yaml')));
    expect(saved.settings_revision).to.equal(revisionOf(mcp.file('settings.yaml')));
    expect(parse(mcp.file('users.yaml')).users.bob.password).to.equal('builder');
    const written = mcp.file('settings.yaml');
    expect(parse(written).oauth.clients[1]).to.include({ client_id: 'api', scope: 'openid' });
    expect(parse(written).oauth.token_expiry_minutes).to.equal(5);
    expect(written).to.include('# who we are').and.include('# fixed').and.include(`\${AUDIENCE:the-api}`);
    expect(mcp.file('users.yaml')).to.include('# the first one');
    expect(await mcp.ok('list_users')).to.include({ count: 2, users_revision: saved.users_revision });
    expect(await mcp.ok('save_config')).to.include({ users_revision: saved.users_revision });
  });

  it('write nothing without a change', async () => {
    await mcp.ok('save_config');
    expect(mcp.file('users.yaml')).to.equal(users);
    expect(mcp.file('settings.yaml')).to.equal(settings);
  });

  verifies('MCP-42', 'overwrite changes of other editors if no revision is given', async () => {
    await mcp.ok('create_user', { username: 'bob', password: 'b' });
    mcp.write('users.yaml', 'users:\n  carol:\n    password: c\n');
    mcp.write(
      'settings.yaml',
      settings.replace('web-secret', 'changed').replace('    - client_id: web', '    - client_id: web2'),
    );
    await mcp.ok('save_config');
    expect(onDisk().sort()).to.deep.equal(['alice', 'bob']);
    const { clients } = parse(mcp.file('settings.yaml')).oauth;
    expect(clients.map((client: { client_id: string }) => client.client_id)).to.deep.equal(['web']);
    expect(clients[0].client_secret).to.equal('web-secret');
  });

  verifies(['MCP-42', 'MCP-41', 'WRT-14'], 'overwrite a missing or invalid file if no revision is given', async () => {
    const { users_revision: usersRevision } = await mcp.ok('list_users');
    await mcp.ok('create_user', { username: 'bob', password: 'b' });
    const broken = 'users: [';
    for (const damage of [
      () => mcp.write('users.yaml', broken),
      () => rmSync(join(mcp.configDirectory, 'users.yaml')),
      () => mcp.write('settings.yaml', 'oauth: {issuer: 7}\n'),
    ]) {
      damage();
      const checked = await mcp.call('save_config', { expected_users_revision: usersRevision });
      expect(checked.isError).to.equal(true);
      await mcp.ok('save_config');
      expect(onDisk().sort()).to.deep.equal(['alice', 'bob']);
      expect(mcp.file('users.yaml')).to.include('# the first one');
      expect(mcp.file('settings.yaml')).to.equal(settings);
      expect(await names()).to.deep.equal(['alice', 'bob']);
    }
    expect(readFileSync(join(mcp.configDirectory, 'settings.yaml.bak'), 'utf8')).to.equal('oauth: {issuer: 7}\n');
    expect((await mcp.ok('reload_config')).success).to.equal(true);
  });

  verifies(
    ['MCP-42', 'MCP-43'],
    'check both files if either revision is given, the other one against what was loaded',
    async () => {
      const { users_revision: usersRevision } = await mcp.ok('list_users');
      const { settings_revision: settingsRevision } = await mcp.ok('get_settings');
      await mcp.ok('create_user', { username: 'bob', password: 'b' });
      const edited = settings.replace('web-secret', 'changed');
      mcp.write('settings.yaml', edited);
      const refusals = [
        { expected_users_revision: usersRevision },
        { expected_settings_revision: settingsRevision },
        { expected_settings_revision: '' },
        { expected_users_revision: '' },
        { expected_users_revision: usersRevision, expected_settings_revision: settingsRevision },
      ];
      for (const args of refusals) {
        const { isError, result } = await mcp.call('save_config', args);
        expect(isError).to.equal(true);
        expect(Object.keys(result)).to.deep.equal(['success', 'error', 'kind']);
        expect(result).to.include({ success: false, kind: 'conflict' });
      }
      expect(mcp.file('users.yaml')).to.equal(users);
      expect(mcp.file('settings.yaml')).to.equal(edited);
      // The unsaved change remains. The way out works: reload, apply again, save with the new revisions.
      expect(await names()).to.deep.equal(['alice', 'bob']);
      const fresh = await mcp.ok('reload_config');
      await mcp.ok('create_user', { username: 'bob', password: 'b' });
      await mcp.ok('save_config', {
        expected_users_revision: fresh.users_revision,
        expected_settings_revision: fresh.settings_revision,
      });
      expect(onDisk()).to.deep.equal(['alice', 'bob']);
      expect(mcp.file('settings.yaml')).to.equal(edited);
    },
  );

  verifies('MCP-42', 'accept the revisions of one save for the next', async () => {
    await mcp.ok('create_user', { username: 'bob', password: 'b' });
    const first = await mcp.ok('save_config');
    await mcp.ok('delete_user', { username: 'bob' });
    await mcp.ok('save_config', { expected_users_revision: first.users_revision });
    expect(onDisk()).to.deep.equal(['alice']);
    const stale = await mcp.call('save_config', { expected_users_revision: first.users_revision });
    expect(stale.result).to.include({ kind: 'conflict' });
  });

  verifies(['MCP-44', 'MCP-36'], 'reject a copy that would not load, naming file and key', async () => {
    await mcp.ok('create_user', { username: 'bob', password: 'b' });
    await mcp.ok('update_settings', { issuer: 'not a url' });
    const { isError, result } = await mcp.call('save_config');
    expect(isError).to.equal(true);
    expect(result).to.include({ success: false, kind: 'unloadable' });
    expect(result.error).to.include('settings.yaml').and.include('oauth.issuer').and.not.include('not a url');
    expect(mcp.file('users.yaml')).to.equal(users);
    expect(mcp.file('settings.yaml')).to.equal(settings);
    await mcp.ok('update_settings', { issuer: 'http://127.0.0.1:8000' });
    await mcp.ok('save_config');
    expect(onDisk()).to.deep.equal(['alice', 'bob']);
  });

  verifies('MCP-45', 'report that both files are written if only the strict hook failed', async () => {
    mcp.write('settings.yaml', `${settings}hooks:\n  on_config_saved: "false"\n  strict: true\n`);
    await mcp.ok('reload_config');
    await mcp.ok('create_user', { username: 'bob', password: 'b' });
    const { isError, result } = await mcp.call('save_config');
    expect(isError).to.equal(true);
    expect(result).to.include({ success: false, kind: 'on_config_saved' });
    expect(onDisk()).to.deep.equal(['alice', 'bob']);
    expect(await names()).to.deep.equal(['alice', 'bob']);
  });

  verifies('MCP-45', 'report that both files are written if only the activation failed', async () => {
    // Only the activation notices a missing key pair, not the validation.
    await mcp.ok('create_user', { username: 'bob', password: 'b' });
    const external = '\njwt:\n  external_keys:\n    private_key: ../no.pem\n    public_key: ../no.pub\n';
    mcp.write('settings.yaml', settings + external);
    const { isError, result } = await mcp.call('save_config');
    expect(isError).to.equal(true);
    expect(result).to.include({ success: false, kind: 'reload_after_save' });
    expect(onDisk()).to.deep.equal(['alice', 'bob']);
    expect(mcp.file('settings.yaml')).to.include('external_keys');
    expect(await names()).to.deep.equal(['alice', 'bob']);
  });

  verifies('MCP-46', 'rebuild the copy from the files and drop every unsaved change', async () => {
    await mcp.ok('create_user', { username: 'bob', password: 'b' });
    await mcp.ok('update_settings', { audience: 'changed' });
    mcp.write('users.yaml', 'users:\n  carol:\n    password: c\n');
    const reloaded = await mcp.ok('reload_config');
    expect(Object.keys(reloaded)).to.deep.equal(['success', 'message', 'users_revision', 'settings_revision']);
    expect(await mcp.ok('list_users')).to.include({ count: 1, users_revision: reloaded.users_revision });
    expect(await mcp.ok('get_settings')).to.include({
      audience: 'the-api',
      settings_revision: reloaded.settings_revision,
    });
    expect(await names()).to.deep.equal(['carol']);
  });

  verifies('MCP-47', 'reject unusable files and keep the copy with its unsaved changes', async () => {
    await mcp.ok('create_user', { username: 'bob', password: 'b' });
    mcp.write('users.yaml', 'users: [');
    const invalid = await mcp.call('reload_config');
    expect(invalid.isError).to.equal(true);
    expect(Object.keys(invalid.result)).to.deep.equal(['success', 'error', 'kind']);
    expect(invalid.result).to.include({ success: false, kind: 'invalid' });
    mcp.write('users.yaml', users);
    mcp.write('settings.yaml', `${settings}jwt:\n  external_keys: { private_key: ../no.pem, public_key: ../no.pub }\n`);
    expect((await mcp.call('reload_config')).result).to.include({ success: false, kind: 'activation' });
    expect(await names()).to.deep.equal(['alice', 'bob']);
  });

  verifies(['MCP-48', 'HOK-13'], 'validate the files on disk, not the copy', async () => {
    await mcp.ok('update_settings', { issuer: 'not a url' });
    expect(await mcp.ok('validate_config')).to.deep.equal({
      config_dir: mcp.configDirectory,
      config_validation: 'default',
      strict: false,
      status: 'valid',
      valid: true,
      findings: [],
    });
    mcp.write('settings.yaml', `${settings}unknown_key: 1\nhooks:\n  on_before_load: touch ${mcp.root}/hook-ran\n`);
    const lenient = await mcp.ok('validate_config');
    expect(lenient).to.include({ status: 'valid', valid: true });
    const [finding] = Array.isArray(lenient.findings) ? lenient.findings : [];
    expect(finding).to.include({ level: 'warning', file: 'settings.yaml' });
    expect(finding.message).to.include('unknown_key');
    const strict = await mcp.ok('validate_config', { strict: true });
    expect(strict).to.include({ status: 'invalid', valid: false, strict: true, config_validation: 'default' });
    mcp.write('settings.yaml', `config_validation: strict\n${settings}unknown_key: 1\n`);
    expect(await mcp.ok('validate_config')).to.include({
      status: 'invalid',
      strict: true,
      config_validation: 'strict',
    });
    expect(await mcp.ok('validate_config', { strict: false })).to.include({ status: 'valid', strict: false });
    const { existsSync } = await import('node:fs');
    expect(existsSync(join(mcp.root, 'hook-ran'))).to.equal(false);
  });

  verifies(['MCP-41', 'MCP-20'], 'write a client without its dropped secret, and remove cleared fields', async () => {
    await mcp.ok('update_client', { client_id: 'web', footer_color: '#102030' });
    await mcp.ok('create_client', {
      client_id: 'open',
      token_endpoint_auth_method: 'none',
      client_secret: 'dropped',
    });
    await mcp.ok('save_config');
    expect(mcp.file('settings.yaml')).to.include('#102030').and.not.include('dropped');
    await mcp.ok('update_client', { client_id: 'web', footer_color: '' });
    await mcp.ok('delete_client', { client_id: 'open' });
    await mcp.ok('save_config');
    expect(mcp.file('settings.yaml')).to.not.include('#102030').and.not.include('open');
    expect(parse(mcp.file('settings.yaml'))).to.deep.equal(parse(settings));
  });

  verifies('MCP-24', 'keep a TOTP secret through changes and saves', async () => {
    mcp.write('users.yaml', 'users:\n  alice:\n    password: p\n    totp_secret: JBSWY3DPEHPK3PXP\n');
    await mcp.ok('reload_config');
    await mcp.ok('update_user', { username: 'alice', tenant: 'north' });
    await mcp.ok('save_config');
    expect(parse(mcp.file('users.yaml')).users.alice).to.deep.equal({
      password: 'p',
      totp_secret: 'JBSWY3DPEHPK3PXP',
      tenant: 'north',
    });
  });
});

describe('an MCP server with a rejected configuration', () => {
  verifies('MCP-01', 'ends with exit code 1 and the reason on standard error, and prints nothing', async () => {
    const { spawnSync } = await import('node:child_process');
    const { cliPath } = await import('#test/support/start-idp.ts');
    const { root, configDirectory } = newConfigRoot({ settings: 'oauth:\n  issuer: ftp://x\n' });
    const ended = spawnSync(process.execPath, [cliPath, 'mcp', '--config-dir', configDirectory], { encoding: 'utf8' });
    rmSync(root, { recursive: true });
    expect([ended.status, ended.stdout]).to.deep.equal([1, '']);
    expect(ended.stderr).to.include('settings.yaml').and.include('oauth.issuer');
  });
});
