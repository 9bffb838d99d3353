// What a PostgreSQL server must provide, what the store creates there, and how operations end while the server is away.
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import type { OpenedStore } from '#shared/state/store/opened-store.ts';
import type { Connect, Connection } from '#shared/state/store/postgres/connection.ts';
import { ConnectionPool } from '#shared/state/store/postgres/connection-pool.ts';
import { PostgresDatabase } from '#shared/state/store/postgres/database.ts';
import { connectWith, type Driver } from '#shared/state/store/postgres/driver.ts';
import { openPostgresLocation } from '#shared/state/store/postgres/open-postgres-location.ts';
import { openPostgresStore } from '#shared/state/store/postgres/open-postgres-store.ts';
import { openOwners } from '#shared/state/store/postgres/proof-of-life.ts';
import { prepareSchema } from '#shared/state/store/postgres/schema/prepare-schema.ts';
import { requireUsableServer } from '#shared/state/store/postgres/usable-server.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { StoreRefusedError } from '#shared/state/store/store-refused.ts';
import { connectTo, type PostgresServer, postgresOrSkip } from '#test/support/postgres-server.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, code, deviceGrant, event, transaction, userEntry } from './store-under-test.ts';

const factor = {
  ...{ id: 'p1', browser: 'browser-1', purpose: '', username: 'alice' },
  surface: '/login',
  passwordVerifiedAt: at(0),
} as const;
const deps = { stopwatch: systemStopwatch, random: systemRandomness, log: silentLogger() };

