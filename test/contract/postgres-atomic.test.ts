// An operation on PostgreSQL is done wholly or not at all, at whichever of its messages the server fails, and collisions with others
// are repeated.
import { expect } from 'chai';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import type { Connect, Connection } from '#shared/state/store/postgres/connection.ts';
import { openPostgresStore } from '#shared/state/store/postgres/open-postgres-store.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import {
  connectTo,
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  testStoreDependencies,
  usePostgres,
} from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, code, deviceGrant, event, transaction, userEntry } from './store-under-test.ts';

type Store = OpenedStore['store'];

describe('operations on PostgreSQL', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let schema: string;
  let opened: OpenedStore;
  usePostgres((started) => {
    server = started;
  });
  beforeEach(async () => {
    const location = emptyPostgresLocation(server);
    schema = location.schema;
    opened = await openTestPostgres(location);
  });
  afterEach(() => opened?.close());

  /** A store whose n-th message to the server, of those after it was opened, meets that error of PostgreSQL. */
  const openFailing = async () => {
    const plan = { left: Number.POSITIVE_INFINITY, state: '', times: 0 };
    const connect = connectTo(server, schema);
    const failing: Connect = async (milliseconds) => {
      const connection = await connect(milliseconds);
      const guarded = <Asked, Answered>(send: (asked: Asked) => Promise<Answered>) => {
        return async (asked: Asked): Promise<Answered> => {
          if (asked === 'ROLLBACK') return send(asked);
          plan.left -= 1;
          if (plan.left > 0 || plan.times === 0) return send(asked);
          plan.times -= 1;
          // What the server does with a transaction that a statement of it failed in.
          await connection.runText('ROLLBACK');
          throw Object.assign(new Error(`the server says ${plan.state}`), { code: plan.state });
        };
      };
      const broken: Connection = {
        ...connection,
        send: guarded(connection.send),
        runText: guarded(connection.runText),
      };
      return broken;
    };
    const failed = await openPostgresStore({ connect: failing, schema, poolSize: 1 }, testStoreDependencies());
    return { ...failed, plan };
  };
  /** Everything in the schema, whatever it is. */
  const wholeState = async () => {
    const tables = await server.ask(
      `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = '${schema}'::regnamespace`,
    );
    const digests = tables.map(
      ({ relname }) =>
        `SELECT '${relname}' AS name, md5(string_agg(t::text, '|' ORDER BY t::text)) AS rows FROM ${schema}.${relname} t`,
    );
    return JSON.stringify(await server.ask(`${digests.join(' UNION ALL ')} ORDER BY name`));
  };
  const operations: Readonly<Record<string, (store: Store, attempt: number) => Promise<unknown>>> = {
    'begin a transaction': (store, n) => store.transactions.begin(transaction(`new-${n}`), at(1)),
    'complete one': async (store) => store.transactions.complete('t1', 'browser-1', code('of-t1'), at(1)),
    'issue a code': (store, n) => store.codes.issue(code(`new-${n}`), at(1)),
    'redeem one': (store) => store.codes.redeem('c1', 'web', 'f1', at(1)),
    'redeem a used one': (store) => store.codes.redeem('used', 'web', 'f2', at(1)),
    'spend a refresh token': (store) =>
      store.tokenState.spendRefreshToken({
        ...{ family: 'r1', place: { line: 'l', number: 0 }, expiresAt: at(60), rotate: true },
      }),
    'approve a device': (store) =>
      store.deviceGrants.approve(
        'USER-1',
        { username: 'alice', authenticatedAt: at(0), method: 'password', amr: undefined },
        at(1),
      ),
    'create a user': (store, n) =>
      store.identities.createUser(`new-${n}`, userEntry(), at(0), event('runtime_identity_created')),
    'remove one': (store) => store.identities.remove('user', 'zoe', event('runtime_identity_deleted')),
    'accept a configuration': (store, n) => store.generations.accept(`settings ${n}`, 'users'),
    'move the clock': (store, n) =>
      store.clock.move({ to: { by: 'advance', milliseconds: 1000 + n } }, at(1), () => event('clock_changed')),
  };
  const fillOnce = async ({ store }: OpenedStore) => {
    await store.transactions.begin(transaction('t1'), at(0));
    await store.codes.issue(code('c1'), at(0));
    await store.codes.issue(code('used'), at(0));
    await store.codes.redeem('used', 'web', 'f0', at(0));
    await store.deviceGrants.begin(deviceGrant(1), at(0));
    await store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));
  };

  for (const [name, operation] of Object.entries(operations)) {
    verifies('PGS-16', `leave nothing of themselves at whichever message the server fails: ${name}`, async () => {
      await fillOnce(opened);
      const { store, plan, close } = await openFailing();
      const before = await wholeState();
      let message = 1;
      for (; ; message += 1) {
        Object.assign(plan, { left: message, state: '53200', times: 1 });
        const failed = await operation(store, message).then(
          () => false,
          (error: unknown) => {
            expect(error).to.be.instanceOf(RuntimeStoreUnavailableError);
            return true;
          },
        );
        if (!failed) break;
        expect(await wholeState(), `after its message ${message} failed`).to.equal(before);
      }
      expect(message, 'messages').to.be.above(1);
      await close();
    });
  }

  verifies('PGS-16', 'are repeated after serialization failures and deadlocks, for 5 s', async () => {
    const { store, plan, close } = await openFailing();
    for (const state of ['40001', '40P01']) {
      for (let left = 1; left <= 4; left += 1) {
        Object.assign(plan, { left, state, times: 3 });
        const made = await store.identities.createUser(
          `${state}-${left}`,
          userEntry(),
          at(0),
          event('runtime_identity_created'),
        );
        expect(made).to.not.equal('exists');
        expect(plan.times, 'collisions that were left').to.equal(0);
      }
    }
    expect(await opened.audit.read({ limit: -1 })).to.have.length(8);
    Object.assign(plan, { left: 1, state: '40001', times: Number.POSITIVE_INFINITY });
    const start = performance.now();
    const error: unknown = await store.codes.issue(code('c9'), at(0)).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(RuntimeStoreUnavailableError);
    expect(performance.now() - start).to.be.within(4_000, 9_000);
    plan.times = 0;
    await close();
  });
});
