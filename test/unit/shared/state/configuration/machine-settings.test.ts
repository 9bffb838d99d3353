// Directories that share a store and differ only in the settings of a machine declare the same configuration. Each uses
// its own settings, even if the other one declared or wrote last (CLU-19).
import { expect } from 'chai';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import { addClient, addUser } from '#test/support/configuration-changes.ts';
import { verifies } from '#test/support/verifies.ts';
import { type OpenedDirectory, openDirectory } from './opened-directory.ts';

const settingsOf = (port: number, audience = 'all') =>
  [
    '# settings',
    'server:',
    '  # where it listens',
    `  port: ${port} # and nowhere else`,
    '  debug: false',
    `oauth: {audience: ${audience}}`,
    `jwt: {keys_dir: ../keys-${port}}`,
    '',
  ].join('\n');
const users = 'users:\n  ada: {password: x}\n';

for (const cluster of [true, false]) {
  describe(`two directories that differ only in the settings of a machine, ${cluster ? 'on two machines' : 'on one'}`, () => {
    let one: OpenedDirectory;
    let two: OpenedDirectory;
    beforeEach(() => {
      one = openDirectory(settingsOf(9001), users);
      two = openDirectory(settingsOf(9002), users);
    });
    afterEach(() => {
      one.remove();
      two.remove();
    });

    const on = (machine: OpenedDirectory) =>
      machine.open({
        sharedStore: true,
        generations: one.generations,
        ...(cluster ? { machine: machine === one ? 'one' : 'two' } : {}),
      });
    const both = async (): Promise<[ActiveConfiguration, ActiveConfiguration]> => [await on(one), await on(two)];
    const newest = () => one.generations.newest();
    const activeValues = async (machine: ActiveConfiguration) => {
      const { settings, users: declared } = await machine.refreshed();
      const { server, oauth, jwt } = settings;
      return [server.port, jwt.keys_dir, oauth.audience, [...declared.keys()].join()];
    };

    verifies(['CLU-13', 'CLU-15'], 'declare one generation, and neither is behind', async () => {
      const machines = await both();
      for (const machine of [...machines, await on(one), await on(two)]) await machine.refreshed();
      expect([await newest(), ...machines.map((machine) => machine.isBehind())]).to.deep.equal([1, false, false]);
      expect(machines.flatMap((machine) => machine.changedOnDisk())).to.deep.equal([]);
      expect(await activeValues(machines[0])).to.deep.equal([9001, '../keys-9001', 'all', 'ada']);
      expect(await activeValues(machines[1])).to.deep.equal([9002, '../keys-9002', 'all', 'ada']);
      for (const machine of machines) await machine.reload();
      expect(await newest()).to.equal(1);
    });

    verifies(['CLU-19', 'CLU-20'], 'keep their own settings when the other one writes', async () => {
      const [first, second] = await both();
      expect((await first.write([addUser('bob')])).outcome).to.equal('written');
      expect(one.read('settings.yaml')).to.equal(settingsOf(9001));
      expect(await activeValues(second)).to.deep.equal([9002, '../keys-9002', 'all', 'ada,bob']);
      expect(await activeValues(first)).to.deep.equal([9001, '../keys-9001', 'all', 'ada,bob']);
      expect([await newest(), first.isBehind(), first.changedOnDisk().length]).to.deep.equal([2, false, 0]);
      // Another worker of the writing machine finds its own file, and no edit.
      const sibling = await on(one);
      await sibling.refreshed();
      expect([await newest(), sibling.isBehind()]).to.deep.equal([2, false]);
    });

    verifies(
      ['CLU-15', 'CLU-19'],
      'declare nothing when a person edits these settings, and keep the edit',
      async () => {
        const [first, second] = await both();
        one.write('settings.yaml', settingsOf(9003));
        expect(await activeValues(first)).to.deep.equal([9003, '../keys-9003', 'all', 'ada']);
        await second.refreshed();
        expect([await newest(), second.isBehind()]).to.deep.equal([1, false]);
        one.write('settings.yaml', settingsOf(9003, 'edited'));
        expect(await activeValues(first)).to.deep.equal([9003, '../keys-9003', 'edited', 'ada']);
        expect(await activeValues(second)).to.deep.equal([9002, '../keys-9002', 'edited', 'ada']);
        // It followed the other directory, and its next check finds that its files differ.
        await second.refreshed();
        expect([await newest(), second.isBehind()]).to.deep.equal([2, true]);
        // Files that are behind count only for the settings of their machine.
        two.write('settings.yaml', settingsOf(9004));
        expect(await activeValues(second)).to.deep.equal([9004, '../keys-9004', 'edited', 'ada']);
        expect([second.isBehind(), await newest()]).to.deep.equal([true, 2]);
        // A start with superseded files uses the active configuration with its own settings.
        expect(await activeValues(await on(two))).to.deep.equal([9004, '../keys-9004', 'edited', 'ada']);
        expect(await newest()).to.equal(2);
      },
    );

    verifies('CLU-19', 'keep their settings while their own file cannot be read', async () => {
      const [first, second] = await both();
      two.write('settings.yaml', 'oauth: [');
      await second.refreshed();
      one.write('settings.yaml', settingsOf(9001, 'edited'));
      await first.refreshed();
      expect(await activeValues(second)).to.deep.equal([9002, '../keys-9002', 'edited', 'ada']);
    });
  });
}