describe('a PostgreSQL server', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  const opened: Omit<OpenedStore, 'location'>[] = [];
  before(async function () {
    server = await postgresOrSkip(this);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  // Undefined if the hook before was skipped.
  after(() => (server === undefined ? undefined : server.stop()));

  const open = async (given: { url?: string; schema?: string; poolSize?: number } = {}, patience = 300) => {
    const { url = server.url(), schema = 'test_idp', poolSize = 4 } = given;
    const store = await openPostgresLocation(
      { kind: 'postgres', url, schema, poolSize, directory: '' },
      deps,
      patience,
    );
    opened.push(store);
    return store;
  };
  const refusal = async (given: Parameters<typeof open>[0]) => {
    const error: unknown = await open(given).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof StoreRefusedError)) throw new Error(`expected a rejection, got ${String(error)}`);
    return error.message;
  };
  const connectAs = (schema: string) => connectTo(server, schema);

  describe('is rejected at the start', () => {
    verifies('PGS-06', 'if it does not respond, rejects the role, or lacks the database', async () => {
      const away = 'postgres://tester@127.0.0.1:1/postgres';
      expect(await refusal({ url: away })).to.match(
        /PostgreSQL at 127\.0\.0\.1:1 does not respond \(.*ECONNREFUSED.*\)/,
      );
      expect(await refusal({ url: server.url('postgres', 'nobody-here') })).to.contain('the user nobody-here');
      expect(await refusal({ url: server.url('nowhere') })).to.contain('has no database nowhere; create it');
      await server.ask('CREATE ROLE guest LOGIN');
      const privilege = await refusal({ url: server.url('postgres', 'guest'), schema: 'of_guest' });
      expect(privilege).to.contain('lacks a privilege').and.to.contain('CREATE SCHEMA of_guest AUTHORIZATION guest');
    });

    verifies('PGS-06', 'with the server’s own error if it responds with one', async () => {
      // Error 42939. The settings model rejects this name, so only this test can cause the error.
      const message = await refusal({ schema: 'pg_taken' });
      expect(message).to.contain('rejects a statement of the start (42939: unacceptable schema name');
      expect(message).to.not.contain('does not respond');
    });

    verifies('PGS-06', 'if any of its connections gets no response', async () => {
      let refusals = 0;
      for (;;) {
        const relay = await relayTo(server, (asked) => asked <= refusals);
        const error: unknown = await open({ url: relay.url, schema: 'answers_less' }).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        relay.close();
        if (error === undefined) break;
        expect(error, `after ${refusals} connections`).to.be.instanceOf(StoreRefusedError);
        expect(String(error)).to.contain(`PostgreSQL at ${new URL(relay.url).host} does not respond (`);
        refusals += 1;
      }
      expect(refusals, 'a check, the schema, the proof of life, the pool').to.be.at.least(4);
    });

    verifies('PGS-06', 'with every opened connection closed again, if any of its statements fails', async () => {
      const schema = 'answers_refusals';
      await (await open({ schema })).close();
      const connect = connectAs(schema);
      for (let answers = 0; ; answers += 1) {
        const sessions: Connection[] = [];
        let left = answers;
        const refusing =
          <Asked, Answered>(ask: (asked: Asked) => Promise<Answered>) =>
          async (asked: Asked) => {
            if (left === 0) throw new Error('refused');
            left -= 1;
            return await ask(asked);
          };
        const counted: Connect = async (milliseconds) => {
          const session = await connect(milliseconds);
          sessions.push(session);
          return { ...session, runText: refusing(session.runText), send: refusing(session.send) };
        };
        const opened = await openPostgresStore({ connect: counted, schema, poolSize: 2 }, deps).catch(() => undefined);
        await opened?.close();
        expect(sessions.filter((session) => session.isOpen()).length, `after ${answers} answers`).to.equal(0);
        if (opened !== undefined) break;
      }
    });

    verifies('PGS-07', 'if its encoding is not UTF-8, it is too old, or it is a standby', async () => {
      await server.ask("CREATE DATABASE plain ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
      expect(await refusal({ url: server.url('plain') })).to.contain('the encoding SQL_ASCII');
      const schemas = await server.ask("SELECT 1 FROM pg_namespace WHERE nspname = 'test_idp'", 'plain');
      expect(schemas, 'created before it was rejected').to.deep.equal([]);
      const old = { version: 120_011, encoding: 'UTF8', pid: 1 };
      await expectRefused(() => usable([old, { ...old, pid: 2 }]), /PostgreSQL 12, but 13 or newer/);
      const standby = connectWith(standbyDriver(), { servers: [{ host: 'h' }], schema: 's', applicationName: 'a' });
      await expectThrown(() => standby(100), /is a standby/);
    });

    verifies('PGS-08', 'if a pooler shares its sessions among several clients', async () => {
      const pooled = { version: 150_000, encoding: 'UTF8', pid: 7 };
      await expectRefused(() => usable([pooled, pooled]), /connection pooler shares sessions.*Name the server itself/);
      await usable([pooled, { ...pooled, pid: 8 }]);
    });

    verifies('PGS-12', 'if the schema is newer or belongs to another program, and remains unchanged', async () => {
      await (await open({ schema: 'newer' })).close();
      await server.ask('UPDATE newer.store_version SET version = 99');
      expect(await refusal({ schema: 'newer' })).to.contain('has the format 99');
      await server.ask('CREATE SCHEMA theirs; CREATE TABLE theirs.things (id integer)');
      expect(await refusal({ schema: 'theirs' })).to.contain('contains other data');
      const tables = await server.ask("SELECT relname FROM pg_class WHERE relnamespace = 'theirs'::regnamespace");
      expect(tables).to.deep.equal([{ relname: 'things' }]);
    });

    verifies('PGS-38', 'if it has no connection left, while its current users continue', async () => {
      const working = await open({ schema: 'crowded', poolSize: 1 });
      const limit = `CREATE ROLE few LOGIN CONNECTION LIMIT 0; GRANT CREATE ON DATABASE postgres TO few`;
      await server.ask(limit);
      expect(await refusal({ url: server.url('postgres', 'few'), schema: 'of_few' })).to.contain('no free connection');
      await working.store.codes.issue(code('c1'), at(0));
    });
  });

  describe('becomes a store', () => {
    verifies(['PGS-10', 'PGS-11'], 'created by one of several processes that start at once', async () => {
      const stores = await Promise.all([1, 2, 3, 4].map(() => open({ schema: 'at_once' })));
      await stores[0]?.store.codes.issue(code('c1'), at(0));
      const found = await Promise.all(stores.map(({ store }) => store.codes.find('c1', at(1))));
      expect(found.map((each) => each?.client_id)).to.deep.equal(['web', 'web', 'web', 'web']);
    });

    verifies('PGS-11', 'completely or not at all if the creating process dies', async () => {
      const connect = connectAs('half_made');
      const dying: Connect = async (milliseconds) => {
        const connection = await connect(milliseconds);
        const say: Connection['runText'] = async (text) => {
          if (text === 'COMMIT') connection.drop();
          return connection.runText(text);
        };
        return { ...connection, runText: say };
      };
      await expectThrown(() => prepareSchema(dying, 'half_made'), /closed/);
      expect(await server.ask("SELECT 1 FROM pg_namespace WHERE nspname = 'half_made'")).to.deep.equal([]);
      await open({ schema: 'half_made' });
    });

    verifies('PGS-06', 'although every second connection is lost before it responds', async () => {
      const relay = await relayTo(server, (asked) => asked % 2 !== 0);
      try {
        const { store, close } = await open({ url: relay.url, schema: 'relayed' }, 60_000);
        await store.codes.issue(code('c1'), at(0));
        await close();
        const least = 'one, and then two tries for each look, the schema and the proof of life';
        expect(relay.asked(), least).to.be.at.least(7);
      } finally {
        relay.close();
      }
    });

    verifies(['PGS-13', 'PGS-14'], 'with a role that owns only its schema, and nothing outside it', async () => {
      await server.ask("CREATE ROLE plain_owner LOGIN; ALTER ROLE plain_owner SET search_path = 'nowhere'");
      await server.ask('CREATE SCHEMA owned AUTHORIZATION plain_owner');
      const { store } = await open({ url: server.url('postgres', 'plain_owner'), schema: 'owned' });
      await store.codes.issue(code('c1'), at(0));
      const outside = `SELECT relname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
        WHERE rolname = 'plain_owner' AND relnamespace NOT IN ('owned'::regnamespace, 'pg_toast'::regnamespace)`;
      expect(await server.ask(outside)).to.deep.equal([]);
    });

    verifies('PGS-03', 'separate from another one in the same database', async () => {
      const [one, other] = [await open({ schema: 'apart_1' }), await open({ schema: 'apart_2' })];
      await one.store.codes.issue(code('c1'), at(0));
      expect(await other.store.codes.find('c1', at(1))).to.equal(undefined);
    });
  });

  describe('is one store for several processes', () => {
    verifies('PGS-17', 'which use single-use values once', async () => {
      const stores = [await open({ schema: 'once' }), await open({ schema: 'once' })];
      const [{ store } = await open()] = stores;
      const eight = async <Outcome>(use: (store: OpenedStore['store'], number: number) => Promise<Outcome>) =>
        Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((number) => use((stores[number % 2] ?? { store }).store, number)));
      const once = (outcomes: readonly unknown[], won: unknown) =>
        expect(
          outcomes.filter((outcome) => outcome === won),
          String(won),
        ).to.have.length(1);

      await store.transactions.begin(transaction('t1'), at(0));
      once(
        await eight(({ transactions }, n) => transactions.complete('t1', 'browser-1', code(`t${n}`), at(1))),
        'completed',
      );
      await store.codes.issue(code('c1'), at(0));
      const redeemed = await eight(({ codes }, n) => codes.redeem('c1', 'web', `f${n}`, at(1)));
      once(
        redeemed.map(({ outcome }) => outcome),
        'redeemed',
      );
      const token = { family: 'family', place: { line: 'l', number: 0 }, expiresAt: at(60), rotate: true };
      once(await eight(({ tokenState }) => tokenState.spendRefreshToken(token)), 'spent');
      once(await eight(({ tokenState }) => tokenState.useAssertion('a1', at(60))), true);
      await store.deviceGrants.begin(deviceGrant(1), at(0));
      const approval = { username: 'alice', authenticatedAt: at(0), method: 'password', amr: undefined } as const;
      once(await eight(({ deviceGrants }) => deviceGrants.approve('USER-1', approval, at(1))), 'approved');
      await store.secondFactors.record(factor, at(0));
      once(await eight(({ secondFactors }) => secondFactors.use(factor, at(1))), true);
      const users = await eight(({ identities }) =>
        identities
          .createUser('zoe', userEntry(), at(0), event('runtime_identity_created'))
          .then((made) => made !== 'exists'),
      );
      once(users, true);
    });
  });

  describe('has few sessions', () => {
    verifies('PGS-38', 'with names, however many callers there are', async () => {
      const { store } = await open({ schema: 'few_sessions', poolSize: 1 });
      const sessions = "SELECT application_name AS name FROM pg_stat_activity WHERE application_name LIKE 'test-idp %'";
      const asked = Array.from({ length: 200 }, (_, n) => store.codes.issue(code(`c${n}`), at(0)));
      const during = await server.ask(sessions);
      expect(await Promise.all(asked)).to.deep.equal(Array(200).fill('issued'));
      expect(during.length).to.be.within(1, 2);
      // The name contains the worker's number, and what distinguishes it from the same number on another machine.
      expect(during[0]?.name).to.match(new RegExp(`^test-idp ${process.pid}-[\\w-]{8}$`));
    });
  });

  describe('detects living processes', () => {
    verifies('PGS-25', 'by their sessions, and nothing else', async () => {
      await (await open({ schema: 'lives' })).close();
      const connect = connectAs('lives');
      const sessions = new ConnectionPool(connect, 2, systemStopwatch);
      const database = new PostgresDatabase(sessions, 'lives', systemStopwatch);
      const lives: Connection[] = [];
      const watched: Connect = async (milliseconds) => {
        const connection = await connect(milliseconds);
        lives.push(connection);
        return connection;
      };
      const one = await openOwners(connect, database, 'lives', systemRandomness);
      const other = await openOwners(watched, database, 'lives', systemRandomness);
      const name = await other.self();
      expect([...(await one.dead([name, await one.self()]))]).to.deep.equal([]);
      const start = systemStopwatch.read();
      lives[0]?.drop();
      while ((await one.dead([name])).size === 0) await pause(5);
      expect(systemStopwatch.since(start), 'sooner than by any deadline').to.be.below(4_500);
      expect(await other.self(), 'its name afterwards').to.not.equal(name);
      await Promise.all([one.close(), other.close(), sessions.close()]);
    });
  });

  describe('is away for a while', () => {
    verifies(['PGS-32', 'PGS-33'], 'and after a crash still has what was acknowledged', async () => {
      const { store, audit } = await open({ schema: 'crash' });
      await store.codes.issue(code('c1'), at(0));
      await store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));
      await server.crash();
      const waiting = store.codes.redeem('c1', 'web', 'f1', at(1));
      await server.start();
      expect((await waiting).outcome).to.equal('redeemed');
      expect((await store.identities.findUser('zoe'))?.name).to.equal('zoe');
      expect((await audit.read({ limit: -1 })).map(({ event_type }) => event_type)).to.deep.equal([
        'runtime_identity_created',
      ]);
      expect(await store.tokenState.isAccessTokenRevoked('f1.x', 'f1')).to.equal(false);
    });

    // Also with one session, because the store must not wait for the lost one.
    for (const poolSize of [2, 1]) {
      verifies(
        ['PGS-34', 'PGS-19'],
        `and assigns no proof of life to another process after a lost response (pool_size ${poolSize})`,
        async () => {
          const schema = `doubt_${poolSize}`;
          await (await open({ schema })).close();
          const connect = connectAs(schema);
          const lost: ('before' | 'after')[] = [];
          // The connection breaks during a commit: before the server received it, or after it responded.
          const breaking: Connect = async (milliseconds) => {
            const connection = await connect(milliseconds);
            const send: Connection['send'] = async (asked) => {
              const when = asked.at(-1)?.text === 'COMMIT' ? lost.shift() : undefined;
              if (when === 'after') await connection.send(asked);
              if (when !== undefined) connection.drop();
              return connection.send(asked);
            };
            return { ...connection, send };
          };
          const place = { connect: breaking, schema, poolSize };
          const { store, audit, close } = await openPostgresStore(place, deps);
          for (const when of ['before', 'after'] as const) {
            const family = `f-${when}`;
            lost.push(when);
            const token = { family, place: { line: 'l', number: 0 }, expiresAt: at(60), rotate: true };
            expect(await store.tokenState.spendRefreshToken(token)).to.equal('spent');
            lost.push(when);
            await store.identities.createUser(when, userEntry(), at(0), event('runtime_identity_created'));
          }
          expect((await store.identities.listUsers()).map(({ name }) => name)).to.deep.equal(['before', 'after']);
          expect(await audit.read({ limit: -1 })).to.have.length(2);
          await close();
        },
      );
    }

    verifies(['PGS-30', 'PGS-31'], 'and callers get an error within 5 s', async () => {
      const { store } = await open({ schema: 'away' });
      const blocker = new pg.Client({ host: server.socketDirectory, user: server.user, database: 'postgres' });
      await blocker.connect();
      await blocker.query('BEGIN; LOCK TABLE away.codes IN ACCESS EXCLUSIVE MODE');
      const start = systemStopwatch.read();
      const error: unknown = await store.codes.issue(code('c1'), at(0)).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(RuntimeStoreUnavailableError);
      expect(systemStopwatch.since(start)).to.be.within(4_500, 9_000);
      const underWay = `SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'test-idp %' AND state <> 'idle'
        AND query LIKE '%codes%'`;
      while ((await server.ask(underWay)).length > 0) {
        expect(systemStopwatch.since(start), 'a statement without a waiting caller').to.be.below(11_000);
        await pause(20);
      }
      await blocker.query('ROLLBACK');
      await blocker.end();
      expect(await store.codes.issue(code('c1'), at(0))).to.equal('issued');
      await server.crash();
      const began = systemStopwatch.read();
      expect(await store.clock.refresh()).to.deep.equal({ offsetMilliseconds: 0, frozenAt: undefined });
      expect(systemStopwatch.since(began), 'a check that is not needed').to.be.below(4_500);
      await server.start();
    });
  });
});

