// The write pipeline on disk: lock, revisions, proof, replacement, and what is left beside the files (WRT).
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { acquireDirectoryLock } from '#shared/base/locking/directory-lock.ts';
import { readClientEntry, readUserEntry } from '#shared/model/configuration/read-entry.ts';
import { ActivationError, type ConfigurationChange } from '#shared/state/configuration/active-configuration.ts';
import { verifies } from '#test/support/verifies.ts';
import { withoutRoot } from '#test/support/without-root.ts';
import { type OpenedDirectory, openDirectory } from '../opened-directory.ts';

const settings = '# settings\noauth: {audience: first}\n';
const users = '# users\nusers:\n  ada: {password: x}\n';

function addUser(username: string, attributes: Record<string, unknown> = {}): ConfigurationChange {
  const reading = readUserEntry({ password: 'p', attributes });
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return { kind: 'add_user', username, entry: reading.entry };
}

function addClient(client_id: string): ConfigurationChange {
  const reading = readClientEntry({ client_id, client_secret: 's' });
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return { kind: 'add_client', entry: reading.entry };
}

const setAudience = (value: string): ConfigurationChange => ({ kind: 'set', path: 'oauth.audience', value });

describe('writing the configuration', () => {
  let opened: OpenedDirectory;
  beforeEach(() => {
    opened = openDirectory(settings, users);
  });
  afterEach(() => opened.remove());

  for (const { what, characters } of [
    { what: 'a file larger than a start loads', characters: 2 * 1024 * 1024 },
    { what: 'a value of 10 MB', characters: 10_000_000 },
  ]) {
    it(`refuses ${what} before writing, with file, size, bound and remedy`, async () => {
      const active = await opened.open({ sharedStore: true });
      const written = await active.write([addUser('bob', { note: 'x'.repeat(characters) })]);
      expect(written.outcome).to.equal('unloadable');
      if (written.outcome !== 'unloadable') return;
      expect(written.message).to.match(
        /users\.yaml would have \d+ bytes, and the limit is 2097152. Remove or shorten entries.$/,
      );
      expect([opened.read('settings.yaml'), opened.read('users.yaml')]).to.deep.equal([settings, users]);
      expect(readdirSync(opened.directory)).to.not.include('users.yaml.bak');
    });
  }

  it('measures bytes, not characters, and the file that is written alone', async () => {
    const active = await opened.open({ sharedStore: true });
    const note = 'ä'.repeat(800_000);
    expect((await active.write([addUser('bob', { note })])).outcome).to.equal('written');
    expect((await active.write([addUser('carol', { note })])).outcome).to.equal('unloadable');
    expect((await active.write([setAudience('second')])).outcome).to.equal('written');
  });

  verifies(['WRT-14', 'WRT-13'], 'leaves the previous version beside the new one, and nothing else', async () => {
    const active = await opened.open();
    const outcome = await active.write([addUser('bob')]);
    expect(outcome.outcome).to.equal('written');
    expect(opened.read('users.yaml.bak')).to.equal(users);
    expect(opened.read('users.yaml')).to.contain('ada: {password: x}\n  bob:\n    password: p\n');
    expect(readdirSync(opened.directory).sort()).to.deep.equal(['settings.yaml', 'users.yaml', 'users.yaml.bak']);
    expect([...active.inForce().users.keys()]).to.deep.equal(['ada', 'bob']);
    expect(outcome.outcome === 'written' && outcome.revisions).to.deep.equal(active.inForce().revisions);
  });

  verifies('WRT-13', 'keeps the permissions, and the symbolic link through which a file is reached', async () => {
    chmodSync(opened.path('settings.yaml'), 0o640);
    const active = await opened.open();
    await active.write([setAudience('second')]);
    expect(statSync(opened.path('settings.yaml')).mode & 0o777).to.equal(0o640);
    expect(statSync(opened.path('settings.yaml.bak')).mode & 0o777).to.equal(0o640);
    const elsewhere = openDirectory(settings, users);
    rmSync(opened.path('users.yaml'));
    symlinkSync(elsewhere.path('users.yaml'), opened.path('users.yaml'));
    await active.write([addUser('bob')]);
    expect(elsewhere.read('users.yaml')).to.contain('bob:');
    expect(opened.read('users.yaml')).to.equal(elsewhere.read('users.yaml'));
    elsewhere.remove();
  });

  verifies('WRT-06', 'based on a revision the file no longer has is a conflict and changes no file', async () => {
    const active = await opened.open();
    const expected = active.inForce().revisions;
    opened.write('settings.yaml', '# edited\n');
    expect(await active.write([addUser('bob')], { expected })).to.deep.equal({ outcome: 'conflict' });
    expect(await active.write([addUser('bob')], { expected: { settings: expected.settings } })).to.deep.equal({
      outcome: 'conflict',
    });
    expect(opened.read('users.yaml')).to.equal(users);
    expect((await active.write([addUser('bob')], { expected: { users: expected.users } })).outcome).to.equal('written');
  });

  verifies('WRT-07', 'fails as a conflict when the lock was taken over, and when a file changed under it', async () => {
    const active = await opened.open();
    const lockLost = active.write([addUser('bob')], {
      lastLook: async () => {
        rmSync(opened.path('.lock'), { recursive: true });
        return true;
      },
    });
    expect(await lockLost).to.deep.equal({ outcome: 'conflict' });
    const overtaken = active.write([addUser('bob')], {
      lastLook: async () => {
        opened.write('users.yaml', '# another writer\n');
        return true;
      },
    });
    expect(await overtaken).to.deep.equal({ outcome: 'conflict' });
    expect(opened.read('users.yaml')).to.equal('# another writer\n');
    expect(readdirSync(opened.directory).sort()).to.deep.equal(['settings.yaml', 'users.yaml']);
  });

  verifies(
    ['WRT-08', 'WRT-15'],
    'that would not load is refused before any file is touched, with file and key and no value',
    async () => {
      const active = await opened.open();
      const outcome = await active.write([addUser('bob'), { kind: 'set', path: 'oauth.issuer', value: 'do-not-show' }]);
      expect(outcome.outcome).to.equal('unloadable');
      expect(outcome.outcome === 'unloadable' && outcome.message)
        .to.contain(`${opened.path('settings.yaml')}:2:`)
        .and.to.contain('oauth.issuer must be a URL')
        .and.not.to.contain('do-not-show');
      expect([opened.read('settings.yaml'), opened.read('users.yaml')]).to.deep.equal([settings, users]);
      opened.write('settings.yaml', 'config_validation: strict\nunknown: 1\n');
      expect((await active.write([addUser('bob')])).outcome).to.equal('unloadable');
    },
  );

  verifies(
    ['WRT-08', 'WRT-10'],
    'that an alias would carry to another entry is refused, naming that entry',
    async () => {
      const tied = 'users:\n  ada: &ada {password: x}\n  bob: *ada\n';
      opened.write('users.yaml', tied);
      const list = '&list [openid]';
      const settingsTied = `oauth:\n  scopes_supported: ${list}\n  clients:\n    - {client_id: c, client_secret: s, allowed_scopes: *list}\n`;
      opened.write('settings.yaml', settingsTied);
      const active = await opened.open();
      const reading = readUserEntry({ password: 'changed' });
      if (reading.outcome === 'refused') throw new Error(reading.message);
      const changes: Record<string, ConfigurationChange> = {
        'users.bob': { kind: 'replace_user', username: 'ada', entry: reading.entry },
        'oauth.clients': { kind: 'set', path: 'oauth.scopes_supported', value: ['openid', 'email'] },
      };
      for (const [path, change] of Object.entries(changes)) {
        const outcome = await active.write([change]);
        expect(outcome.outcome === 'unloadable' && outcome.message).to.contain(`${path} cannot be written unchanged`);
      }
      expect([opened.read('settings.yaml'), opened.read('users.yaml')]).to.deep.equal([settingsTied, tied]);
      expect((await active.write([{ kind: 'replace_user', username: 'bob', entry: reading.entry }])).outcome).to.equal(
        'written',
      );
      expect(opened.read('users.yaml')).to.match(/^users:\n {2}ada: &ada \{password: x\}\n {2}bob: .*changed/);
    },
  );

  verifies('WRT-08', 'takes strictness from the document, not from the command line', async () => {
    const active = await opened.open({ strictOverride: true });
    opened.write('settings.yaml', 'unknown: 1\n');
    const outcome = await active.write([addUser('bob')]);
    expect(outcome.outcome === 'written' && outcome.activationError).to.contain('unknown');
  });

  verifies(
    ['WRT-02', 'WRT-04'],
    'waits for the lock until its deadline, and is refused where nothing can be written',
    async () => {
      const active = await opened.open({ lockDeadlineMilliseconds: 100 });
      const lock = await acquireDirectoryLock(opened.directory, { stopwatch: systemStopwatch });
      expect(await active.write([addUser('bob')])).to.deep.equal({ outcome: 'lock_timeout' });
      await lock.release();
      expect((await active.write([addUser('bob')])).outcome).to.equal('written');
      const text = opened.read('users.yaml');
      chmodSync(dirname(opened.directory), 0o755);
      chmodSync(opened.directory, 0o555);
      await withoutRoot(async () => {
        expect((await active.reload()).users.size).to.equal(2);
        expect((await active.write([addUser('eve')])).outcome).to.equal('write_failed');
      });
      expect(opened.read('users.yaml')).to.equal(text);
      chmodSync(opened.directory, 0o700);
    },
  );

  verifies('WRT-03', 'takes over a lock that a killed process left, within its waiting time', async () => {
    const active = await opened.open();
    mkdirSync(opened.path('.lock'));
    const long = new Date('2020-01-01');
    utimesSync(opened.path('.lock'), long, long);
    expect((await active.write([addUser('bob')])).outcome).to.equal('written');
    expect(existsSync(opened.path('.lock'))).to.equal(false);
  });

  verifies(['WRT-01', 'WRT-09'], 'by several at once ends with every entry in the file', async () => {
    const several = await Promise.all([opened.open(), opened.open(), opened.open()]);
    const outcomes = await Promise.all(
      several.flatMap((active, writer) =>
        [0, 1, 2].map((turn) => active.write([addUser(`u${writer}-${turn}`), addClient(`c${writer}-${turn}`)])),
      ),
    );
    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(Array(9).fill('written'));
    const [one] = several;
    const snapshot = await one?.refreshed();
    expect(snapshot?.users.size).to.equal(10);
    expect(snapshot?.clients.size).to.equal(9);
  });

  it('answers exists and unknown for names that are there, or not', async () => {
    const active = await opened.open();
    expect(await active.write([addUser('ada')])).to.deep.equal({ outcome: 'exists' });
    expect(await active.write([{ kind: 'delete_user', username: 'eve' }])).to.deep.equal({ outcome: 'unknown' });
    expect(await active.write([{ kind: 'delete_client', client_id: 'web' }])).to.deep.equal({ outcome: 'unknown' });
    expect(opened.read('users.yaml')).to.equal(users);
  });

  it('writes nothing when the last look says no', async () => {
    const active = await opened.open();
    expect(await active.write([addUser('bob')], { lastLook: async () => false })).to.deep.equal({ outcome: 'refused' });
    expect(opened.read('users.yaml')).to.equal(users);
    expect(readdirSync(opened.directory).sort()).to.deep.equal(['settings.yaml', 'users.yaml']);
  });

  verifies(
    'WRT-16',
    'runs on_config_saved for each file, then activates once; a failure of that leaves both in place',
    async () => {
      const trace = join(opened.directory, '..', 'trace');
      opened.write(
        'settings.yaml',
        `oauth: {audience: first}\nhooks: {on_config_saved: 'echo {kind} {path} >> ${trace}'}\n`,
      );
      const active = await opened.open();
      let agree = true;
      let prepared = 0;
      active.join({
        async prepare() {
          prepared += 1;
          if (!agree) throw new ActivationError('no keys');
          return () => {};
        },
      });
      expect((await active.write([addUser('bob'), setAudience('second')])).outcome).to.equal('written');
      expect(readFileSync(trace, 'utf8')).to.equal(
        `settings ${opened.path('settings.yaml')}\nusers ${opened.path('users.yaml')}\n`,
      );
      expect(prepared).to.equal(1);
      agree = false;
      const outcome = await active.write([setAudience('third')]);
      expect(outcome.outcome === 'written' && outcome.activationError).to.equal('no keys');
      expect(opened.read('settings.yaml')).to.contain('third');
      expect(active.inForce().settings.oauth.audience).to.equal('second');
    },
  );
});
