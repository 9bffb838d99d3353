// What generated keys must do in a keys directory and in a store that machines share. Two openers are two processes.
// With the store they are two machines.
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { systemClock } from '#shared/base/clock.ts';
import type { GeneratedKeys } from '#shared/state/keys/generated-keys.ts';
import type { KeySet } from '#shared/state/keys/key-set.ts';
import { openDirectoryKeys } from '#shared/state/keys/open-directory-keys.ts';
import { openStoreKeys } from '#shared/state/keys/store-keys.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import type { Skippable } from '#test/support/debian-programs.ts';
import {
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  usePostgres,
} from '#test/support/postgres-server.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { until } from '#test/support/stack.ts';
import { keyDependencies, newKeysRoot } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

/** A process that has the keys open, and checks for changes as each of its requests would. */
interface Opener {
  readonly keys: GeneratedKeys;
  look(): Promise<unknown>;
}

interface EmptyPlace {
  open(maxPrevious?: number): Promise<Opener>;
  remove(): Promise<void>;
}

function describeGeneratedKeys(kind: string, emptyPlace: (context: Skippable) => Promise<EmptyPlace>): void {
  let place: EmptyPlace;
  let one: Opener;
  let other: Opener;
  beforeEach(async function () {
    this.timeout(60_000);
    place = await emptyPlace(this);
    [one, other] = await Promise.all([place.open(), place.open()]);
  });
  afterEach(() => place?.remove());

  const inForce = async (opener: Opener): Promise<KeySet> => {
    await opener.look();
    return await opener.keys.current();
  };
  const shown = async (opener: Opener) => {
    const { signing, jwks, information } = await inForce(opener);
    return { kid: signing.kid, certificate: signing.certificatePem, jwks, information };
  };
  const kidsOf = async (opener: Opener) => (await inForce(opener)).jwks.map(({ kid }) => kid);

  verifies(
    ['KEY-05', 'CLU-07'],
    `${kind}: processes that start at the same time create one key and one certificate`,
    async () => {
      expect(await shown(one)).to.deep.equal(await shown(other));
      const { signing } = await inForce(one);
      expect(new X509Certificate(signing.certificatePem).checkPrivateKey(signing.privateKey)).to.equal(true);
      expect(await shown(await place.open())).to.deep.equal(await shown(one));
    },
  );

  verifies(
    ['KEY-12', 'CLU-08'],
    `${kind}: a rotation is active in the other process with its next operation`,
    async () => {
      const first = (await inForce(one)).signing;
      const { old_kid, new_kid, previous_keys_count } = await one.keys.rotate();
      expect([old_kid, previous_keys_count]).to.deep.equal([first.kid, 1]);
      for (const opener of [one, other]) {
        const { signing, verificationKey } = await inForce(opener);
        expect(signing.kid).to.equal(new_kid);
        expect(new X509Certificate(signing.certificatePem).checkPrivateKey(signing.privateKey)).to.equal(true);
        expect(verificationKey(old_kid)?.publicKey.equals(first.publicKey)).to.equal(true);
        expect(verificationKey('nobody’s')).to.equal(undefined);
      }
      expect(await shown(one)).to.deep.equal(await shown(other));
    },
  );

  verifies(['KEY-13', 'CLU-08'], `${kind}: simultaneous rotations run one after the other`, async () => {
    for (const { keys } of [one, other]) keys.keepPrevious(10);
    const first = (await inForce(one)).signing.kid;
    const rotations = await Promise.all([one, other, one, other].map(({ keys }) => keys.rotate()));
    const successor = new Map(rotations.map(({ old_kid, new_kid }) => [old_kid, new_kid]));
    const order = [first];
    for (let kid = successor.get(first); kid !== undefined; kid = successor.get(kid)) order.unshift(kid);
    expect(order, 'each retired the key of the previous one').to.have.length(5);
    expect(await kidsOf(one)).to.deep.equal(order);
    expect(await kidsOf(other)).to.deep.equal(order);
    expect(rotations.map((rotation) => rotation.previous_keys_count).toSorted()).to.deep.equal([1, 2, 3, 4]);
  });

  verifies('KEY-09', `${kind}: keeps the configured number of previous keys`, async () => {
    one.keys.keepPrevious(1);
    other.keys.keepPrevious(1);
    const { old_kid } = await one.keys.rotate();
    const { new_kid } = await other.keys.rotate();
    expect(await kidsOf(one)).to.have.length(2);
    expect(await kidsOf(other))
      .to.include(new_kid)
      .and.not.include(old_kid);
    one.keys.keepPrevious(0);
    expect(await kidsOf(one)).to.deep.equal([new_kid]);
  });

  verifies(
    'SPM-31',
    `${kind}: the announced key is the same for all processes, and the next rotation activates it`,
    async () => {
      for (const { keys } of [one, other]) keys.announceNext(true);
      const [active, next, ...rest] = await one.keys.announcedCertificates();
      await other.look();
      expect(await other.keys.announcedCertificates()).to.deep.equal([active, next]);
      expect(rest).to.deep.equal([]);
      await other.keys.rotate();
      expect((await inForce(one)).signing.certificatePem).to.equal(next);
      const [now, following, former] = await one.keys.announcedCertificates();
      expect([now, former]).to.deep.equal([next, active]);
      expect(following).to.not.be.oneOf([active, next]);
    },
  );
}

const worker = {
  ...{ stack: 's', host: 'h', version: '0', startedAt: 0, kind: 'oidc', pid: 1, configuration: undefined },
};

const dependencies = { ...keyDependencies, clock: systemClock, log: silentLogger() };

