// Several stores on one PostgreSQL schema: an exchange that one records can be read by the others.
import { expect } from 'chai';
import { systemClock } from '#shared/base/clock.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import {
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  usePostgres,
} from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';
import { newExchange } from './parts/exchanges.ts';
import { event } from './store-under-test.ts';

describe('a recorder on PostgreSQL', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let stores: OpenedStore[];
  let one: OpenedStore;
  let others: readonly OpenedStore[];
  usePostgres((started) => {
    server = started;
  });
  beforeEach(async () => {
    const location = emptyPostgresLocation(server);
    const [first, ...further] = await Promise.all([1, 2, 3].map(() => openTestPostgres(location)));
    if (first === undefined) throw new Error('No store is open.');
    one = first;
    others = further;
    stores = [first, ...further];
  });
  afterEach(async () => {
    await Promise.all((stores ?? []).map((store) => store.close()));
  });

  const recorded = ({ audit }: OpenedStore, id: string) =>
    audit.record(event('token_request', { at: systemClock.now(), request: { id, parameters: [] } }));
  /** As a request does: its exchange is created before its event. */
  const answer = async (opened: OpenedStore, path: string) => {
    const requestId = `of${path}`;
    opened.store.exchanges.add(newExchange({ path, requestId }));
    await recorded(opened, requestId);
  };
  const read = async ({ store }: OpenedStore) =>
    (await store.exchanges.list({}, 100)).exchanges.map(({ path }) => path);

  verifies('REC-09', 'shows an exchange to every process as soon as its event is recorded', async () => {
    const shown: string[] = [];
    for (const [number, other] of [...others, ...others].entries()) {
      const path = `/${number}`;
      await answer(one, path);
      shown.push(path);
      // An event has its place in the audit as soon as it is recorded.
      if (number === 2) expect(await other.audit.read({ limit: -1 })).to.have.length(3);
      expect(await read(other)).to.deep.equal(shown);
    }
  });

  verifies('REC-09', 'does so in a sandbox', async () => {
    const id = { name: 'box', instanceId: 'one' };
    await one.namespaces.begin(id, { auditEntriesMax: 50 });
    const exchange = newExchange({ path: '/in-the-box', requestId: 'of-the-box' });
    const { store, audit } = one.namespaces.of(id);
    store.exchanges.add(exchange);
    await audit.record(
      event('token_request', { at: systemClock.now(), request: { id: 'of-the-box', parameters: [] } }),
    );
    for (const other of others) expect(await other.namespaces.of(id).store.exchanges.count({})).to.equal(1);
  });

  verifies(['REC-09', 'REC-14'], 'deletes every exchange with a response, and waits for none of them', async () => {
    await answer(one, '/before');
    for (const { store } of others) expect(await store.exchanges.clear()).to.be.at.most(1);
    const start = performance.now();
    for (const store of stores) expect(await read(store)).to.deep.equal([]);
    expect(performance.now() - start, 'less than the wait for a missing exchange').to.be.below(900);
    await answer(one, '/after');
    for (const store of stores) expect(await read(store)).to.deep.equal(['/after']);
  });

  verifies('REC-12', 'waits at most a second for a missing exchange', async () => {
    await recorded(one, 'of-the-dead');
    const start = performance.now();
    for (const other of others) expect(await read(other)).to.deep.equal([]);
    expect(performance.now() - start).to.be.below(4_500);
  });
});