describe('a write on a machine that is behind', () => {
  let one: OpenedDirectory;
  let two: OpenedDirectory;
  afterEach(() => {
    one.remove();
    two.remove();
  });
  const open = async (own: string, declared: string): Promise<[ActiveConfiguration, ActiveConfiguration]> => {
    one = openDirectory(own, users);
    two = openDirectory(declared, users);
    const on = (machine: OpenedDirectory, name: string) =>
      machine.open({ sharedStore: true, generations: one.generations, machine: name });
    const machines: [ActiveConfiguration, ActiveConfiguration] = [await on(one, 'one'), await on(two, 'two')];
    for (const machine of [...machines, ...machines]) await machine.refreshed();
    return machines;
  };

  verifies(['CLU-19', 'CLU-20'], 'writes the declared text with its own settings and their comments', async () => {
    const [first, second] = await open(settingsOf(9001, 'first'), settingsOf(9002, 'second'));
    expect(first.isBehind()).to.equal(true);
    const expected = first.inForce().revisions;
    expect(second.inForce().revisions, 'a form of any machine is accepted').to.deep.equal(expected);
    expect((await first.write([addUser('bob'), addClient('web')], { expected })).outcome).to.equal('written');
    expect(one.read('settings.yaml')).to.include(settingsOf(9001, 'second').split('oauth:')[0]);
    expect(one.read('settings.yaml')).to.include('audience: second').and.include('keys_dir: ../keys-9001');
    expect(one.read('settings.yaml')).to.not.include('9002');
    await first.refreshed();
    expect([first.isBehind(), first.changedOnDisk().length, await one.generations.newest()]).to.deep.equal([
      false,
      0,
      3,
    ]);
    await second.refreshed();
    expect([second.inForce().settings.server.port, second.inForce().clients.has('web')]).to.deep.equal([9002, true]);
    expect(two.read('settings.yaml')).to.equal(settingsOf(9002, 'second'));
    const revisions = second.inForce().revisions;
    expect(revisions).to.deep.equal(first.inForce().revisions);
    expect((await second.write([addUser('eve')], { expected: revisions })).outcome).to.equal('written');
    expect(two.read('settings.yaml')).to.include(settingsOf(9002, 'second').split('oauth:')[0]).and.not.include('9001');
    for (const machine of [first, second, first]) await machine.refreshed();
    expect(await one.generations.newest()).to.equal(4);
  });

  verifies(
    ['CLU-19', 'CLU-20'],
    'does not copy settings or a section of the other machine if it has none itself',
    async () => {
      const plain = '# mine\noauth: {audience: first}\n';
      const [first] = await open(plain, '# theirs\nserver:\n  port: 9002\noauth: {audience: second}\n');
      expect((await first.write([addUser('bob')])).outcome).to.equal('written');
      expect(one.read('settings.yaml')).to.equal('oauth: {audience: second}\n');
    },
  );

  verifies(['CLU-19', 'CLU-21'], 'does not change the files if it cannot keep its own settings', async () => {
    const own = 'device_flow: &d {polling_interval: 3}\nserver: *d\noauth: {audience: first}\n';
    const [first] = await open(own, 'oauth: {audience: second}\n');
    expect(first.inForce().settings.oauth.audience, 'and continues with its own').to.equal('first');
    const refused = await first.write([addUser('bob')]);
    expect(refused.outcome === 'write_failed' && refused.message).to.match(
      /settings\.yaml server, runtime .* anchors or aliases/,
    );
    expect([one.read('settings.yaml'), one.read('users.yaml')]).to.deep.equal([own, users]);
  });
});
