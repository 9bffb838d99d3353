// What becomes of a worker on PostgreSQL that loses the session which proves its life, and of what it had.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { openPostgresStore } from '#shared/state/store/postgres/open-postgres-store.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import {
  connectTo,
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  postgresOrSkip,
  testStoreDependencies,
} from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, event, userEntry } from './store-under-test.ts';

const moment = { at: at(1) };
const promoting = event('runtime_identity_promoted', { username: 'zoe', details: { kind: 'user', name: 'zoe' } });

describe('the life of a worker on PostgreSQL', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let port: number;
  before(async function () {
    server = await postgresOrSkip(this, { listen: '127.0.0.1' });
    port = server.port;
  });
  // Nothing to stop where the hook before was skipped.
  after(() => (server === undefined ? undefined : server.stop()));

  const claimZoe = async ({ store }: OpenedStore) => {
    const claiming = await store.identities.claimPromotion('user', 'zoe', promoting);
    if (claiming.outcome !== 'claimed') throw new Error(claiming.outcome);
    return claiming.claim;
  };
  const ownerOf = (schema: string) => server.ask(`SELECT owner FROM ${schema}.runtime_identities`);
  /** The sessions whose locks prove that their workers live. */
  const lives = () => server.ask("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted ORDER BY pid");

  verifies(
    'PGS-28',
    'ends for everybody with its session, and goes on as another one’s without its claims',
    async () => {
      const location = emptyPostgresLocation(server);
      const one = await openTestPostgres(location);
      const [life] = await lives();
      const other = await openTestPostgres(location);
      await one.store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));
      const claim = await claimZoe(one);
      expect(await other.store.identities.deadClaims(), 'while it lives').to.deep.equal([]);
      const name = await ownerOf(location.schema);

      await server.ask(`SELECT pg_terminate_backend(${life?.pid})`);
      const dead = await untilFound(() => other.store.identities.deadClaims());
      expect(dead.map((each) => each.claim)).to.deep.equal([claim]);
      const settled = await other.store.identities.settleDeadClaim(claim, 'runtime', moment);
      expect(settled).to.equal(true);
      // What asks right before it writes the file, and what would be done after.
      expect(await one.store.identities.holdsClaim(claim)).to.equal(false);
      await one.store.identities.noteWritten(claim);
      expect(await one.store.identities.retirePromoted(claim)).to.equal(false);
      expect((await other.store.identities.findUser('zoe'))?.promotion.state).to.equal('free');

      const again = await claimZoe(one);
      expect(await ownerOf(location.schema), 'its name afterwards').to.not.deep.equal(name);
      expect(await other.store.identities.deadClaims(), 'those of its new name').to.deep.equal([]);
      expect(await one.store.identities.holdsClaim(again)).to.equal(true);
      await Promise.all([one.close(), other.close()]);
    },
  );

  verifies('PGS-28', 'cannot begin anew while the server is away, and its operations answer so', async () => {
    const { store, close } = await openTestPostgres(emptyPostgresLocation(server));
    await store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));
    await server.crash();
    const refusal: unknown = await store.identities
      .claimPromotion('user', 'zoe', promoting)
      .catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(RuntimeStoreUnavailableError);
    await server.start();
    expect((await store.identities.claimPromotion('user', 'zoe', promoting)).outcome).to.equal('claimed');
    await close();
  });

  // The drill tells whether that is so; here, that both sides ask at all, and within which time.
  verifies('PGS-26', 'is asked after by the server once it says nothing, for 30 s at most', async () => {
    const { schema } = emptyPostgresLocation(server);
    const connect = connectTo({ socketDirectory: '127.0.0.1', port, user: server.user }, schema);
    const session = await connect(5_000);
    const [found] = await session.runText(`SELECT current_setting('tcp_keepalives_idle')::integer AS idle,
      current_setting('tcp_keepalives_interval')::integer AS interval, current_setting('tcp_keepalives_count')::integer AS count,
      (SELECT setting::integer FROM pg_settings WHERE name = 'tcp_user_timeout') AS unanswered`);
    await session.close();
    expect(found?.rows).to.deep.equal([{ idle: 10, interval: 5, count: 3, unanswered: 25_000 }]);
  });

  verifies('PGS-29', 'leaves no row, session or lock behind that others would have to carry', async () => {
    const location = emptyPostgresLocation(server);
    const { schema } = location;
    const connect = connectTo(server, schema);
    const kept = await openTestPostgres(location);
    await kept.store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));
    const rows = async () => {
      const tables = await server.ask(`SELECT relname FROM pg_class
        WHERE relkind = 'r' AND relnamespace = '${schema}'::regnamespace AND relname NOT IN ('events', 'audit_counters', 'taken_room')`);
      const counted = tables.map(
        ({ relname }) => `SELECT '${relname}' AS name, count(*)::integer AS rows FROM ${schema}.${relname}`,
      );
      return (await server.ask(counted.join(' UNION ALL '))).filter((each) => each.rows !== 0);
    };
    const oneDies = async () => {
      const sessions: Awaited<ReturnType<typeof connect>>[] = [];
      const watched: typeof connect = async (milliseconds) => {
        const session = await connect(milliseconds);
        sessions.push(session);
        return session;
      };
      const dying = await openPostgresStore({ connect: watched, schema, poolSize: 2 }, testStoreDependencies());
      const claiming = await dying.store.identities.claimPromotion('user', 'zoe', promoting);
      if (claiming.outcome !== 'claimed') throw new Error(claiming.outcome);
      for (const session of sessions) session.drop();
      await untilFound(() => kept.store.identities.deadClaims());
      await kept.store.identities.settleDeadClaim(claiming.claim, 'runtime', moment);
    };
    await oneDies();
    const [before, livesBefore] = [await rows(), await lives()];
    for (let death = 0; death < 20; death += 1) await oneDies();
    expect(await rows()).to.deep.equal(before);
    expect(await lives()).to.deep.equal(livesBefore);
    await kept.close();
  });
});

async function untilFound<Found>(look: () => Promise<readonly Found[]>): Promise<readonly Found[]> {
  for (;;) {
    const found = await look();
    if (found.length > 0) return found;
    await pause(5);
  }
}
