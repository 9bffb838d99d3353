// The active configuration: loading, reloading, following another worker, and the effect of a rejected one (ACT).
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { acquireDirectoryLock } from '#shared/base/locking/directory-lock.ts';
import {
  ActivationError,
  type ActiveConfiguration,
  ConfigurationRejectedError,
} from '#shared/state/configuration/active-configuration.ts';
import { verifies } from '#test/support/verifies.ts';
import { memoryGenerations, type OpenedDirectory, openDirectory } from './opened-directory.ts';

const withAudience = (audience: string, more = '') => `oauth: {audience: ${audience}}\n${more}`;

async function rejection(work: Promise<unknown>): Promise<ConfigurationRejectedError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ConfigurationRejectedError) return error;
    throw error;
  }
  throw new Error('nothing was rejected');
}

describe('the active configuration', () => {
  let opened: OpenedDirectory;
  beforeEach(() => {
    opened = openDirectory(withAudience('first'));
  });
  afterEach(() => opened.remove());

  verifies(
    ['ACT-02', 'CFG-08'],
    'rejects a start with a broken file, naming file, key and remedy but not the value',
    async () => {
      opened.write('settings.yaml', 'oauth: {token_expiry_minutes: 99999}');
      const { kind, message } = await rejection(opened.open());
      expect(kind).to.equal('invalid');
      expect(message).to.equal(
        `${opened.path('settings.yaml')}:1:9 oauth.token_expiry_minutes must be a whole number from 1 to 1440`,
      );
    },
  );

  it('names the missing directory at a start', async () => {
    rmSync(opened.directory, { recursive: true });
    expect((await rejection(opened.open())).message).to.contain(`${opened.directory} does not exist`);
  });

  verifies(['ACT-01', 'ACT-06', 'CFG-06'], 'loads both files or neither', async () => {
    const active = await opened.open();
    opened.write('settings.yaml', withAudience('second'));
    opened.write('users.yaml', 'users: {ada: {email: wrong}}');
    expect((await rejection(active.reload())).kind).to.equal('invalid');
    expect((await active.refreshed()).settings.oauth.audience).to.equal('first');
    opened.write('users.yaml', 'users: {ada: {}}');
    const snapshot = await active.reload();
    expect([snapshot.settings.oauth.audience, [...snapshot.users.keys()]]).to.deep.equal(['second', ['ada']]);
  });

  verifies('ACT-12', 'is used by every other worker in its next operation after a reload', async () => {
    const [one, two] = [await opened.open(), await opened.open()];
    opened.write('settings.yaml', withAudience('second'));
    expect((await two.refreshed()).settings.oauth.audience).to.equal('first');
    await one.reload();
    expect((await two.refreshed()).settings.oauth.audience).to.equal('second');
    expect((await two.refreshed()).generation).to.equal((await one.refreshed()).generation);
  });

  verifies('SUP-06', 'of a replacement worker is that of the other workers, not an edited file', async () => {
    await opened.open();
    opened.write('settings.yaml', withAudience('edited'));
    expect((await opened.open()).inForce().settings.oauth.audience).to.equal('first');
    opened.write('settings.yaml', 'broken: [');
    expect((await opened.open()).inForce().settings.oauth.audience).to.equal('first');
  });

  verifies('SUP-15', 'of a replacement worker is that of the other workers even if the files do not load', async () => {
    const acceptedBefore = opened.generations;
    const own = () => opened.open({ generations: undefined, acceptedBefore });
    await opened.open();
    opened.write('settings.yaml', withAudience('edited'));
    expect((await own()).inForce().settings.oauth.audience).to.equal('edited');
    opened.write('settings.yaml', 'broken: [');
    expect((await own()).inForce().settings.oauth.audience).to.equal('first');
    expect((await rejection(opened.open({ generations: undefined }))).kind).to.equal('invalid');
  });

  verifies(
    'SUP-06',
    'of a replacement worker is available while another process holds the lock of the directory',
    async () => {
      await opened.open({ sharedStore: true });
      const lock = await acquireDirectoryLock(opened.directory, { stopwatch: systemStopwatch });
      try {
        const replacement = await opened.open({ sharedStore: true, lockDeadlineMilliseconds: 50 });
        expect(replacement.inForce().settings.oauth.audience).to.equal('first');
      } finally {
        await lock.release();
      }
    },
  );

  describe('requested from within its own load or write', () => {
    const operations = {
      refreshed: (active: ActiveConfiguration) => active.refreshed(),
      reload: (active: ActiveConfiguration) => active.reload(),
      write: (active: ActiveConfiguration) => active.write([]),
      whileLocked: (active: ActiveConfiguration) => active.whileLocked(async () => {}),
    };
    for (const [name, call] of Object.entries(operations)) {
      it(`rejects ${name} at once instead of waiting for itself`, async () => {
        const active = await opened.open();
        const answers: string[] = [];
        const outcome = () => call(active).then(() => 'answered', String);
        active.onActivated(async () => void answers.push(await outcome()));
        active.join({
          async prepare() {
            answers.push(await outcome());
            return () => {};
          },
        });
        await active.reload();
        answers.push(await active.whileLocked(outcome));
        expect(answers).to.deep.equal([
          `Error: ${name} must not be called from within a load or a write.`,
          `Error: ${name} must not be called from within a load or a write.`,
          `Error: ${name} must not be called while this call holds the directory lock.`,
        ]);
        expect(await outcome()).to.equal('answered');
      });
    }
  });

  verifies('ACT-13', 'does not change a snapshot that was already returned', async () => {
    const active = await opened.open();
    const before = await active.refreshed();
    opened.write('settings.yaml', withAudience('second'));
    await active.reload();
    expect(before.settings.oauth.audience).to.equal('first');
    expect(active.inForce().settings.oauth.audience).to.equal('second');
  });

  verifies('ACT-14', 'runs simultaneous reloads one after the other, each with the files that it read', async () => {
    const active = await opened.open();
    const answers: Promise<string>[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      opened.write('settings.yaml', withAudience(`turn-${turn}`));
      answers.push(active.reload().then((snapshot) => snapshot.settings.oauth.audience));
      if (turn % 2 === 0) await answers.at(-1);
    }
    expect(await Promise.all(answers)).to.deep.equal(['turn-0', 'turn-2', 'turn-2', 'turn-4', 'turn-4']);
  });

  verifies(
    ['ACT-08', 'ACT-11', 'STO-08'],
    'rejects another store or unusable keys with kind activation, and changes nothing',
    async () => {
      let usable = true;
      const put: string[] = [];
      const keys = {
        async prepare(candidate: { settings: { oauth: { audience: string } } }) {
          if (!usable) throw new ActivationError('keys.pem cannot be used');
          return () => put.push(candidate.settings.oauth.audience);
        },
      };
      const active = await opened.open();
      active.join(keys);
      const before = active.inForce();
      opened.write('settings.yaml', withAudience('second', 'runtime: {store: sqlite, path: ../r.db}'));
      const store = await rejection(active.reload());
      expect(store.kind).to.equal('activation');
      expect(store.message).to.match(/restart/i);
      usable = false;
      opened.write('settings.yaml', withAudience('third'));
      expect((await rejection(active.reload())).kind).to.equal('activation');
      expect(active.inForce()).to.equal(before);
      expect(put).to.deep.equal([]);
      expect(await opened.generations.newest()).to.equal(1);
      usable = true;
      await active.reload();
      expect(put).to.deep.equal(['third']);
    },
  );

  verifies(
    ['ACT-18', 'CFG-15', 'CFG-29', 'CLI-08'],
    'honours --profile and --strict-config for the run, but never writes them to a file',
    async () => {
      const active = await opened.open({ profileOverride: 'oauth21', strictOverride: true });
      expect(active.inForce().settings.security_profile).to.equal('oauth21');
      expect(active.inForce().profileOverride).to.equal('oauth21');
      expect(active.inForce().rules.allowPasswordGrant).to.equal(false);
      opened.write('settings.yaml', withAudience('second', 'unknown: 1'));
      expect((await rejection(active.reload())).kind).to.equal('invalid');
      opened.write('settings.yaml', withAudience('second'));
      expect((await active.reload()).settings.security_profile).to.equal('oauth21');
      await active.write([{ kind: 'set', path: 'oauth.token_expiry_minutes', value: 5 }]);
      expect(opened.read('settings.yaml')).to.equal('oauth: {audience: second, token_expiry_minutes: 5}\n');
      expect(active.inForce().settings.security_profile).to.equal('oauth21');
    },
  );

  verifies('CFG-35', 'does not write what a profile enforces', async () => {
    opened.write('settings.yaml', withAudience('a', 'security_profile: stricter-dev'));
    const active = await opened.open();
    expect(active.inForce().rules).to.include({ rateLimitEnabled: true, passwordHashing: true, requirePkce: true });
    await active.write([{ kind: 'set', path: 'oauth.audience', value: 'b' }]);
    expect(opened.read('settings.yaml')).to.equal('oauth: {audience: b}\nsecurity_profile: stricter-dev');
  });

  verifies('WRT-05', 'returns the revision of the bytes that were loaded', async () => {
    const sha = (text: string) => createHash('sha256').update(text).digest('hex');
    const active = await opened.open();
    opened.write('settings.yaml', withAudience('second'));
    expect(active.inForce().revisions).to.deep.equal({
      settings: sha(withAudience('first')),
      users: sha('users: {}\n'),
    });
    rmSync(opened.path('users.yaml'));
    const alone = await opened.open({ generations: undefined });
    expect(alone.inForce().revisions).to.deep.equal({
      settings: sha(withAudience('second')),
      users: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    });
  });

  for (const file of ['settings.yaml', 'users.yaml'] as const) {
    // D43: the built-in defaults contain admin/admin without any protection, so they only apply to a start without
    // files.
    verifies(['ACT-03', 'ACT-11'], `rejects a deleted ${file} for every way of reading files`, async () => {
      for (const sharedStore of [false, true]) {
        const text = opened.read(file);
        const active = await opened.open({ sharedStore, generations: memoryGenerations() });
        const before = active.inForce();
        rmSync(opened.path(file));
        const refused = await rejection(active.reload());
        expect([refused.kind, refused.message]).to.deep.equal([
          'invalid',
          `${opened.path(file)} is missing, but existed before. Restore it, or restart to use the built-in defaults.`,
        ]);
        expect(await active.refreshed()).to.equal(before);
        await rejection(active.declaredNames());
        const written = await active.write([{ kind: 'set', path: 'oauth.audience', value: 'x' }]);
        expect(written.outcome).to.equal('unloadable');
        expect(existsSync(opened.path(file))).to.equal(false);
        opened.write(file, text);
        await active.reload();
        expect(active.inForce().settings).to.deep.equal(before.settings);
      }
    });
  }

  it('notifies its listeners of every activated configuration', async () => {
    const active = await opened.open();
    const sibling = await opened.open();
    const activated: string[] = [];
    active.onActivated(async (snapshot) => void activated.push(snapshot.settings.oauth.audience));
    opened.write('settings.yaml', withAudience('second'));
    await active.reload();
    opened.write('settings.yaml', withAudience('third'));
    await sibling.reload();
    await active.refreshed();
    expect(activated).to.deep.equal(['second', 'third']);
  });

  it('names the files that differ from it', async () => {
    const active = await opened.open();
    expect(active.changedOnDisk()).to.deep.equal([]);
    const users = opened.read('users.yaml');
    opened.write('users.yaml', `${users}# edited\n`);
    expect(active.changedOnDisk()).to.deep.equal(['users.yaml']);
    opened.write('settings.yaml', 'broken: [');
    expect(active.changedOnDisk()).to.deep.equal(['settings.yaml', 'users.yaml']);
    opened.write('users.yaml', users);
    expect(active.changedOnDisk()).to.deep.equal(['settings.yaml']);
    opened.write('settings.yaml', withAudience('second'));
    await active.reload();
    expect(active.changedOnDisk()).to.deep.equal([]);
    rmSync(opened.path('settings.yaml'));
    expect(active.changedOnDisk()).to.deep.equal(['settings.yaml']);
  });

  it('reports the names that the files on disk declare, even if they are not active', async () => {
    const active = await opened.open();
    opened.write('users.yaml', 'users: {ada: {}}');
    opened.write('settings.yaml', 'oauth: {clients: [{client_id: web, client_secret: s}]}');
    expect(await active.declaredNames()).to.deep.include({ users: new Set(['ada']), clients: new Set(['web']) });
    opened.write('users.yaml', 'users: [');
    expect((await rejection(active.declaredNames())).kind).to.equal('invalid');
  });

  it('collects the names of an unchanged configuration once, and detects a change of the same length', async () => {
    const active = await opened.open();
    opened.write('users.yaml', 'users: {ada: {}}');
    await active.reload();
    const { users } = await active.declaredNames();
    expect((await active.declaredNames()).users).to.equal(users);
    opened.write('users.yaml', 'users: {eve: {}}');
    expect((await active.declaredNames()).users).to.deep.equal(new Set(['eve']));
  });
});
