// The life of sandboxes with a clock that the test moves: limits, expiry, and keys that are generated on demand.
import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { systemRandomness } from '#shared/base/random.ts';
import { openSandboxes, type Sandboxes } from '#shared/engine/sandboxes/open-sandboxes.ts';
import { movableClock, realTime } from '#shared/model/domain/movable-clock.ts';
import type { Sandbox } from '#shared/model/domain/sandbox.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import { NamespaceEndedError } from '#shared/state/store/namespace-id.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { stackStoreFiles } from '#shared/state/store/store-files.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { manualClock } from '#test/support/manual-clock.ts';
import { rowsBesideDefault } from '#test/support/namespace-rows.ts';
import { openTestStore, temporaryDirectory } from '#test/support/open-test-store.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { newKeysRoot, openTestKeys, pooledKeyPair } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

describe('open sandboxes', () => {
  const closing: (() => unknown)[] = [];
  let real: ReturnType<typeof manualClock>;
  let opened: OpenedStore;
  let sandboxes: Sandboxes;
  /** A second process on the same store. */
  let elsewhere: { readonly opened: OpenedStore; readonly sandboxes: Sandboxes };
  let drawn: number;
  let directory: string;

  beforeEach(async () => {
    real = manualClock(1_800_000_000_000);
    drawn = 0;
    const root = newKeysRoot();
    directory = temporaryDirectory();
    const location = { kind: 'stack', directory } as const;
    const first = await openTestStore(location, { realClock: real });
    const second = await openTestStore(location, { realClock: real });
    const keys = await openTestKeys(root);
    const snapshot = snapshotOf({});
    const configuration: Partial<ActiveConfiguration> = { inForce: () => snapshot, refreshed: async () => snapshot };
    const openOn = (store: OpenedStore) =>
      openSandboxes({
        ...{ opened: store, keys, realClock: real, random: systemRandomness, log: silentLogger() },
        configuration: configuration as ActiveConfiguration,
        clock: movableClock(() => realTime, real),
        drawKeyPair: () => {
          drawn += 1;
          return pooledKeyPair();
        },
      });
    opened = first;
    sandboxes = openOn(first);
    elsewhere = { opened: second, sandboxes: openOn(second) };
    closing.push(
      () => first.close(),
      () => second.close(),
      () => rmSync(directory, { recursive: true, force: true }),
      () => root.remove(),
    );
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  const event = ({ name }: Sandbox) =>
    ({ event_type: 'sandbox_created', at: real.now(), status: 'success', details: { name } }) as const;
  const make = async (request: object = {}) => {
    const creation = await sandboxes.create(request, event);
    if (creation.outcome !== 'created') throw new Error(creation.outcome);
    return creation.sandbox;
  };
  const expiries = async () =>
    (await opened.audit.read({ limit: -1, event_type: 'sandbox_deleted' })).map(({ details }) => details);

  verifies('SBX-05', 'are limited to a thousand, and a rejected request learns when the next one expires', async () => {
    await make({ ttl_seconds: 10 });
    for (let count = 1; count < 1000; count += 1) await make({ ttl_seconds: 100 });
    expect(await sandboxes.create({}, event)).to.deep.equal({ outcome: 'limit', retryAfterSeconds: 10 });
    real.advance(9_500);
    expect(await elsewhere.sandboxes.create({}, event)).to.deep.equal({ outcome: 'limit', retryAfterSeconds: 1 });
    real.advance(500);
    // The place of an expired sandbox is free at once, even before the sweep.
    const { name } = await make({ ttl_seconds: 100 });
    expect((await sandboxes.create({}, event)).outcome).to.equal('limit');
    expect(await sandboxes.end([name], event)).to.equal(1);
    await make();
    expect(await elsewhere.sandboxes.end('all', event)).to.equal(1000);
    expect(await sandboxes.list()).to.deep.equal([]);
  });

  verifies('SBX-13', 'expire by real time, independently of their own clock, even without requests', async () => {
    const { name } = await make({ name: 'box', ttl_seconds: 60 });
    const open = await sandboxes.find(name);
    await open?.store.clock.move({ to: { by: 'offset', milliseconds: -86_400_000 } }, real.now());
    real.advance(59_999);
    expect(await elsewhere.sandboxes.find('box')).to.not.equal(undefined);
    real.advance(1);
    for (const process of [sandboxes, elsewhere.sandboxes]) {
      expect([await process.find('box'), await process.show('box'), await process.list()]).to.deep.equal([
        undefined,
        undefined,
        [],
      ]);
      expect(await process.reset('box', event)).to.equal(undefined);
      expect(await process.end(['box'], event)).to.equal(0);
    }
  });

  verifies('SBX-45', 'leave one event when they expire, however many processes sweep', async () => {
    const first = await make({ name: 'box', ttl_seconds: 1 });
    await make({ name: 'other', ttl_seconds: 1 });
    real.advance(1_000);
    // Creating a sandbox with this name deletes the expired one first.
    await make({ name: 'box' });
    await Promise.all([sandboxes, elsewhere.sandboxes, sandboxes].map((process) => process.sweep()));
    const ended = await expiries();
    expect(ended).to.have.length(2);
    expect(ended[0]).to.deep.equal({ name: 'box', instance_id: first.instanceId, reason: 'expired' });
    expect(ended[1]).to.deep.include({ name: 'other', reason: 'expired' });
    expect(await sandboxes.show('box')).to.not.equal(undefined);
  });

  verifies(['SBX-10', 'SBX-14'], 'leave no row when they are deleted, and store none afterwards', async () => {
    const { name } = await make({ keys: 'own', ttl_seconds: 5 });
    const open = await sandboxes.find(name);
    if (open === undefined) throw new Error('it lives');
    await open.keys.signingKey();
    await open.store.sharedSecrets.get('a', () => 'b');
    await open.audit.record({ ...event(open.sandbox), event_type: 'login' });
    expect(await sandboxes.end([name], event)).to.equal(1);
    const late = [
      open.store.sharedSecrets.get('c', () => 'd'),
      open.audit.record({ ...event(open.sandbox), event_type: 'login' }),
      open.keys.rotate(),
    ];
    for (const attempt of late) {
      expect(await attempt.catch((error: unknown) => error)).to.be.instanceOf(NamespaceEndedError);
    }
    expect(rowsBesideDefault(stackStoreFiles(directory))).to.deep.equal([]);
  });

  verifies(
    'SBX-43',
    'generate their key at first use if none was prepared, and only one for simultaneous requests',
    async () => {
      const box = await make({ name: 'box', keys: 'own' });
      expect(await opened.sandboxes.keys(box)).to.deep.equal([]);
      const rings = await Promise.all([sandboxes.find('box'), elsewhere.sandboxes.find('box'), sandboxes.find('box')]);
      const kids = await Promise.all(rings.map(async (open) => (await open?.keys.signingKey())?.kid));
      expect(new Set(kids).size).to.equal(1);
      expect(drawn).to.be.greaterThan(0);
      const again = await elsewhere.sandboxes.find('box');
      expect((await again?.keys.publicKeys())?.map(({ kid }) => kid)).to.deep.equal([kids[0]]);
    },
  );
});
