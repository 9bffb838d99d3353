// Whose object a name means: declared over runtime over cached metadata document, alone and in lists.
import { expect } from 'chai';
import {
  eachEffectiveClient,
  eachEffectiveUser,
  effectiveClientNames,
  effectiveUserNames,
  findEffectiveClient,
  findEffectiveUser,
  findUserByAddress,
  firstNamesWithPassword,
} from '#shared/engine/identities/effective-identities.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { at, clientEntry, event, userEntry } from '#test/contract/store-under-test.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { openTestStore } from '#test/support/open-test-store.ts';
import { verifies } from '#test/support/verifies.ts';

describe('effective identities', () => {
  const name = 'https://client.example/metadata';
  const settings = { oauth: { client_id_metadata_documents: { enabled: true } } };
  const declaring = {
    oauth: { ...settings.oauth, clients: [{ client_id: name, client_secret: 's', description: 'declared' }] },
  };
  let opened: OpenedStore;
  beforeEach(async () => {
    opened = await openTestStore({ kind: 'memory' });
  });
  afterEach(() => opened.close());

  const keepDocument = () => {
    const entry = clientEntry(name, { description: 'cimd', token_endpoint_auth_method: 'none' });
    return opened.store.metadataDocuments.save({ client_id: name, entry, fetchedAt: at(0), freshUntil: at(60) }, at(0));
  };
  const createClient = () =>
    opened.store.identities.createClient(
      clientEntry(name, { description: 'runtime' }),
      at(0),
      event('runtime_identity_created'),
    );
  const meant = async (content: object) => {
    const snapshot = snapshotOf({ settings: content });
    const one = await findEffectiveClient(snapshot, opened.store, name, at(1));
    const clients = await piecesOf(eachEffectiveClient(snapshot, opened.store, at(1)));
    const listed = clients.filter(({ client }) => client.client_id === name);
    expect(listed.map(({ origin }) => origin)).to.deep.equal(one === undefined ? [] : [one.origin]);
    const { declared, runtime, documents } = await effectiveClientNames(snapshot, opened.store, at(1));
    expect([...declared, ...runtime, ...documents]).to.deep.equal(clients.map(({ client }) => client.client_id));
    return one && [one.origin, one.client.description];
  };

  verifies('RUN-20', 'finds the declared client before the runtime one and that before a cached document', async () => {
    expect(await meant(settings)).to.equal(undefined);
    await keepDocument();
    expect(await meant(settings)).to.deep.equal(['cimd', 'cimd']);
    await createClient();
    expect(await meant(settings)).to.deep.equal(['runtime', 'runtime']);
    expect(await meant(declaring)).to.deep.equal(['declared', 'declared']);
  });

  it('reads the restriction of a runtime client as that of a declared one', async () => {
    const entry = clientEntry(name, { scope: 'openid\n  email\temail' });
    await opened.store.identities.createClient(entry, at(0), event('runtime_identity_created'));
    const runtime = await findEffectiveClient(snapshotOf({}), opened.store, name, at(1));
    const clients = [{ client_id: name, client_secret: 's', scope: 'openid\n  email\temail' }];
    const declared = snapshotOf({ settings: { oauth: { clients } } }).clients.get(name);
    expect(runtime?.client.scopes).to.deep.equal(['openid', 'email']);
    expect(declared?.scopes).to.deep.equal(['openid', 'email']);
  });

  it('knows no cached document while the feature is off', async () => {
    await keepDocument();
    expect(await meant({ oauth: {} })).to.equal(undefined);
  });

  verifies('RUN-20', 'finds the declared user before the runtime one, and lists it once', async () => {
    const created = event('runtime_identity_created');
    await opened.store.identities.createUser('alice', userEntry({ description: 'runtime' }), at(0), created);
    const undeclared = snapshotOf({ users: { bob: {} } });
    const declared = snapshotOf({ users: { bob: {}, alice: { description: 'declared' } } });
    expect((await findEffectiveUser(undeclared, opened.store, 'alice'))?.origin).to.equal('runtime');
    expect((await findEffectiveUser(declared, opened.store, 'alice'))?.user.description).to.equal('declared');
    const listed = async (snapshot: typeof declared) =>
      (await piecesOf(eachEffectiveUser(snapshot, opened.store))).map(
        ({ user, origin }) => `${user.username} ${origin}`,
      );
    expect(await listed(undeclared)).to.deep.equal(['bob declared', 'alice runtime']);
    expect(await listed(declared)).to.deep.equal(['bob declared', 'alice declared']);
  });

  it('goes through everybody piece by piece, and tells names without reading anybody', async () => {
    const created = event('runtime_identity_created');
    const { identities } = opened.store;
    const names = Array.from({ length: 450 }, (_, number) => `runtime-${number}`);
    for (const name of names) await identities.createUser(name, userEntry({ password: 'p' }), at(0), created);
    const snapshot = snapshotOf({ users: { bob: { password: 'b' }, guest: {}, 'runtime-7': { password: 'r' } } });
    const everybody = ['bob', 'guest', 'runtime-7', ...names.filter((name) => name !== 'runtime-7')];
    const listed = await piecesOf(eachEffectiveUser(snapshot, opened.store));
    expect(listed.map(({ user }) => user.username)).to.deep.equal(everybody);
    const { declared, runtime } = await effectiveUserNames(snapshot, opened.store);
    expect([...declared, ...runtime]).to.deep.equal(everybody);
    const withPassword = everybody.filter((name) => name !== 'guest');
    for (const limit of [1, 2, 3, 6, 500]) {
      expect(await firstNamesWithPassword(snapshot, opened.store, limit)).to.deep.equal(withPassword.slice(0, limit));
    }
  });

  verifies('LOG-09', 'tells the names of those alone whom a password can log in: an empty one is none', async () => {
    await opened.store.identities.createUser(
      'blank',
      userEntry({ password: '' }),
      at(0),
      event('runtime_identity_created'),
    );
    const snapshot = snapshotOf({ users: { empty: { password: '' }, none: {}, bob: { password: 'b' } } });
    expect(await firstNamesWithPassword(snapshot, opened.store, 6)).to.deep.equal(['bob']);
  });

  it('reads as many as are missing for the names it is to tell, and more only where some of them have no password', async () => {
    const created = event('runtime_identity_created');
    const { identities } = opened.store;
    for (let number = 0; number < 40; number += 1) {
      const entry = userEntry({ password: number < 20 ? undefined : 'p' });
      await identities.createUser(`runtime-${number}`, entry, at(0), created);
    }
    const sizes: number[] = [];
    const usersAfter: typeof identities.usersAfter = (after, limit) => {
      sizes.push(limit);
      return identities.usersAfter(after, limit);
    };
    const watched = { ...opened.store, identities: { ...identities, usersAfter } };
    const names = await firstNamesWithPassword(snapshotOf({ users: { bob: { password: 'b' } } }), watched, 3);
    expect(names).to.deep.equal(['bob', 'runtime-20', 'runtime-21']);
    expect(sizes).to.deep.equal([2, 4, 8, 16]);
  });

  verifies('SAM-63', 'finds the only user who has an address, declared or runtime', async () => {
    const created = event('runtime_identity_created');
    const { identities } = opened.store;
    await identities.createUser('alone', userEntry({ email: 'alone@example.com' }), at(0), created);
    await identities.createUser('one', userEntry({ email: 'two@example.com' }), at(0), created);
    await identities.createUser('other', userEntry({ email: 'two@example.com' }), at(0), created);
    await identities.createUser('beside', userEntry({ email: 'declared@example.com' }), at(0), created);
    await identities.createUser('hidden', userEntry({ email: 'hidden@example.com' }), at(0), created);
    const users = {
      carol: { email: 'declared@example.com' },
      dave: { email: 'dave@example.com' },
      eve: { email: 'same@example.com' },
      erin: { email: 'same@example.com' },
      blank: { email: '' },
      hidden: { email: 'shown@example.com' },
    };
    const snapshot = snapshotOf({ users });
    const found = async (address: string) => (await findUserByAddress(snapshot, opened.store, address))?.username;
    expect(await found('alone@example.com')).to.equal('alone');
    expect(await found('dave@example.com')).to.equal('dave');
    expect(await found('blank@example.org')).to.equal('blank');
    expect(await found('shown@example.com')).to.equal('hidden');
    const nobodys = ['two@example.com', 'declared@example.com', 'same@example.com', 'hidden@example.com', ''];
    for (const address of nobodys) expect(await found(address)).to.equal(undefined);
  });
});

async function piecesOf<Row>(pieces: AsyncIterable<readonly Row[]>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const piece of pieces) rows.push(...piece);
  return rows;
}