describe('generated keys contract: a keys directory', () => {
  describeGeneratedKeys('directory', async () => {
    const root = newKeysRoot();
    return {
      open: async (maxPrevious = 2) => ({
        keys: await openDirectoryKeys(root.keysDirectory, maxPrevious, dependencies),
        // The check of this event-loop turn may already be done.
        look: () => new Promise((resolve) => setImmediate(resolve)),
      }),
      remove: async () => root.remove(),
    };
  });
});

describe('generated keys contract: PostgreSQL', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  usePostgres((started) => {
    server = started;
  });

  const open = async (location: ReturnType<typeof emptyPostgresLocation>) => {
    const opened = await openTestPostgres(location);
    const { signingKeys, store } = opened;
    if (signingKeys === undefined) throw new Error('It keeps no signing keys.');
    const opener = async (maxPrevious = 2): Promise<Opener> => ({
      keys: await openStoreKeys(maxPrevious, { ...dependencies, signingKeys }),
      look: () => store.generations.newest(),
    });
    return { opened, signingKeys, opener };
  };

  describeGeneratedKeys('store', async () => {
    const location = emptyPostgresLocation(server);
    const stores: OpenedStore[] = [];
    return {
      open: async (maxPrevious) => {
        const { opened, opener } = await open(location);
        stores.push(opened);
        return opener(maxPrevious);
      },
      remove: async () => {
        for (const store of stores) await store.close();
      },
    };
  });

  verifies('CLU-08', 'reads keys only when they changed', async () => {
    const { opened, signingKeys, opener } = await open(emptyPostgresLocation(server));
    try {
      const { keys, look } = await opener();
      const before = signingKeys.current();
      await look();
      expect(signingKeys.current()).to.equal(before);
      expect(await keys.current()).to.equal(await keys.current());
      await keys.rotate();
      expect(signingKeys.current()).to.not.equal(before);
    } finally {
      await opened.close();
    }
  });

  verifies('CLU-10', 'lets no living process sign with another key, and does not wait for a dead one', async () => {
    const location = emptyPostgresLocation(server);
    const [one, other] = [await open(location), await open(location)];
    const pair = { kid: 'a', thumbprint: 'thumbprint-a' };
    expect(await one.signingKeys.signWith(pair)).to.deep.equal(pair);
    expect(await other.signingKeys.signWith('generated')).to.deep.equal(pair);
    expect(await other.signingKeys.signWith({ ...pair, kid: 'b' })).to.deep.equal(pair);
    expect(await other.signingKeys.signWith(pair)).to.deep.equal(pair);
    await one.opened.close();
    expect(await other.signingKeys.signWith('generated'), 'its own choice can change').to.equal('generated');
    const rows = await server.ask(`SELECT owner FROM ${location.schema}.key_holders`);
    expect(rows, 'dead processes leave nothing').to.have.length(1);
    await other.opened.close();
  });

  verifies(
    'CLU-10',
    'is confirmed again by a process that lost its proof of life and continues under another name',
    async () => {
      const location = emptyPostgresLocation(server);
      const [one, other] = [await open(location), await open(location)];
      const pair = { kid: 'a', thumbprint: 'thumbprint-a' };
      const holders = async () =>
        (await server.ask(`SELECT owner FROM ${location.schema}.key_holders`)).map(({ owner }) => owner);
      try {
        await one.signingKeys.signWith(pair);
        const former = one.opened.owner;
        expect(await holders()).to.deep.equal([former]);
        await server.ask(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name <> '' AND pid <> pg_backend_pid()",
        );
        // As it does automatically every few seconds.
        await until('it continues under another name', async () => {
          await one.opened.store.generations.newest();
          await one.opened.cluster?.report(worker);
          one.signingKeys.current();
          return (await holders()).some((owner) => owner !== former);
        });
        expect(await other.signingKeys.signWith('generated')).to.deep.equal(pair);
        expect(await holders(), 'the previous name is deleted').to.have.length(1);
      } finally {
        await one.opened.close();
        await other.opened.close();
      }
    },
  );

  it('migrates a schema of the first version, which had no keys, with its state', async () => {
    const location = emptyPostgresLocation(server);
    const { schema } = location;
    const first = await open(location);
    await first.opened.store.sharedSecrets.get('cookie', () => 'kept');
    await first.opened.close();
    await server.ask(
      `DROP TABLE ${schema}.signing_keys, ${schema}.key_holders, ${schema}.workers, ${schema}.ended_assertions, ${schema}.pushed_requests,
         ${schema}.used_assertions;
       ALTER TABLE ${schema}.head DROP COLUMN key_changes, DROP COLUMN proved_real;
       ALTER TABLE ${schema}.transactions DROP COLUMN real_until, DROP COLUMN address;
       ALTER TABLE ${schema}.second_factors DROP COLUMN real_until;
       ALTER TABLE ${schema}.generations DROP COLUMN shared_digest;
       ALTER TABLE ${schema}.store_version DROP COLUMN oldest_format;
       ALTER TABLE ${schema}.device_grants DROP COLUMN client_instance, DROP COLUMN real_until;
       UPDATE ${schema}.store_version SET version = 1`,
    );
    const [one, other] = await Promise.all([open(location), open(location)]);
    expect(await one.opened.store.sharedSecrets.get('cookie', () => 'new')).to.equal('kept');
    const kids = await Promise.all(
      [one, other].map(async ({ opener }) => (await (await opener()).keys.current()).signing.kid),
    );
    expect(new Set(kids).size).to.equal(1);
    await one.opened.close();
    await other.opened.close();
  });
});
