// How the event of a change gets into the audit when a lock or another process interferes.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { systemClock, systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { openProvedTime } from '#shared/state/store/proved-time.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { StoreDatabase } from '#shared/state/store/sqlite/database.ts';
import { openConnection } from '#shared/state/store/sqlite/engine.ts';
import { type Delivery, outboxDelivery, outboxOf } from '#shared/state/store/sqlite/outbox.ts';
import { at, clientEntry, event, eventTypes, userEntry } from '#test/contract/store-under-test.ts';
import { openTwoHandles } from '#test/support/open-test-store.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { until } from '#test/support/stack.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the outbox', () => {
  let directory: string;
  let path: string;
  let one: OpenedStore;
  let other: OpenedStore;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ directory, path, one, other, close } = await openTwoHandles());
  });
  afterEach(() => close());

  const lockAudit = () => {
    const foreign = openConnection(join(directory, 'runtime-audit.db'));
    foreign.exec('BEGIN IMMEDIATE');
    return () => {
      foreign.exec('COMMIT');
      foreign.close();
    };
  };
  const create = ({ store }: OpenedStore, name: string) =>
    store.identities.createUser(name, userEntry(), at(0), event('runtime_identity_created', { details: { name } }));

  /** Every operation ends within the 5 s of a lock. So this reports the name of a promise that never settles. */
  const settled = <Value>(what: string, promise: Promise<Value>): Promise<Value> => {
    const late = delay(20_000, undefined, { ref: false }).then(() => {
      throw new Error(`${what} never settled`);
    });
    return Promise.race([promise, late]);
  };

  verifies(
    ['AUD-09', 'AUD-10', 'STO-15'],
    'keeps the event of a successful change while the audit is locked, and every reader finds it',
    async () => {
      const unlock = lockAudit();
      // An event without a change cannot wait in the outbox.
      const lost = one.audit.record(event('logout')).catch((error: unknown) => error);
      // The event of a completed action waits like that of a change.
      const done = one.audit.record(event('key_rotation'), { done: true });
      const [created, again] = await settled('each change', Promise.all([create(one, 'zoe'), create(other, 'zoe')]));
      expect(await settled('an event alone', lost)).to.be.instanceOf(RuntimeStoreUnavailableError);
      await settled('an event of a completed action', done);
      expect([created, again].filter((answer) => answer === 'exists')).to.have.length(1);
      expect((await other.store.identities.findUser('zoe'))?.name).to.equal('zoe');
      unlock();
      // Both read at once, and both deliver before they read.
      const read = await settled('each reader', Promise.all([eventTypes(one.audit), eventTypes(other.audit)]));
      const expected = ['key_rotation', 'runtime_identity_created'];
      expect(read.map((types) => types.toSorted())).to.deep.equal([expected, expected]);
      expect((await one.audit.counters()).total_requests).to.equal(2);
    },
  );

  verifies('DCR-21', 'lets a registration detect that its client was deleted while its event waited', async () => {
    const unlock = lockAudit();
    const { identities } = one.store;
    const made = {
      client_id: 'dcr-1',
      accessTokenHash: 'hash',
      issuedAt: at(0),
      grant_types: ['authorization_code'],
      client_name: undefined,
    };
    const epoch = await identities.registrationEpoch();
    const registered = event('client_registered');
    const registration = identities.register(clientEntry('dcr-1'), made, 5, epoch, at(0), registered);
    await until('the client is found', () => other.store.identities.findClient('dcr-1'));
    const removal = other.store.identities.remove('client', 'dcr-1', event('runtime_identity_deleted'));
    await until('the client is deleted', async () => (await one.store.identities.findClient('dcr-1')) === undefined);
    unlock();
    expect([await registration, await removal]).to.deep.equal(['interrupted', 'removed']);
    expect(await eventTypes(one.audit)).to.deep.equal(['client_registered', 'runtime_identity_deleted']);
  });

  verifies('AUD-10', 'offers a slow process no event that others delivered since it began to read', async () => {
    const raw = openConnection(path);
    const database = new StoreDatabase(raw, systemStopwatch);
    const context = {
      database,
      ns: 'default',
      realClock: systemClock,
      random: systemRandomness,
      log: silentLogger(),
      proved: openProvedTime(0, systemClock, systemStopwatch),
      onStep: undefined,
    };
    let offered: readonly Delivery[] | undefined;
    const delivery = outboxDelivery(context, async (waiting) => {
      // Paused here while another process completes the delivery.
      await other.audit.read({ limit: 0 });
      offered = waiting();
      return offered;
    });
    await database.write(() => outboxOf(context, delivery).put(event('logout')));
    await delivery.deliver();
    expect(offered).to.deep.equal([]);
    expect(await eventTypes(one.audit)).to.deep.equal(['logout']);
    database.close();
  });
});
