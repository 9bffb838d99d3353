// Two PostgreSQL servers, one of them a standby. A store that names both continues at the one that accepts writes.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { storeDeadlineMilliseconds } from '#shared/model/runtime-store/store-deadline.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { at, code, event, userEntry } from '#test/contract/store-under-test.ts';
import {
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  postgresOrSkip,
} from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';

const promoting = event('runtime_identity_promoted', { username: 'zoe', details: { kind: 'user', name: 'zoe' } });

describe('two PostgreSQL servers', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let one: OpenedStore;
  let other: OpenedStore;
  beforeEach(async function () {
    primary = await postgresOrSkip(this);
    standby = await postgresOrSkip(this, { standbyOf: primary });
    const directories = [standby, primary].map(({ socketDirectory }) => encodeURIComponent(socketDirectory));
    const url = `postgres://${primary.user}@/postgres?host=${directories.join(',')}`;
    const location = { ...emptyPostgresLocation(primary), url };
    [one, other] = [await openTestPostgres(location), await openTestPostgres(location)];
    await one.store.codes.issue(code('c1'), at(0));
    await one.store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));
    await untilFollowed();
  });
  afterEach(async () => {
    await Promise.all([one?.close(), other?.close()]);
    await standby?.stop();
    await primary?.stop();
  });

  const untilFollowed = async () => {
    const [there] = await primary.ask('SELECT pg_current_wal_lsn() AS place');
    const followed = `SELECT pg_last_wal_replay_lsn() >= '${there?.place}' AS done`;
    while ((await standby.ask(followed))[0]?.done !== true) await pause(20);
  };
  const sessionsAt = async (server: PostgresServer) =>
    (await server.ask("SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'test-idp %'")).length;

  /** Everything that the two stores need works at the standby, which is now the primary. */
  const expectServed = async () => {
    await standby.ask('SELECT pg_promote()');
    const start = systemStopwatch.read();
    const outcomes = await Promise.all([one, other].map(({ store }) => store.codes.redeem('c1', 'web', 'f1', at(1))));
    expect(systemStopwatch.since(start)).to.be.below(2 * storeDeadlineMilliseconds);
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).to.deep.equal(['redeemed', 'used']);
    const claiming = await one.store.identities.claimPromotion('user', 'zoe', promoting);
    expect(claiming.outcome).to.equal('claimed');
    expect(await other.store.identities.deadClaims(), 'claims of live processes').to.deep.equal([]);
  };

  verifies('PGS-35', 'act as one store, and the writable one serves when the other dies', async () => {
    // The connection that checked for writability is closed by then, and the server ends it a moment later.
    while ((await sessionsAt(standby)) > 0) await pause(20);
    await primary.crash();
    await expectServed();
  });

  verifies('PGS-35', 'act as one store, which leaves a server that became read-only', async () => {
    await primary.ask('ALTER SYSTEM SET default_transaction_read_only = on');
    await primary.ask('SELECT pg_reload_conf()');
    while ((await primary.ask('SHOW transaction_read_only'))[0]?.transaction_read_only !== 'on') await pause(20);
    // No server accepts writes: an error, not a wrong result.
    const refusal: unknown = await one.store.codes.redeem('c1', 'web', 'f1', at(1)).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(RuntimeStoreUnavailableError);
    await expectServed();
    while ((await sessionsAt(primary)) > 0) await pause(20);
  });
});
