// What is done in one message: judged about rows that were read a moment ago, and sent again where its answer was lost.
import { expect } from 'chai';
import type { Connect, Connection } from '#shared/store/postgres/connection.ts';
import { openPostgresStore } from '#shared/store/postgres/open-postgres-store.ts';
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
  // Nothing to stop where the hook before was skipped.
  after(() => (server === undefined ? undefined : server.stop()));

  const placeOf = (schema: string) =>
    ({ kind: 'postgres', url: server.url(), schema, poolSize: 4, directory: '' }) as const;
  /** A store whose messages of that kind lose their connection, one for each member of `lost`: before the server heard, or after it answered. */
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

  verifies('PGS-17', 'uses once what two stores looked at before, and what changed since as it is', async () => {
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
    // The second use took back what the first one got, whose ever it was.
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

  verifies(['PGS-34', 'PGS-21'], 'records and counts an event once, though its answer was lost', async () => {
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

  verifies('PGS-34', 'is answered as done, though its answer was lost', async () => {
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
});
