// The newest declaration decides whether a name is declared, even if another machine made it a moment ago.
import { expect } from 'chai';
import { createUndeclared } from '#services/management/runtime-identities/create-runtime-identity.ts';
import { ActivationError, type ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import { addUser } from '#test/support/configuration-changes.ts';
import { verifies } from '#test/support/verifies.ts';
import { type OpenedDirectory, openDirectory } from '../../../shared/state/configuration/opened-directory.ts';

describe('createUndeclared on one of two machines that share a store', () => {
  let directories: readonly [OpenedDirectory, OpenedDirectory];
  beforeEach(() => {
    const settings = 'runtime: {store: sqlite, path: ../store.db}\n';
    directories = [openDirectory(settings), openDirectory(settings)];
  });
  afterEach(() => {
    for (const directory of directories) directory.remove();
  });

  const opened = async () => {
    const [one, two] = directories;
    const shared = { sharedStore: true, generations: one.generations };
    const first = await one.open({ ...shared, machine: 'one' });
    return [first, await two.open({ ...shared, machine: 'two' })] as const;
  };
  const create = (configuration: ActiveConfiguration, name: string) =>
    createUndeclared('user', name, { configuration }, async () => 'created');

  verifies('RUN-06', 'uses what the other machine declared after the request began', async () => {
    const [first, second] = await opened();
    await first.refreshed();
    await second.write([addUser('eve')]);
    expect(await create(first, 'bob')).to.equal('created');
    expect(first.inForce().users.has('eve')).to.equal(true);
    await second.write([addUser('zoe')]);
    expect(await create(first, 'zoe')).to.equal('declared');
  });

  verifies('RUN-08', 'rejects the request while that declaration cannot be activated here', async () => {
    const prepare = (candidate: { readonly users: ReadonlyMap<string, unknown> }) =>
      candidate.users.has('eve') ? Promise.reject(new ActivationError('no key')) : Promise.resolve(() => undefined);
    const [first, second] = await opened();
    first.join({ prepare });
    await first.refreshed();
    await second.write([addUser('eve')]);
    const refusal: unknown = await create(first, 'bob').catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(ActivationError);
  });
});
