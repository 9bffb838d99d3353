// Runtime users and clients, registrations and resets, each with its event.
import { expect } from 'chai';
import { serviceProviderEntryModel } from '#shared/model/configuration/service-provider-entry.ts';
import type { Registration } from '#shared/model/domain/runtime-identity.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, clientEntry, event, eventTypes, type StoreUnderTest, userEntry } from '../store-under-test.ts';

const created = event('runtime_identity_created');
const deleted = event('runtime_identity_deleted');

function registration(clientId: string): Registration {
  return {
    client_id: clientId,
    accessTokenHash: `hash-of-${clientId}`,
    issuedAt: at(0),
    grant_types: ['authorization_code'],
    client_name: undefined,
  };
}

export function describeIdentities(under: () => StoreUnderTest): void {
  const register = (clientId: string, max = 100, epoch = 0) =>
    under().store.identities.register(
      clientEntry(clientId),
      registration(clientId),
      max,
      epoch,
      at(0),
      event('client_registered'),
    );

  describe('the runtime identities', () => {
    verifies('RUN-14', 'have an id each, and a later object of the same name has another one', async () => {
      const { identities } = under().store;
      const first = await identities.createUser('alice', userEntry(), at(0), created);
      if (first === 'exists') throw new Error('not created');
      expect(first.instance_id).to.match(/^[\w-]{22}$/);
      expect(await identities.findUser('alice')).to.deep.equal(first);
      await identities.remove('user', 'alice', deleted);
      const second = await identities.createUser('alice', userEntry(), at(0), created);
      if (second === 'exists') throw new Error('not created');
      expect(second.instance_id).to.not.equal(first.instance_id);
    });

    verifies('SPM-23', 'keep service providers separate from users and clients of the same name', async () => {
      const { identities } = under().store;
      const name = 'https://sp.example';
      const entry = serviceProviderEntryModel.parse({ entity_id: name, acs: `${name}/acs`, certificates: ['text'] });
      const create = () => identities.createServiceProvider(name, entry, at(0), created);
      const made = await Promise.all([create(), create(), create()]);
      const [first] = made.filter((each) => each !== 'exists');
      if (first === undefined) throw new Error('not created');
      expect(made.filter((each) => each === 'exists')).to.have.length(2);
      await identities.createUser(name, userEntry(), at(0), created);
      expect(await identities.findServiceProvider(name)).to.deep.equal(first);
      expect((await identities.listServiceProviders()).map((each) => each.name)).to.deep.equal([name]);
      const replaced = await identities.createServiceProvider(name, entry, at(1), created, deleted);
      if (replaced === 'exists') throw new Error('not replaced');
      expect(replaced.instance_id).to.not.equal(first.instance_id);
      expect(await identities.remove('service_provider', name, deleted)).to.equal('removed');
      expect(await identities.remove('service_provider', name, deleted)).to.equal('unknown');
      expect(await identities.findUser(name)).to.not.equal(undefined);
      await create();
      const declared = { generation: 99, users: new Set<string>(), clients: new Set<string>() };
      expect(await identities.reconcile(declared, { at: at(2) })).to.deep.equal([]);
      expect(
        await identities.reconcile({ ...declared, serviceProviders: new Set([name]) }, { at: at(2) }),
      ).to.deep.equal([{ kind: 'service_provider', name, outcome: 'removed' }]);
      await create();
      const counts = { users_deleted: 1, clients_deleted: 0, service_providers_deleted: 1 };
      expect(await identities.reset((details) => event('runtime_identities_reset', { details }))).to.deep.equal(counts);
    });

    verifies(
      ['PCL-15', 'PCL-16'],
      'are updated in one step, with the same id and an address that is found',
      async () => {
        const { identities } = under().store;
        const updated = () => event('runtime_identity_updated');
        expect(await identities.updateUser('zoe', (entry) => entry, updated)).to.equal('unknown');
        const first = await identities.createUser('zoe', userEntry(), at(0), created);
        if (first === 'exists') throw new Error('not created');
        const add = (role: string) =>
          identities.updateUser('zoe', (entry) => ({ ...entry, roles: [...entry.roles, role] }), updated);
        await Promise.all([add('A'), add('B'), add('C')]);
        const found = await identities.findUser('zoe');
        expect([...(found?.entry.roles ?? [])].sort()).to.deep.equal([...first.entry.roles, 'A', 'B', 'C'].sort());
        expect(found?.instance_id).to.equal(first.instance_id);
        expect(await identities.updateUser('zoe', () => undefined, updated)).to.equal('refused');
        await identities.updateUser('zoe', (entry) => ({ ...entry, email: 'z@example.net' }), updated);
        expect((await identities.findUsersByAddress('z@example.net')).map(({ name }) => name)).to.deep.equal(['zoe']);
        expect((await eventTypes(under().audit)).filter((type) => type === 'runtime_identity_updated')).to.have.length(
          4,
        );
      },
    );

    it('are stored unchanged, with users separate from clients of the same name', async () => {
      const { identities } = under().store;
      const entry = userEntry({ totp_secret: 'JBSWY3DPEHPK3PXP', attributes: { nested: { list: [1, null] } } });
      await identities.createUser('same', entry, at(0), created);
      await identities.createClient(clientEntry('same', { scope: 'openid' }), at(1), created);
      expect((await identities.findUser('same'))?.entry).to.deep.equal(entry);
      const client = await identities.findClient('same');
      expect(client?.entry).to.deep.equal(clientEntry('same', { scope: 'openid' }));
      expect(client?.registration).to.equal(undefined);
      expect(client?.createdAt).to.equal(at(1));
    });

    it('are listed in order of creation', async () => {
      const { identities } = under().store;
      for (const name of ['c', 'a', 'b']) await identities.createUser(name, userEntry(), at(0), created);
      await identities.remove('user', 'c', deleted);
      await identities.createUser('c', userEntry(), at(0), created);
      expect((await identities.listUsers()).map(({ name }) => name)).to.deep.equal(['a', 'b', 'c']);
      expect(await identities.listClients()).to.deep.equal([]);
    });

    it('are found several at once, and only of the requested kind', async () => {
      const { identities } = under().store;
      for (const name of ['b', 'o\'neil, "joe"', 'a']) await identities.createUser(name, userEntry(), at(0), created);
      await identities.createClient(clientEntry('app'), at(0), created);
      const found = await identities.findUsers(['app', 'a', 'o\'neil, "joe"', 'nobody', 'b', 'a']);
      expect(found.map(({ name }) => name)).to.deep.equal(['b', 'o\'neil, "joe"', 'a']);
      expect(found[0]).to.deep.equal(await identities.findUser('b'));
      expect(await identities.findUsers([])).to.deep.equal([]);
    });

    it('can be listed by name only, and read in chunks', async () => {
      const { identities } = under().store;
      for (const name of ['e', 'd', 'c', 'b', 'a']) await identities.createUser(name, userEntry(), at(0), created);
      await identities.createClient(clientEntry('app'), at(0), created);
      await identities.createClient(clientEntry('other'), at(0), created);
      expect(await identities.names('user')).to.deep.equal(['e', 'd', 'c', 'b', 'a']);
      expect(await identities.names('user', 2)).to.deep.equal(['e', 'd']);
      expect(await identities.names('client')).to.deep.equal(['app', 'other']);
      const first = await identities.usersAfter(0, 2);
      await identities.remove('user', 'd', deleted);
      const second = await identities.usersAfter(first.next ?? 0, 2);
      const third = await identities.usersAfter(second.next ?? 0, 2);
      const pieces = [first, second, third].map(({ users }) => users.map(({ name }) => name));
      expect(pieces).to.deep.equal([['e', 'd'], ['c', 'b'], ['a']]);
      expect(third).not.to.have.property('next');
      expect(first.users[0]).to.deep.equal(await identities.findUser('e'));
      const { clients, next } = await identities.clientsAfter(0, 5);
      expect(clients).to.deep.equal(await identities.listClients());
      expect(next).to.equal(undefined);
    });

    verifies('SAM-63', 'find at most two users by their address, also by one derived from the username', async () => {
      const { identities } = under().store;
      const shared = userEntry({ email: 'team@example.com' });
      for (const name of ['a', 'b', 'c']) await identities.createUser(name, shared, at(0), created);
      await identities.createUser('plain', userEntry(), at(0), created);
      await identities.createUser('blank', userEntry({ email: '' }), at(0), created);
      await identities.createClient(clientEntry('app'), at(0), created);
      const found = async (address: string) => (await identities.findUsersByAddress(address)).map(({ name }) => name);
      expect(await found('team@example.com')).to.deep.equal(['a', 'b']);
      expect(await found('plain@example.org')).to.deep.equal(['plain']);
      expect(await found('blank@example.org')).to.deep.equal(['blank']);
      expect(await found('app@example.org')).to.deep.equal([]);
      expect(await found('')).to.deep.equal([]);
    });

    it('allow exactly one of several simultaneous creations of a name, with one event', async () => {
      const { identities } = under().store;
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () => identities.createClient(clientEntry('app'), at(0), created)),
      );
      expect(outcomes.filter((outcome) => outcome !== 'exists')).to.have.length(1);
      expect(await eventTypes(under().audit)).to.deep.equal(['runtime_identity_created']);
    });

    it('are deleted once, with one event', async () => {
      const { identities } = under().store;
      await identities.createUser('alice', userEntry(), at(0), created);
      const outcomes = await Promise.all([1, 2].map(() => identities.remove('user', 'alice', deleted)));
      expect(outcomes).to.deep.equal(['removed', 'unknown']);
      expect(await identities.remove('client', 'alice', deleted)).to.equal('unknown');
      expect(await eventTypes(under().audit)).to.deep.equal(['runtime_identity_created', 'runtime_identity_deleted']);
    });

    it('are all deleted by a reset if they are free, and the reset returns the number', async () => {
      const { identities } = under().store;
      await identities.createUser('a', userEntry(), at(0), created);
      await identities.createClient(clientEntry('b'), at(0), created);
      await register('c');
      const counts = await identities.reset((details) => event('runtime_identities_reset', { details }));
      expect(counts).to.deep.equal({ users_deleted: 1, clients_deleted: 2 });
      expect(await identities.listClients()).to.deep.equal([]);
      const [last] = await under().audit.read({ limit: 1 });
      expect(last?.details).to.deep.equal({ users_deleted: 1, clients_deleted: 2 });
    });
  });

  describe('registrations', () => {
    it('are found only by their exact token hash', async () => {
      const { identities } = under().store;
      expect(await register('dcr-1')).to.equal('registered');
      const found = await identities.findRegistration('dcr-1', 'hash-of-dcr-1');
      expect(found?.registration).to.deep.equal(registration('dcr-1'));
      expect(await identities.findRegistration('dcr-1', 'hash-of-dcr-2')).to.equal(undefined);
      expect(await identities.findRegistration('dcr-2', 'hash-of-dcr-1')).to.equal(undefined);
    });

    it('never exceed their limit, even with simultaneous requests for the last place', async () => {
      const { identities } = under().store;
      await identities.createClient(clientEntry('no-registration'), at(0), created);
      const outcomes = await Promise.all(Array.from({ length: 6 }, (_, number) => register(`dcr-${number}`, 2)));
      expect(outcomes.toSorted()).to.deep.equal(['limit', 'limit', 'limit', 'limit', 'registered', 'registered']);
    });

    it('from pages of other sites take at most half of the places', async () => {
      const { identities } = under().store;
      const byPage = (clientId: string) => {
        const made = { ...registration(clientId), byForeignPage: true } as const;
        return identities.register(clientEntry(clientId), made, 3, 0, at(0), event('client_registered'));
      };
      expect(await byPage('dcr-1')).to.equal('registered');
      expect(await byPage('dcr-2')).to.equal('registered');
      expect(await byPage('dcr-3')).to.equal('limit_of_foreign_pages');
      expect(await register('dcr-3', 3)).to.equal('registered');
      expect(await byPage('dcr-4')).to.equal('limit');
    });

    it('free their place when the client is deleted', async () => {
      const { identities } = under().store;
      await register('dcr-1', 1);
      expect(await register('dcr-2', 1)).to.equal('limit');
      await identities.remove('client', 'dcr-1', deleted);
      expect(await register('dcr-2', 1)).to.equal('registered');
      await identities.unregister('dcr-2', 'hash-of-dcr-2', event('client_registration_deleted'));
      expect(await register('dcr-3', 1)).to.equal('registered');
    });

    it('are interrupted by a simultaneous reset, and leave nothing behind', async () => {
      const { identities } = under().store;
      const epoch = await identities.registrationEpoch();
      await identities.reset((details) => event('runtime_identities_reset', { details }));
      expect(await register('dcr-1', 100, epoch)).to.equal('interrupted');
      expect(await identities.findClient('dcr-1')).to.equal(undefined);
      expect(await register('dcr-1', 100, await identities.registrationEpoch())).to.equal('registered');
    });

    it('do not exist for a later client with the same id', async () => {
      const { identities } = under().store;
      await register('dcr-1');
      expect(await identities.unregister('dcr-1', 'wrong', event('client_registration_deleted'))).to.equal('unknown');
      await identities.remove('client', 'dcr-1', deleted);
      await identities.createClient(clientEntry('dcr-1'), at(0), created);
      expect(await identities.findRegistration('dcr-1', 'hash-of-dcr-1')).to.equal(undefined);
    });
  });
}
