// Writing where machines with files of their own share a store: what a change is made of, that it is declared with the files
// or not at all, and what a refused one leaves (CLU-20, CLU-21).
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ActivationError, type ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import type { ActiveConfigurationOptions } from '#shared/state/configuration/open-active-configuration.ts';
import type { ConfigurationGenerations } from '#shared/state/store/ports/index.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { addClient, addUser } from '#test/support/configuration-changes.ts';
import { verifies } from '#test/support/verifies.ts';
import { withoutRoot } from '#test/support/without-root.ts';
import { type OpenedDirectory, openDirectory } from '../opened-directory.ts';

const settingsOf = (audience: string) => `# of ${audience}\noauth: {audience: ${audience}}\n`;
const users = '# users\nusers:\n  ada: {password: x}\n';

describe('writing on machines that share a store', () => {
  let one: OpenedDirectory;
  let two: OpenedDirectory;
  beforeEach(() => {
    one = openDirectory(settingsOf('first'), users);
    two = openDirectory(settingsOf('second'), users);
  });
  afterEach(() => {
    one.remove();
    two.remove();
  });

  const on = (machine: OpenedDirectory, more: Partial<ActiveConfigurationOptions> = {}) =>
    machine.open({
      sharedStore: true,
      generations: one.generations,
      machine: machine === one ? 'one' : 'two',
      ...more,
    });
  /** The first is behind: the second declared after it. */
  const both = async (
    more?: Partial<ActiveConfigurationOptions>,
  ): Promise<[ActiveConfiguration, ActiveConfiguration]> => {
    const machines: [ActiveConfiguration, ActiveConfiguration] = [await on(one, more), await on(two)];
    for (const machine of machines) await machine.refreshed();
    return machines;
  };
  const texts = (machine: OpenedDirectory) => [machine.read('settings.yaml'), machine.read('users.yaml')];
  const namesOf = async (machine: ActiveConfiguration) => [...(await machine.refreshed()).users.keys()];
  const newest = () => one.generations.newest();

  verifies('CLU-20', 'a machine that is behind writes what is in force with the change, and declares it', async () => {
    const [behind, other] = await both();
    await behind.refreshed();
    expect(behind.isBehind()).to.equal(true);
    const expected = behind.inForce().revisions;
    const written = await behind.write([addUser('bob')], { expected });
    expect(written).to.deep.equal({ outcome: 'written', declared: true, revisions: behind.inForce().revisions });
    expect(await newest()).to.equal(3);
    expect(behind.inForce().generation).to.equal(3);
    expect(await namesOf(other)).to.deep.equal(['ada', 'bob']);
    expect(texts(one)[0]).to.equal(settingsOf('second'));
    expect(texts(one)[1]).to.contain('# users\nusers:\n  ada: {password: x}\n  bob:\n');
    expect([one.read('settings.yaml.bak'), one.read('users.yaml.bak')]).to.deep.equal([settingsOf('first'), users]);
    expect(texts(two)).to.deep.equal([settingsOf('second'), users]);
    await other.refreshed();
    expect([behind.isBehind(), other.isBehind()]).to.deep.equal([false, true]);
    // In turns, as a balancer sends them.
    for (const [index, machine] of [other, behind, other, behind].entries()) {
      await machine.refreshed();
      const { revisions } = machine.inForce();
      expect((await machine.write([addUser(`user-${index}`)], { expected: revisions })).outcome).to.equal('written');
    }
    expect(await namesOf(other)).to.deep.equal(['ada', 'bob', 'user-0', 'user-1', 'user-2', 'user-3']);
  });

  verifies('CLU-20', 'a machine that has not heard of the newest writes on top of it all the same', async () => {
    const [first, second] = await both();
    expect((await second.write([addUser('bob')])).outcome).to.equal('written');
    expect((await first.write([addClient('web')])).outcome).to.equal('written');
    expect(await namesOf(second)).to.deep.equal(['ada', 'bob']);
    expect(second.inForce().clients.has('web')).to.equal(true);
  });

  verifies(
    'CLU-21',
    'of two at the same time the slower one is a conflict and leaves its files as they were',
    async () => {
      const [first, second] = await both();
      for (const changes of [[addUser('bob')], [addUser('bob'), addClient('web')]]) {
        const before = texts(one);
        const meanwhile = async () => (await second.write([addUser(`eve-${changes.length}`)])).outcome === 'written';
        const generation = await newest();
        const refused = await first.write(changes, { lastLook: meanwhile });
        expect(refused).to.deep.equal({ outcome: 'conflict', stale: 'in_force' });
        expect(texts(one)).to.deep.equal(before);
        expect(readdirSync(one.directory).sort()).to.deep.equal(['settings.yaml', 'users.yaml']);
        expect(await newest()).to.equal(generation + 1);
        expect(await namesOf(first))
          .to.include(`eve-${changes.length}`)
          .and.not.include('bob');
      }
      // The machine is behind, and no change of its own is left to be declared.
      expect(await namesOf(second)).to.deep.equal(['ada', 'eve-1', 'eve-2']);
      expect((await first.write([addUser('bob')])).outcome).to.equal('written');
      expect(await namesOf(second)).to.deep.equal(['ada', 'eve-1', 'eve-2', 'bob']);
    },
  );

  verifies(
    'CLU-21',
    'files that are links are put back where they lie, a file that was missing is none again',
    async () => {
      const elsewhere = join(one.directory, '..', 'elsewhere');
      mkdirSync(elsewhere);
      renameSync(one.path('users.yaml'), join(elsewhere, 'users.yaml'));
      symlinkSync(join(elsewhere, 'users.yaml'), one.path('users.yaml'));
      const [first, second] = await both();
      rmSync(one.path('settings.yaml'));
      const again = await on(one);
      expect(again.inForce().settings.oauth.audience, 'built-in defaults are declared').to.not.equal('second');
      const meanwhile = async () => (await second.write([addUser('eve')])).outcome === 'written';
      const refused = await again.write([addUser('bob'), addClient('web')], { lastLook: meanwhile });
      expect(refused.outcome).to.equal('conflict');
      expect(readdirSync(one.directory)).to.deep.equal(['users.yaml']);
      expect(readdirSync(elsewhere)).to.deep.equal(['users.yaml']);
      expect(one.read('users.yaml')).to.equal(users);
      expect(first.changedOnDisk()).to.not.deep.equal([]);
    },
  );

  verifies('CLU-21', 'a change of what is no longer newest is a conflict before anything is written', async () => {
    const [first, second] = await both();
    const { revisions } = first.inForce();
    await second.write([addUser('eve')]);
    const generation = await newest();
    const refused = await first.write([addUser('bob')], { expected: { users: revisions.users } });
    expect(refused).to.deep.equal({ outcome: 'conflict', stale: 'in_force' });
    expect([texts(one), await newest()]).to.deep.equal([[settingsOf('first'), users], generation]);
  });

  verifies(
    'CLU-21',
    'what somebody has just edited is declared first, and is not written over while it does not load',
    async () => {
      const [first, second] = await both();
      one.write('settings.yaml', settingsOf('third'));
      expect((await first.write([addUser('bob')])).outcome).to.equal('written');
      expect([await namesOf(second), second.inForce().settings.oauth.audience]).to.deep.equal([
        ['ada', 'bob'],
        'third',
      ]);
      one.write('settings.yaml', 'oauth: [');
      const before = texts(one);
      expect(await first.write([addUser('eve')])).to.deep.equal({ outcome: 'conflict', stale: 'on_disk' });
      expect(texts(one)).to.deep.equal(before);
    },
  );

  verifies('CLU-21', 'a store that does not take it leaves the files as they were', async () => {
    const acceptOver = () => Promise.reject(new RuntimeStoreUnavailableError({ trouble: 'busy' }));
    const generations = { ...one.generations, acceptOver };
    const [first] = await both({ generations });
    const failure = await first.write([addUser('bob')]).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(RuntimeStoreUnavailableError);
    expect([texts(one), readdirSync(one.directory).length]).to.deep.equal([[settingsOf('first'), users], 2]);
    expect(await newest()).to.equal(2);
  });

  verifies(
    'CLU-21',
    'files that another process of the machine declared meanwhile are written all the same',
    async () => {
      const acceptOver: ConfigurationGenerations['acceptOver'] = async (base, texts, declarer) => {
        await one.generations.accept(texts.settingsText, texts.usersText, declarer);
        return one.generations.acceptOver(base, texts, declarer);
      };
      const [first, second] = await both({ generations: { ...one.generations, acceptOver } });
      expect(await first.write([addUser('bob')])).to.deep.include({ outcome: 'written', declared: true });
      expect(one.read('users.yaml')).to.contain('bob');
      expect([await namesOf(second), await newest(), first.inForce().generation]).to.deep.equal([['ada', 'bob'], 3, 3]);
    },
  );

  verifies(
    ['CLU-15', 'CLU-21'],
    'the same change on another machine meanwhile is this one’s, too, and is declared no second time',
    async () => {
      let isFirst = true;
      const acceptOver: ConfigurationGenerations['acceptOver'] = async (base, texts, declarer) => {
        if (isFirst) await one.generations.accept(texts.settingsText, texts.usersText, 'elsewhere');
        isFirst = false;
        return one.generations.acceptOver(base, texts, declarer);
      };
      const [first, second] = await both({ generations: { ...one.generations, acceptOver } });
      expect(await first.write([addUser('bob')])).to.deep.include({ outcome: 'written', declared: true });
      expect((await second.write([addUser('eve')])).outcome).to.equal('written');
      // It follows, and then finds that its files differ.
      for (const machine of [first, first, second]) expect(await namesOf(machine)).to.deep.equal(['ada', 'bob', 'eve']);
      expect(first.isBehind()).to.equal(true);
    },
  );

  verifies('CLU-20', 'files that cannot be written are said to be so, and nothing changes', async () => {
    const [first] = await both();
    expect(first.areFilesWritable()).to.equal(true);
    chmodSync(join(one.directory, '..'), 0o755);
    chmodSync(one.directory, 0o555);
    await withoutRoot(async () => {
      expect(first.areFilesWritable()).to.equal(false);
      expect(await first.write([addUser('bob')])).to.deep.equal({ outcome: 'not_writable' });
    });
    chmodSync(one.directory, 0o700);
    expect([texts(one), await newest()]).to.deep.equal([[settingsOf('first'), users], 2]);
  });

  verifies(['CLU-20', 'WRT-16'], 'what cannot be activated here stays written and declares nothing', async () => {
    const prepare = (candidate: { readonly users: ReadonlyMap<string, unknown> }) =>
      candidate.users.has('bob') ? Promise.reject(new ActivationError('no key')) : Promise.resolve(() => undefined);
    const [first, second] = await both();
    first.join({ prepare });
    const written = await first.write([addUser('bob')]);
    expect(written).to.deep.include({ outcome: 'written', activationError: 'no key' });
    expect(written).to.not.have.property('declared');
    expect(one.read('users.yaml')).to.contain('bob');
    expect([await newest(), await namesOf(first), await namesOf(second)]).to.deep.equal([2, ['ada'], ['ada']]);
  });

  verifies('CLU-22', 'the names that are declared are those of the newest, whatever the files say', async () => {
    const [first, second] = await both();
    const names = async () => [...(await first.declaredNames()).users];
    one.write('users.yaml', 'users:\n  ada: {password: x}\n  written: {password: x}\n');
    expect([await names(), (await first.declaredNames()).inForce]).to.deep.equal([['ada'], true]);
    await second.write([addUser('eve')]);
    expect([await names(), (await first.declaredNames()).inForce]).to.deep.equal([['ada', 'eve'], false]);
  });

  verifies(
    'CLU-20',
    'a copy of what is served follows it, declares with a save, and no superseded files with a reload',
    async () => {
      const [, second] = await both();
      const copy = await on(one, { sharedStore: false, reloads: 'if_changed' });
      expect(copy.inForce().settings.oauth.audience).to.equal('second');
      await second.write([addUser('eve')]);
      expect((await copy.reload()).users.has('eve')).to.equal(true);
      expect(await newest()).to.equal(3);
      expect((await copy.write([addUser('bob')])).outcome).to.equal('written');
      expect(await namesOf(second)).to.deep.equal(['ada', 'eve', 'bob']);
      one.write('settings.yaml', settingsOf('third'));
      await copy.reload();
      expect((await second.refreshed()).settings.oauth.audience).to.equal('third');
    },
  );
});
