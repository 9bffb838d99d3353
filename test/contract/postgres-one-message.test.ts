// Operations in a single message: they check rows that were read a moment ago, and are sent again if the response was
// lost.
import { expect } from 'chai';
import pg from 'pg';
import type { Connect, Connection } from '#shared/state/store/postgres/connection.ts';
import { openPostgresStore } from '#shared/state/store/postgres/open-postgres-store.ts';
import {
  connectTo,
  openTestPostgres,
  type PostgresServer,
  postgresOrSkip,
  testStoreDependencies,
} from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, code, event, transaction } from './store-under-test.ts';

describe('one message to PostgreSQL', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  before(async function () {
    server = await postgresOrSkip(this);
  });
  // Undefined if the hook before was skipped.
  after(() => (server === undefined ? undefined : server.stop()));

  const placeOf = (schema: string) =>
    ({ kind: 'postgres', url: server.url(), schema, poolSize: 4, directory: '' }) as const;
  /**
   * A store whose messages of that kind lose their connection, one for each member of `lost`: before the server
   * received them, or after it responded.
   */
  const openLosing = async (schema: string, kind: RegExp) => {
    const lost: ('before' | 'after')[] = [];
    const connect = connectTo(server, schema);
    const losing: Connect = async (milliseconds) => {
      const connection = await connect(milliseconds);
      const send: Connection['send'] = async (asked) => {
        const when = asked.some(({ text }) => kind.test(text)) ? lost.shift() : undefined;
        if (when === 'after') await connection.send(asked);
        if (when !== undefined) connection.drop();
        return connection.send(asked);
      };
      return { ...connection, send };
    };
    const opened = await openPostgresStore({ connect: losing, schema, poolSize: 2 }, testStoreDependencies());
    return { ...opened, lost };
  };

  verifies('PGS-17', 'uses a value once that two stores read before, and sees what changed since', async () => {
    const opened = [await openTestPostgres(placeOf('seen')), await openTestPostgres(placeOf('seen'))];
    const stores = opened.map(({ store }) => store);
    const [one, other] = stores;
    if (one === undefined || other === undefined) throw new Error('two were opened');
    const completeAll = () =>
      Promise.all(stores.map((store, n) => store.transactions.complete('t1', 'browser-1', code(`t${n}`), at(1))));
    const redeemAll = () => Promise.all(stores.map(({ codes }, n) => codes.redeem('c1', 'web', `f${n}`, at(1))));
    await one.transactions.begin(transaction('t1'), at(0));
    await one.codes.issue(code('c1'), at(0));
    for (const { transactions, codes } of stores) {
      expect(await transactions.find('t1', 'browser-1', at(0))).to.not.equal(undefined);
      expect((await codes.find('c1', at(0)))?.unused).to.not.equal(undefined);
    }
    expect((await completeAll()).toSorted()).to.deep.equal(['completed', 'gone']);
    expect((await redeemAll()).map(({ outcome }) => outcome).toSorted()).to.deep.equal(['redeemed', 'used']);
    const [kept] = await server.ask("SELECT count(*)::integer AS codes FROM seen.codes WHERE code IN ('t0', 't1')");
    expect(kept).to.deep.equal({ codes: 1 });
    // The second use revoked what the first one issued, through either store.
    const revoked = await Promise.all(['f0', 'f1'].map((f) => one.tokenState.isAccessTokenRevoked('x', f)));
    expect(revoked.toSorted()).to.deep.equal([false, true]);

    const seen = transaction('t2');
    await one.transactions.begin(seen, at(0));
    await one.transactions.find('t2', 'browser-1', at(0));
    const login = { username: 'alice', method: 'password', authenticatedAt: at(0), amr: undefined } as const;
    const progress = { ...login, loggedIn: true, chosen: false };
    expect(await other.transactions.advance(seen, { progress, logIn: undefined }, at(1))).to.equal('advanced');
    expect(await one.transactions.complete('t2', 'browser-1', code('of-t2'), at(1))).to.equal('completed');
    expect(await other.transactions.find('t2', 'browser-1', at(1))).to.equal(undefined);
    await Promise.all(opened.map((each) => each.close()));
  });

  verifies(['PGS-34', 'PGS-21'], 'records and counts an event once, although the response was lost', async () => {
    const { audit, lost, close } = await openLosing('lost_events', /INTO events/);
    for (const when of ['before', 'after', 'after'] as const) {
      lost.push(when);
      await Promise.all([audit.record(event('login')), audit.record(event('login'))]);
    }
    expect(lost).to.deep.equal([]);
    expect(await audit.read({ limit: -1 })).to.have.length(6);
    expect((await audit.counters()).login_attempts).to.equal(6);
    await close();
  });

  verifies('PGS-34', 'is reported as done, although the response was lost', async () => {
    const { store, lost, close } = await openLosing('lost_answers', /INTO transactions|INTO codes|UPDATE codes/);
    for (const when of ['before', 'after'] as const) {
      const losing = async <Outcome>(change: Promise<Outcome>) => {
        const outcome = await change;
        expect(lost).to.deep.equal([]);
        return outcome;
      };
      lost.push(when);
      expect(await losing(store.transactions.begin(transaction(when), at(0)))).to.equal('begun');
      await store.transactions.find(when, 'browser-1', at(0));
      lost.push(when);
      const completing = store.transactions.complete(when, 'browser-1', code(`of-${when}`), at(1));
      expect(await losing(completing)).to.equal('completed');
      lost.push(when);
      expect(await losing(store.codes.issue(code(`c-${when}`), at(0)))).to.equal('issued');
      await store.codes.find(`c-${when}`, at(1));
      lost.push(when);
      const redeeming = store.codes.redeem(`c-${when}`, 'web', `f-${when}`, at(1));
      expect((await losing(redeeming)).outcome).to.equal('redeemed');
      expect(await store.tokenState.isAccessTokenRevoked('x', `f-${when}`), when).to.equal(false);
    }
    await close();
  });

  verifies(['SBX-10', 'PGS-30'], 'needs only a few round trips for each sandbox that ends', async () => {
    let messages = 0;
    const connect = connectTo(server, 'ended');
    const counting: Connect = async (milliseconds) => {
      const connection = await connect(milliseconds);
      const send: Connection['send'] = (asked) => {
        messages += 1;
        return connection.send(asked);
      };
      return { ...connection, send };
    };
    const { sandboxes, audit, close } = await openPostgresStore(
      { connect: counting, schema: 'ended', poolSize: 2 },
      testStoreDependencies(),
    );
    const names = Array.from({ length: 10 }, (_, number) => `s${number}`);
    const made = { ttlSeconds: 3600, keys: 'shared', settings: {}, createdAt: at(0), expiresAt: at(3600) } as const;
    const endedEvent = () => event('sandbox_deleted');
    for (const [number, name] of names.entries()) {
      const sandbox = { ...made, name, instanceId: `instance-${number}0`.slice(0, 12).padEnd(12, '-') };
      const creation = await sandboxes.create(sandbox, undefined, at(1), event('sandbox_created'), endedEvent);
      expect(creation.outcome).to.equal('created');
    }
    messages = 0;
    expect(await sandboxes.end('all', at(2), endedEvent)).to.equal(10);
    expect(messages).to.be.below(60);
    expect((await audit.read({ limit: -1 })).filter((entry) => entry.event_type === 'sandbox_deleted')).to.have.length(
      10,
    );
    const left = await server.ask('SELECT namespace FROM ended.namespaces UNION SELECT namespace FROM ended.audits');
    expect(left).to.deep.equal([{ namespace: 'default' }]);
    await close();
  });

  verifies(
    ['PGS-21', 'AUD-07'],
    'keeps an event that is committed while the audit is cleared, and its count',
    async () => {
      const schema = 'cleared';
      const { audit, close } = await openTestPostgres(placeOf(schema));
      await audit.record(event('login'));
      const writer = new pg.Client({
        host: server.socketDirectory,
        port: server.port,
        user: server.user,
        database: 'postgres',
      });
      await writer.connect();
      // Another session that writes an event and counts it in the same row.
      const columns = 'namespace, bytes, recorded_at, clock, event_type, username, client_id, status, details';
      await writer.query('BEGIN');
      await writer.query(`INSERT INTO ${schema}.events (${columns}) SELECT ${columns} FROM ${schema}.events`);
      await writer.query(
        `UPDATE ${schema}.audit_counters SET kept = kept + 1, total_requests = total_requests + 1 WHERE kept > 0`,
      );
      const cleared = audit.clear();
      for (;;) {
        const [waiting] = await server.ask(
          "SELECT count(*)::integer AS number FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
        );
        if (Object(waiting).number > 0) break;
      }
      await writer.query('COMMIT');
      await writer.end();
      await cleared;
      expect(await audit.read({ limit: -1 })).to.have.length(1);
      expect((await audit.counters()).total_requests).to.equal(1);
      await audit.clear();
      expect([await audit.read({ limit: -1 }), (await audit.counters()).total_requests]).to.deep.equal([[], 0]);
      await close();
    },
  );
});
