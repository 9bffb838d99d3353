// validate-config, config-schema and init as their user runs them (CLI-11 to CLI-16, CFG-16 to CFG-18, CFG-32).
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import { cliPath, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `uid` runs it as another user. */
interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

function run(args: readonly string[], { cwd = tmpdir(), env, uid }: RunOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [cliPath, ...args],
      { cwd, env: { ...process.env, ...env }, ...(uid === undefined ? {} : { uid, gid: uid }) },
      (error, out, err) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, err });
      },
    );
  });
}

describe('the commands of the configuration', function () {
  this.timeout(60_000);
  let root: string;
  let directory: string;
  const put = (settings: string | undefined, users: string | null = 'users: {}\n') => {
    for (const [name, text] of [
      ['settings.yaml', settings],
      ['users.yaml', users],
    ] as const) {
      rmSync(join(directory, name), { force: true });
      if (text !== undefined && text !== null) writeFileSync(join(directory, name), text);
    }
  };
  const validate = (...args: string[]) => run(['validate-config', '--config-dir', directory, ...args]);

  before(() => {
    root = mkdtempSync(join(tmpdir(), 'test-idp-cli-'));
    directory = join(root, 'config');
    mkdirSync(directory);
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  verifies(
    ['CLI-11', 'CFG-16'],
    'validate-config prints directory, findings and a closing line, and exits 0, 1 or 2',
    async () => {
      put('');
      const valid = await validate();
      expect(valid.code).to.equal(0);
      expect(valid.out).to.equal(`Configuration in ${directory}\nValid (default validation): no findings.\n`);
      put('server:\n  port: nope\noauth:\n  audience: ""\n');
      const invalid = await validate();
      expect(invalid.code).to.equal(1);
      expect(invalid.out.split('\n').slice(1)).to.deep.equal(
        [
          'error: config/settings.yaml:2:3 server.port must be a whole number from 1 to 65535',
          'error: config/settings.yaml:4:3 oauth.audience must have at least 1 character',
          'Invalid (default validation): 2 errors.',
          '',
        ].map((line) =>
          line.replace(
            'config/',
            root.startsWith(tmpdir()) ? `${root.slice(tmpdir().length + 1)}/config/` : `${directory}/`,
          ),
        ),
      );
      // Something else in the place of the lock: nobody can look safely.
      writeFileSync(join(directory, '.lock'), '');
      const unavailable = await validate('--json');
      rmSync(join(directory, '.lock'));
      expect(unavailable.code).to.equal(2);
      expect(JSON.parse(unavailable.out)).to.include({ status: 'unavailable', kind: 'configuration_unavailable' });
    },
  );

  verifies('CLI-11', 'validate-config --json prints every finding with its place', async () => {
    put('oauth:\n  audience: 5\n');
    const { code, out } = await validate('--json', '--strict');
    expect(code).to.equal(1);
    expect(JSON.parse(out)).to.deep.equal({
      config_dir: directory,
      config_validation: 'default',
      strict: true,
      status: 'invalid',
      valid: false,
      findings: [
        {
          level: 'error',
          message: 'oauth.audience must be a string. Put it in quotes if it looks like a number.',
          file: 'settings.yaml',
          path: 'oauth.audience',
          line: 2,
          column: 3,
        },
      ],
    });
  });

  verifies('CLI-11', 'validate-config --lines prints file:line:column level message and nothing else', async () => {
    put('oauth:\n  audience: ""\n  audeince: x\nunknown: 1\n', 'default_user: x\nusers: {}\n');
    const { code, out, err } = await run(['validate-config', '--lines', '--config-dir', '.'], { cwd: directory });
    expect([code, err]).to.deep.equal([1, '']);
    expect(out.split('\n')).to.deep.equal([
      'settings.yaml:2:3 error oauth.audience must have at least 1 character',
      'settings.yaml:3:3 warning Unknown key "audeince" for oauth. Did you mean "audience"?',
      'settings.yaml:4:1 warning Unknown key "unknown". Known: config_version, config_validation, security_profile, rate_limit_enabled, require_ui_login, management_secret, authority_prefixes, claim_mappings, …',
      'users.yaml:1:1 info default_user is deprecated and has no effect. Remove it.',
      '',
    ]);
    put('', null);
    expect(await run(['validate-config', '--lines', '--config-dir', directory], { cwd: root })).to.deep.equal({
      code: 0,
      out: 'config/users.yaml:1:1 warning is missing. Built-in defaults apply.\n',
      err: '',
    });
    const gone = await run(['validate-config', '--lines', '--config-dir', join(root, 'gone')]);
    expect([gone.code, gone.out.startsWith(`${join(root, 'gone')}:1:1 error does not exist`)]).to.deep.equal([1, true]);
    put('');
    expect((await validate('--lines')).out).to.equal('');
    expect((await validate('--lines', '--json')).code).to.equal(1);
    writeFileSync(join(directory, '.lock'), '');
    const unavailable = await validate('--lines');
    rmSync(join(directory, '.lock'));
    expect([unavailable.code, unavailable.out]).to.deep.equal([2, '']);
    expect(unavailable.err).to.contain('cannot be read');
  });

  verifies(
    ['CLI-12', 'CFG-17'],
    'unknown keys and missing files fail in strict mode only, deprecated keys never',
    async () => {
      put('unknown: 1\n', null);
      const lenient = await validate();
      expect([lenient.code, lenient.out.match(/^warning: /gm)?.length]).to.deep.equal([0, 2]);
      const strict = await validate('--strict');
      expect([strict.code, strict.out.match(/^error: /gm)?.length]).to.deep.equal([1, 2]);
      put('config_validation: strict\nunknown: 1\n');
      expect((await validate()).code).to.equal(1);
      put('config_validation: strict\n', 'default_user: x\nusers: {}\n');
      const deprecated = await validate('--strict');
      expect(deprecated.code).to.equal(0);
      expect(deprecated.out).to.match(/^info: .*users\.yaml:1:1 default_user is deprecated/m);
      put(
        'oauth: {clients: [{client_id: ada, client_secret: s}]}\nsecurity_profile: stricter-dev\ncors_allowed_originss: ["*"]\n',
        'users: {ada: {}}\n',
      );
      const other = await validate('--strict');
      expect([other.code, other.out.match(/^warning: /gm)?.length]).to.deep.equal([0, 2]);
    },
  );

  verifies(
    ['CLI-12', 'CFG-05'],
    'a missing file that a strict look refuses is the one thing a strict start goes on without',
    async () => {
      put('config_validation: strict\n', null);
      expect((await validate()).code).to.equal(1);
      const idp = await startIdp({ command: 'oidc', root, args: ['--strict-config'] });
      const { users } = await (await fetch(`${idp.baseUrl}/api/users`)).json();
      expect(users.map(({ username }: { username: string }) => username)).to.deep.equal(['admin']);
      await idp.stop();
    },
  );

  verifies('CLI-12', 'a missing directory, broken YAML and a file that cannot be read are errors', async () => {
    expect((await run(['validate-config', '--config-dir', join(root, 'gone')])).code).to.equal(1);
    put('a: [\n');
    expect((await validate()).code).to.equal(1);
    put('config_version: 2\n');
    expect((await validate()).code).to.equal(1);
    put('');
    // Root reads everything: then it is somebody else who cannot.
    const uid = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    chmodSync(root, 0o755);
    chmodSync(join(directory, 'users.yaml'), 0o000);
    const unreadable = await run(['validate-config', '--config-dir', directory], uid);
    expect(unreadable.code).to.equal(1);
    expect(unreadable.out).to.match(
      /^error: .*users\.yaml cannot be read \(EACCES\)\. Make it readable for this user\.$/m,
    );
    expect(unreadable.out).to.contain('Invalid (default validation): 1 error.');
    rmSync(join(directory, 'users.yaml'));
    mkdirSync(join(directory, 'users.yaml'));
    expect((await validate()).code).to.equal(1);
    rmSync(join(directory, 'users.yaml'), { recursive: true });
  });

  verifies(['CLI-14', 'CFG-32'], 'config-schema prints both schemas or one, with default_user deprecated', async () => {
    const { code, out } = await run(['config-schema']);
    expect(code).to.equal(0);
    const schema = JSON.parse(out);
    expect(Object.keys(schema)).to.deep.equal(['config_version', 'settings', 'users']);
    expect(schema.config_version).to.equal(1);
    expect(schema.users.properties.default_user.deprecated).to.equal(true);
    expect(JSON.parse((await run(['config-schema', '--file', 'settings'])).out)).to.deep.equal(schema.settings);
    expect(JSON.parse((await run(['config-schema', '--file', 'users'])).out)).to.deep.equal(schema.users);
    expect((await run(['config-schema', '--file', 'other'])).code).to.equal(1);
  });

  verifies(
    'CLI-15',
    'another validator accepts what init writes with it, and refuses wrong types and bounds',
    async () => {
      const { settings, users } = JSON.parse((await run(['config-schema'])).out);
      const ajv = new Ajv2020();
      const [isSettings, isUsers] = [ajv.compile(settings), ajv.compile(users)];
      const made = join(root, 'schema');
      await run(['init', made]);
      expect(
        isSettings(parse(readFileSync(join(made, 'settings.yaml'), 'utf8'))),
        JSON.stringify(isSettings.errors),
      ).to.equal(true);
      expect(isUsers(parse(readFileSync(join(made, 'users.yaml'), 'utf8'))), JSON.stringify(isUsers.errors)).to.equal(
        true,
      );
      expect(isSettings(parse("server: {port: '${PORT:8000}', rate_limit_enabled: true}\nlogin:\n"))).to.equal(true);
      for (const wrong of [
        'server: {port: 0}',
        'server: {port: text}',
        'oauth: {token_expiry_minutes: 1441}',
        'security_profile: prod',
        'oauth: {clients: {}}',
        'nope: 1',
        'config_version: 2',
        'oauth: {issuer: ftp}',
        'logging: {level: LOUD}',
        'server: {tls: abc}',
        'server: {tls: off}',
        'management_secret: "\u00e4"',
      ]) {
        expect(isSettings(parse(wrong)), wrong).to.equal(false);
      }
      for (const right of [
        'logging: {level: Debug}',
        "logging: {level: '${LEVEL:INFO}'}",
        'server: {tls: auto}',
        "server: {tls: '${TLS:auto}'}",
        'server: {tls: {cert: a.pem, key: b.pem}}',
        'management_secret: guard',
        'management_secret:',
      ]) {
        expect(isSettings(parse(right)), right).to.equal(true);
      }
      expect(isUsers(parse("users: {a: {email: ''}, b: {email: b@example.org}}"))).to.equal(true);
      expect(isUsers(parse('users: {a: {email: nobody}}'))).to.equal(false);
      for (const wrong of ['users: []', 'users: {a: {roles: A}}', `users: {a: {description: ${'x'.repeat(201)}}}`]) {
        expect(isUsers(parse(wrong)), wrong).to.equal(false);
      }
      expect(isUsers(parse('users: {a: {shoe_size: 40}}'))).to.equal(true);
    },
  );

  verifies(
    ['CLI-16', 'CFG-18', 'CLI-13'],
    'init writes files that validate strictly and start, says what it did, and overwrites nothing',
    async () => {
      const home = mkdtempSync(join(root, 'home-'));
      const target = join(home, 'config');
      const made = await run(['init', target]);
      expect([made.code, made.out]).to.deep.equal([
        0,
        `created ${join(target, 'settings.yaml')}\ncreated ${join(target, 'users.yaml')}\n`,
      ]);
      // The package has no docs/settings.md: who has no checkout gets at the keys by the command.
      for (const file of ['settings', 'users']) {
        const text = readFileSync(join(target, `${file}.yaml`), 'utf8');
        const [, command = ''] = /^# .*\n# `test-idp (config-schema [^`]+)`/.exec(text) ?? [];
        const schema = await run(command.split(' '));
        expect(JSON.parse(schema.out), file).to.have.property('properties');
      }
      writeFileSync(join(target, 'users.yaml'), '# mine\nusers: {}\n');
      const again = await run(['init', target]);
      expect(again.code).to.equal(0);
      expect(again.out)
        .to.match(/^skipped .*settings\.yaml/)
        .and.to.match(/^skipped .*users\.yaml/m);
      expect(readFileSync(join(target, 'users.yaml'), 'utf8')).to.equal('# mine\nusers: {}\n');
      rmSync(join(target, 'users.yaml'));
      expect((await run(['init'], { cwd: home })).out).to.match(/^skipped .*settings\.yaml.*\ncreated .*users\.yaml/);
      const valid = await run(['validate-config', '--strict'], { env: { IDP_CONFIG_DIR: target } });
      expect([valid.code, valid.out.includes('Valid (strict validation): no findings.')]).to.deep.equal([0, true]);
      const idp = await startIdp({ command: 'oidc', root: home });
      expect((await fetch(`${idp.baseUrl}/health`)).status).to.equal(200);
      await idp.stop();
    },
  );

  verifies(
    ['CFG-01', 'CFG-02', 'CFG-03'],
    '--config-dir wins over IDP_CONFIG_DIR and that over ./config, and only two files are read',
    async () => {
      const home = mkdtempSync(join(root, 'where-'));
      for (const name of ['config', 'env', 'option']) {
        mkdirSync(join(home, name));
        writeFileSync(join(home, name, 'settings.yaml'), '');
        writeFileSync(join(home, name, 'users.yaml'), '');
        writeFileSync(join(home, name, 'bootstrap.yaml'), 'broken: [');
      }
      const where = async (args: string[], env: Record<string, string>) => {
        const { code, out } = await run(['validate-config', ...args], { cwd: home, env });
        expect(code).to.equal(0);
        return out.split('\n')[0];
      };
      const env = { IDP_CONFIG_DIR: join(home, 'env') };
      expect(await where([], { IDP_CONFIG_DIR: '' })).to.equal(`Configuration in ${join(home, 'config')}`);
      expect(await where([], env)).to.equal(`Configuration in ${join(home, 'env')}`);
      expect(await where(['--config-dir', 'option'], env)).to.equal(`Configuration in ${join(home, 'option')}`);
    },
  );

  verifies('CLI-13', 'what validate-config says of a file is what a start says', async () => {
    for (const settings of [
      '',
      'oauth: {audience: 5}\n',
      'unknown: 1\n',
      'config_validation: strict\nunknown: 1\n',
      'a: [\n',
      'runtime: {path: ../x.db}\n',
    ]) {
      put(settings);
      const { code } = await validate();
      let started = 0;
      try {
        await (await startIdp({ command: 'oidc', root })).stop();
      } catch {
        started = 1;
      }
      expect(started, settings).to.equal(code);
    }
    expect(existsSync(join(directory, '.lock'))).to.equal(false);
  });
});