/** The properties that a server reports, one response for each connection. */
function usable(answers: readonly object[]): Promise<void> {
  const left = [...answers];
  const connect = async (): Promise<Connection> => ({
    server: 'h',
    send: () => Promise.reject(new Error('not asked')),
    runText: async () => [{ rows: [left.shift()], count: 1 }],
    ...{ isOpen: () => true, drop: () => undefined, close: async () => undefined },
  });
  return connect().then((first) => requireUsableServer(first, connect));
}

function standbyDriver(): Driver {
  class Client {
    readonly on = () => this;
    connect = async () => undefined;
    query = async () => ({ rows: [{ is_read_only: true }], rowCount: 1 });
    end = async () => undefined;
  }
  return { Client, types: pg.types };
}

/** Listens in front of the server. Connections are numbered from 1, and those without a response are closed. */
async function relayTo(
  { socketDirectory, port: serverPort, user }: PostgresServer,
  answers: (asked: number) => boolean,
) {
  let asked = 0;
  const relay = createServer((client) => {
    asked += 1;
    if (!answers(asked)) {
      client.destroy();
      return;
    }
    const onward = createConnection(join(socketDirectory, `.s.PGSQL.${serverPort}`));
    pipeline(client, onward, client, () => undefined);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const address = relay.address();
  if (typeof address !== 'object' || address === null) throw new Error('The relay has no port.');
  const url = `postgres://${user}@127.0.0.1:${address.port}/postgres`;
  return { url, asked: () => asked, close: () => void relay.close() };
}

async function expectThrown(work: () => Promise<unknown>, message: RegExp): Promise<unknown> {
  const error: unknown = await work().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error instanceof Error ? error.message : String(error)).to.match(message);
  return error;
}

async function expectRefused(work: () => Promise<unknown>, message: RegExp): Promise<void> {
  expect(await expectThrown(work, message)).to.be.instanceOf(StoreRefusedError);
}
