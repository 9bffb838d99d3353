// The configuration in force: loading, reloading, following a sibling, and what a refused one leaves behind (ACT).
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
  throw new Error('nothing was refused');
}

describe('the configuration in force', () => {
  let opened: OpenedDirectory;
  beforeEach(() => {
    opened = openDirectory(withAudience('first'));
  });
  afterEach(() => opened.remove());

  verifies(
    ['ACT-02', 'CFG-08'],
    'a start with a broken file is refused with file, key and remedy, without the value',
    async () => {
      opened.write('settings.yaml', 'oauth: {token_expiry_minutes: 99999}');
      const { kind, message } = await rejection(opened.open());
      expect(kind).to.equal('invalid');
      expect(message).to.equal(
        `${opened.path('settings.yaml')}:1:9 oauth.token_expiry_minutes must be a whole number from 1 to 1440`,
      );
    },
  );

  it('a start without a directory says which one is missing', async () => {
    rmSync(opened.directory, { recursive: true });
    expect((await rejection(opened.open())).message).to.contain(`${opened.directory} does not exist`);
  });

  verifies(['ACT-01', 'ACT-06', 'CFG-06'], 'a reload takes both files or neither', async () => {
    const active = await opened.open();
    opened.write('settings.yaml', withAudience('second'));
    opened.write('users.yaml', 'users: {ada: {email: wrong}}');
    expect((await rejection(active.reload())).kind).to.equal('invalid');
    expect((await active.refreshed()).settings.oauth.audience).to.equal('first');
    opened.write('users.yaml', 'users: {ada: {}}');
    const snapshot = await active.reload();
    expect([snapshot.settings.oauth.audience, [...snapshot.users.keys()]]).to.deep.equal(['second', ['ada']]);
  });

  verifies('ACT-12', 'after a reload every sibling has the new configuration in its next operation', async () => {
    const [one, two] = [await opened.open(), await opened.open()];
    opened.write('settings.yaml', withAudience('second'));
    expect((await two.refreshed()).settings.oauth.audience).to.equal('first');
    await one.reload();
    expect((await two.refreshed()).settings.oauth.audience).to.equal('second');
    expect((await two.refreshed()).generation).to.equal((await one.refreshed()).generation);
  });

  verifies('SUP-06', 'a replacement takes what its siblings agreed on, not a file edited since', async () => {
    await opened.open();
    opened.write('settings.yaml', withAudience('edited'));
    expect((await opened.open()).inForce().settings.oauth.audience).to.equal('first');
    opened.write('settings.yaml', 'broken: [');
    expect((await opened.open()).inForce().settings.oauth.audience).to.equal('first');
  });

  verifies('SUP-15', 'a replacement that follows nobody takes it, too, when the files give none', async () => {
    const acceptedBefore = opened.generations;
    const own = () => opened.open({ generations: undefined, acceptedBefore });
    await opened.open();
    opened.write('settings.yaml', withAudience('edited'));
    expect((await own()).inForce().settings.oauth.audience).to.equal('edited');
    opened.write('settings.yaml', 'broken: [');
    expect((await own()).inForce().settings.oauth.audience).to.equal('first');
    expect((await rejection(opened.open({ generations: undefined }))).kind).to.equal('invalid');
  });

  verifies('SUP-06', 'a replacement takes it, too, while somebody else holds the directory', async () => {
    await opened.open({ sharedStore: true });
    const lock = await acquireDirectoryLock(opened.directory, { stopwatch: systemStopwatch });
    try {
      const replacement = await opened.open({ sharedStore: true, lockDeadlineMilliseconds: 50 });
      expect(replacement.inForce().settings.oauth.audience).to.equal('first');
    } finally {
      await lock.release();
    }
  });

  describe('asked by what takes part in its own work', () => {
    const operations = {
      refreshed: (active: ActiveConfiguration) => active.refreshed(),
      reload: (active: ActiveConfiguration) => active.reload(),
      write: (active: ActiveConfiguration) => active.write([]),
      whileLocked: (active: ActiveConfiguration) => active.whileLocked(async () => {}),
    };
    for (const [name, ask] of Object.entries(operations)) {
      it(`refuses ${name} at once instead of waiting for itself`, async () => {
        const active = await opened.open();
        const answers: string[] = [];
        const asked = () => ask(active).then(() => 'answered', String);
        active.onActivated(async () => void answers.push(await asked()));
        active.join({
          async prepare() {
            answers.push(await asked());
            return () => {};
          },
        });
        await active.reload();
        answers.push(await active.whileLocked(asked));
        expect(answers).to.deep.equal([
          `Error: ${name} must not be called from within a load or a write.`,
          `Error: ${name} must not be called from within a load or a write.`,
          `Error: ${name} must not be called while this call holds the directory lock.`,
        ]);
        expect(await asked()).to.equal('answered');
      });
    }
  });

  verifies('ACT-13', 'a snapshot once taken stays as it was', async () => {
    const active = await opened.open();
    const before = await active.refreshed();
    opened.write('settings.yaml', withAudience('second'));
    await active.reload();
    expect(before.settings.oauth.audience).to.equal('first');
    expect(active.inForce().settings.oauth.audience).to.equal('second');
  });

  verifies('ACT-14', 'simultaneous reloads run one after the other, each for the files it read', async () => {
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
    'another store, or keys that cannot be used, refuse with kind activation and change nothing',
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
    '--profile and --strict-config hold for the run and never reach a file',
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

  verifies('CFG-35', 'what a profile forces is not written', async () => {
    opened.write('settings.yaml', withAudience('a', 'security_profile: stricter-dev'));
    const active = await opened.open();
    expect(active.inForce().rules).to.include({ rateLimitEnabled: true, passwordHashing: true, requirePkce: true });
    await active.write([{ kind: 'set', path: 'oauth.audience', value: 'b' }]);
    expect(opened.read('settings.yaml')).to.equal('oauth: {audience: b}\nsecurity_profile: stricter-dev');
  });

  verifies('WRT-05', 'the revision handed out belongs to the bytes loaded', async () => {
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
    // D43: built-in defaults have admin/admin and no gate, so they are for whoever starts without files.
    verifies(['ACT-03', 'ACT-11'], `a ${file} that vanishes is refused, in every way that files are read`, async () => {
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

  it('tells its listeners of every configuration that came into force', async () => {
    const active = await opened.open();
    const sibling = await opened.open();
    const heard: string[] = [];
    active.onActivated(async (snapshot) => void heard.push(snapshot.settings.oauth.audience));
    opened.write('settings.yaml', withAudience('second'));
    await active.reload();
    opened.write('settings.yaml', withAudience('third'));
    await sibling.reload();
    await active.refreshed();
    expect(heard).to.deep.equal(['second', 'third']);
  });

  it('names the files that say something else than what is in force', async () => {
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

  it('says which names the files on disk declare, whatever is in force', async () => {
    const active = await opened.open();
    opened.write('users.yaml', 'users: {ada: {}}');
    opened.write('settings.yaml', 'oauth: {clients: [{client_id: web, client_secret: s}]}');
    expect(await active.declaredNames()).to.deep.include({ users: new Set(['ada']), clients: new Set(['web']) });
    opened.write('users.yaml', 'users: [');
    expect((await rejection(active.declaredNames())).kind).to.equal('invalid');
  });

  it('makes the names of an unchanged configuration once, and notices a change of the same length', async () => {
    const active = await opened.open();
    opened.write('users.yaml', 'users: {ada: {}}');
    await active.reload();
    const { users } = await active.declaredNames();
    expect((await active.declaredNames()).users).to.equal(users);
    opened.write('users.yaml', 'users: {eve: {}}');
    expect((await active.declaredNames()).users).to.deep.equal(new Set(['eve']));
  });
});
