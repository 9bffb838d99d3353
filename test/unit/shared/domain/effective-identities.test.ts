// Whose object a name means: declared over runtime over cached metadata document, alone and in lists.
import { expect } from 'chai';
import {
  findEffectiveClient,
  findEffectiveUser,
  listEffectiveClients,
  listEffectiveUsers,
} from '#shared/domain/effective-identities.ts';
import type { OpenedStore } from '#shared/store/open-store.ts';
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
    return opened.store.metadataDocuments.keep({ client_id: name, entry, fetchedAt: at(0), freshUntil: at(60) }, at(0));
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
    const listed = (await listEffectiveClients(snapshot, opened.store, at(1))).filter(
      ({ client }) => client.client_id === name,
    );
    expect(listed.map(({ origin }) => origin)).to.deep.equal(one === undefined ? [] : [one.origin]);
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
      (await listEffectiveUsers(snapshot, opened.store)).map(({ user, origin }) => `${user.username} ${origin}`);
    expect(await listed(undeclared)).to.deep.equal(['bob declared', 'alice runtime']);
    expect(await listed(declared)).to.deep.equal(['bob declared', 'alice declared']);
  });
});
