// Writes on machines that share a store but have their own files. The change is based on the active configuration, and
// is declared together with the files or not at all (CLU-20, CLU-21).
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

describe('a write on machines that share a store', () => {
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
  /** The first machine is behind, because the second declared after it. */
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

  verifies(
    'CLU-20',
    'applies the change to the active configuration and declares it if the machine is behind',
    async () => {
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
      // Alternating between the machines, as a load balancer does.
      for (const [index, machine] of [other, behind, other, behind].entries()) {
        await machine.refreshed();
        const { revisions } = machine.inForce();
        expect((await machine.write([addUser(`user-${index}`)], { expected: revisions })).outcome).to.equal('written');
      }
      expect(await namesOf(other)).to.deep.equal(['ada', 'bob', 'user-0', 'user-1', 'user-2', 'user-3']);
    },
  );

  verifies('CLU-20', 'is based on the newest generation even if the machine does not know it yet', async () => {
    const [first, second] = await both();
    expect((await second.write([addUser('bob')])).outcome).to.equal('written');
    expect((await first.write([addClient('web')])).outcome).to.equal('written');
    expect(await namesOf(second)).to.deep.equal(['ada', 'bob']);
    expect(second.inForce().clients.has('web')).to.equal(true);
  });

  verifies(
    'CLU-21',
    'is a conflict for the slower of two simultaneous writers, whose files do not change',
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
      // The machine is behind, and has no change of its own left to declare.
      expect(await namesOf(second)).to.deep.equal(['ada', 'eve-1', 'eve-2']);
      expect((await first.write([addUser('bob')])).outcome).to.equal('written');
      expect(await namesOf(second)).to.deep.equal(['ada', 'eve-1', 'eve-2', 'bob']);
    },
  );

  verifies('CLU-21', 'restores linked files at their target, and deletes a file that was missing before', async () => {
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
  });

  verifies(
    'CLU-21',
    'is a conflict before anything is written if its base is no longer the newest generation',
    async () => {
      const [first, second] = await both();
      const { revisions } = first.inForce();
      await second.write([addUser('eve')]);
      const generation = await newest();
      const refused = await first.write([addUser('bob')], { expected: { users: revisions.users } });
      expect(refused).to.deep.equal({ outcome: 'conflict', stale: 'in_force' });
      expect([texts(one), await newest()]).to.deep.equal([[settingsOf('first'), users], generation]);
    },
  );

  verifies('CLU-21', 'declares an edited file first, but does not overwrite one that does not load', async () => {
    const [first, second] = await both();
    one.write('settings.yaml', settingsOf('third'));
    expect((await first.write([addUser('bob')])).outcome).to.equal('written');
    expect([await namesOf(second), second.inForce().settings.oauth.audience]).to.deep.equal([['ada', 'bob'], 'third']);
    one.write('settings.yaml', 'oauth: [');
    const before = texts(one);
    expect(await first.write([addUser('eve')])).to.deep.equal({ outcome: 'conflict', stale: 'on_disk' });
    expect(texts(one)).to.deep.equal(before);
  });

  verifies('CLU-21', 'restores the files if the store rejects the generation', async () => {
    const acceptOver = () => Promise.reject(new RuntimeStoreUnavailableError({ trouble: 'busy' }));
    const generations = { ...one.generations, acceptOver };
    const [first] = await both({ generations });
    const failure = await first.write([addUser('bob')]).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(RuntimeStoreUnavailableError);
    expect([texts(one), readdirSync(one.directory).length]).to.deep.equal([[settingsOf('first'), users], 2]);
    expect(await newest()).to.equal(2);
  });

  verifies('CLU-21', 'succeeds if another process of the machine has declared the same files meanwhile', async () => {
    const acceptOver: ConfigurationGenerations['acceptOver'] = async (base, texts, declarer) => {
      await one.generations.accept(texts.settingsText, texts.usersText, declarer);
      return one.generations.acceptOver(base, texts, declarer);
    };
    const [first, second] = await both({ generations: { ...one.generations, acceptOver } });
    expect(await first.write([addUser('bob')])).to.deep.include({ outcome: 'written', declared: true });
    expect(one.read('users.yaml')).to.contain('bob');
    expect([await namesOf(second), await newest(), first.inForce().generation]).to.deep.equal([['ada', 'bob'], 3, 3]);
  });

  verifies(
    ['CLU-15', 'CLU-21'],
    'succeeds if another machine has declared the same change, and declares nothing again',
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
      // It follows the store, and then finds that its files differ.
      for (const machine of [first, first, second]) expect(await namesOf(machine)).to.deep.equal(['ada', 'bob', 'eve']);
      expect(first.isBehind()).to.equal(true);
    },
  );

  verifies('CLU-20', 'is reported as not writable if the files cannot be written, and changes nothing', async () => {
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

  verifies(['CLU-20', 'WRT-16'], 'keeps the files if they cannot be activated here, but declares nothing', async () => {
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

  verifies('CLU-22', 'uses the declared names of the newest generation, even if the files differ', async () => {
    const [first, second] = await both();
    const names = async () => [...(await first.declaredNames()).users];
    one.write('users.yaml', 'users:\n  ada: {password: x}\n  written: {password: x}\n');
    expect([await names(), (await first.declaredNames()).inForce]).to.deep.equal([['ada'], true]);
    await second.write([addUser('eve')]);
    expect([await names(), (await first.declaredNames()).inForce]).to.deep.equal([['ada', 'eve'], false]);
  });

  verifies(
    'CLU-20',
    'follows the active configuration on a copy, declares a save, and declares no superseded files at a reload',
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
