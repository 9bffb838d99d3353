// Several stores on one schema at the same moment: bounds are met exactly, and everybody reads the audit in one order.
import { expect } from 'chai';
import pg from 'pg';
import { defaultNamespace } from '#shared/state/store/namespace-id.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { slotOfSession, slots } from '#shared/state/store/postgres/schema/session-slots.ts';
import {
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  usePostgres,
} from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';
import { newExchange } from './parts/exchanges.ts';
import { logIn } from './parts/sessions.ts';
import { at, clientEntry, code, deviceGrant, event, transaction, userEntry } from './store-under-test.ts';

type Store = OpenedStore['store'];

const sandbox = (name: string) => ({
  ...{ name, instanceId: `i-${name}`, createdAt: at(0), expiresAt: at(3600), ttlSeconds: 3600, settings: {} },
  keys: 'shared' as const,
});
const factor = (id: string) => ({
  ...{ id, browser: 'browser-1', purpose: '', username: 'alice' },
  ...{ surface: '/login' as const, passwordVerifiedAt: at(0) },
});
const registration = (clientId: string) => ({
  client_id: clientId,
  accessTokenHash: `hash-of-${clientId}`,
  issuedAt: at(0),
  grant_types: ['authorization_code'],
  client_name: undefined,
});

describe('stores on one PostgreSQL schema', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let schema: string;
  let stores: OpenedStore[];
  usePostgres((started) => {
    server = started;
  });
  beforeEach(async () => {
    const location = emptyPostgresLocation(server);
    schema = location.schema;
    stores = await Promise.all([1, 2, 3, 4].map(() => openTestPostgres(location)));
  });
  afterEach(async () => {
    await Promise.all((stores ?? []).map((store) => store.close()));
  });

  const first = (): OpenedStore => {
    const [one] = stores;
    if (one === undefined) throw new Error('No store is open.');
    return one;
  };
  const ofEach = async <Outcome>(many: number, work: (opened: OpenedStore, number: number) => Promise<Outcome>) =>
    Promise.all(Array.from({ length: many }, (_, number) => work(stores[number % stores.length] ?? first(), number)));
  /** Copies the rows of a table until it has so many, with other values in these columns. */
  const fill = async (table: string, unique: Readonly<Record<string, string>>, rows: number) => {
    const columns = await server.ask(`SELECT column_name AS name FROM information_schema.columns
      WHERE table_schema = '${schema}' AND table_name = '${table}' AND is_identity = 'NO'`);
    const names = columns.map(({ name }) => String(name));
    const values = names.map((name) => unique[name] ?? name);
    // Without the triggers: the room that they take is another bound.
    await server.ask(`SET session_replication_role = replica; INSERT INTO ${schema}.${table} (${names.join(', ')}) SELECT ${values.join(', ')}
      FROM (SELECT * FROM ${schema}.${table} LIMIT 1) AS copied, generate_series(2, ${rows}) AS n`);
  };
  const countOf = (outcomes: readonly unknown[], wanted: unknown) =>
    outcomes.filter((outcome) => outcome === wanted).length;

  describe('keep their bounds', () => {
    const race = async (wanted: unknown, work: (store: Store, number: number) => Promise<unknown>) =>
      countOf(await ofEach(16, ({ store }, number) => work(store, number)), wanted);

    verifies('PGS-18', 'of what is pending: transactions, second factors and device grants', async () => {
      const { store } = first();
      await store.transactions.begin(transaction('t'), at(0));
      await fill('transactions', { transaction_id: "'t' || n" }, 995);
      expect(await race('begun', ({ transactions }, n) => transactions.begin(transaction(`new-${n}`), at(1)))).to.equal(
        5,
      );
      await store.secondFactors.record(factor('p'), at(0));
      await fill('second_factors', { id: "'p' || n" }, 995);
      expect(
        await race('recorded', ({ secondFactors }, n) => secondFactors.record(factor(`new-${n}`), at(1))),
      ).to.equal(5);
      await store.deviceGrants.begin(deviceGrant(0), at(0));
      await fill('device_grants', { device_code: "'d' || n", user_code: "'u' || n" }, 9_995);
      expect(await race('begun', ({ deviceGrants }, n) => deviceGrants.begin(deviceGrant(n + 1), at(1)))).to.equal(5);
    });

    verifies('PGS-18', 'of clients, documents, fetches, requests and sandboxes', async () => {
      const { store, sandboxes } = first();
      const register = ({ identities }: Store, name: string, max: number) =>
        identities.register(clientEntry(name), registration(name), max, 0, at(0), event('client_registered'));
      expect(await race('registered', (each, n) => register(each, `c${n}`, 7))).to.equal(7);

      const keep = ({ metadataDocuments }: Store, name: string) => {
        const client_id = `https://${name}.example`;
        const document = { client_id, entry: clientEntry(client_id), fetchedAt: at(0), freshUntil: at(60) };
        return metadataDocuments.save(document, at(0));
      };
      for (let number = 0; number < 95; number += 1) await keep(store, `d${number}`);
      expect(await race('kept', (each, n) => keep(each, `new-${n}`))).to.equal(16);
      expect(await store.metadataDocuments.list(at(1))).to.have.length(100);

      const fetches = await ofEach(40, (each) => each.store.metadataDocuments.admitFetch(at(0)));
      expect(countOf(fetches, true)).to.equal(30);
      const requests = await ofEach(40, (each) => each.store.rateCounters.count('token', 30, 60, at(0)));
      expect(countOf(requests, undefined)).to.equal(30);

      const begin = (each: OpenedStore, name: string) =>
        each.sandboxes.create(sandbox(name), undefined, at(1), event('sandbox_created'), () =>
          event('sandbox_deleted'),
        );
      await begin(first(), 'box');
      await fill('sandboxes', { namespace: "'box' || n || '/i'", name: "'box' || n", instance_id: "'i' || n" }, 995);
      const created = await ofEach(16, (each, n) => begin(each, `new-${n}`));
      expect(created.filter(({ outcome }) => outcome === 'created')).to.have.length(5);
      expect(await sandboxes.list(at(1))).to.have.length(1000);
    });
  });

  verifies(
    ['PGS-18', 'LGO-11', 'SSO-07'],
    'tell of the end of a session whoever got tokens in it, and give none afterwards',
    async () => {
      const limits = { lifetimeSeconds: 28_800, idleSeconds: 3600 };
      let redeemed = 0;
      for (let round = 0; round < 60; round += 1) {
        const sid = `s${round}`;
        const { sessions, codes } = first().store;
        await sessions.logIn(logIn(sid, { cookie: `cookie-${round}` }), at(0));
        const clients = ['a', 'b', 'c', 'd'].map((name) => `${name}${round}`);
        for (const clientId of clients) await codes.issue({ ...code(clientId, { clientId }), sid }, at(0));
        const end = ofEach(1, ({ store }) => store.sessions.end({ sid }, limits, at(1), () => event('session_ended')));
        const outcomes = await Promise.all(
          clients.map(async (clientId, number) => {
            const { store } = stores[number] ?? first();
            const session = { sid, issuer: 'http://i', mayBeOver: false };
            const { outcome } = await store.codes.redeem(clientId, clientId, `f-${clientId}`, at(1), at(9), {
              session,
            });
            return outcome === 'redeemed' ? [clientId] : [];
          }),
        );
        const told = (await end).flat().flatMap(({ participants }) => participants);
        const got = outcomes.flat();
        expect(told.map((each) => each.kind === 'client' && each.client_id)).to.have.members(got);
        redeemed += got.length;
      }
      const [left] = await server.ask(`SELECT count(*)::int AS count FROM ${schema}.session_participants`);
      expect(left?.count, `of ${redeemed} that took part`).to.equal(0);
    },
  );

  describe('have one audit', () => {
    const record = (opened: OpenedStore, name: string) => opened.audit.record(event('logout', { username: name }));
    const names = async ({ audit }: OpenedStore) => (await audit.read({ limit: -1 })).map(({ username }) => username);

    /** A session whose slot none of the stores' sessions shares, of which there are fewer than slots. */
    const inSlotOfItsOwn = async (): Promise<pg.Client> => {
      for (;;) {
        const session = new pg.Client({ host: server.socketDirectory, user: server.user, database: 'postgres' });
        await session.connect();
        const { rows } = await session.query(`SELECT 1 FROM pg_stat_activity
          WHERE application_name LIKE 'test-idp %' AND pid % ${slots} = pg_backend_pid() % ${slots}`);
        if (rows.length === 0) return session;
        await session.end();
      }
    };

    verifies('PGS-20', 'in which what is committed later stands after what was read, whenever it began', async () => {
      const late = new pg.Client({ host: server.socketDirectory, user: server.user, database: 'postgres' });
      await late.connect();
      await record(first(), 'before');
      await late.query(`BEGIN; SET LOCAL search_path = ${schema}, pg_catalog`);
      await late.query(`INSERT INTO events (namespace, recorded_at, event_type, username, status, details, bytes)
        VALUES ('${defaultNamespace}', 0, 'logout', 'begun early', 'success', '{}', 1)`);
      await record(first(), 'meanwhile');
      expect(await names(first())).to.deep.equal(['before', 'meanwhile']);
      await late.query('COMMIT');
      await late.end();
      await record(first(), 'after');
      const [, other] = stores;
      expect(await names(other ?? first())).to.deep.equal(['before', 'meanwhile', 'begun early', 'after']);
    });

    verifies('PGS-20', 'that only grows at its end, whoever reads, while all of them write', async () => {
      let done = false;
      const reading = Promise.all(
        stores.map(async (opened) => {
          let seen: readonly (string | null)[] = [];
          while (!done) {
            const now = await names(opened);
            expect(now.slice(0, seen.length)).to.deep.equal(seen);
            seen = now;
          }
          return seen;
        }),
      );
      await ofEach(120, async (opened, n) => {
        if (n % 6 === 0) {
          await opened.store.identities.createUser(
            `u${n}`,
            userEntry(),
            at(0),
            event('runtime_identity_created', { username: `u${n}` }),
          );
        } else await record(opened, `u${n}`);
      });
      done = true;
      await reading;
      const all = await Promise.all(stores.map(names));
      expect(new Set(all.map((each) => JSON.stringify(each))).size).to.equal(1);
      expect(all[0]).to.have.length(120);
    });

    verifies('PGS-20', 'and exchanges of which a cursor skips none', async () => {
      let done = false;
      const reading = (async () => {
        const found: string[] = [];
        let after = 0;
        for (;;) {
          const isLast = done;
          const page = await first().store.exchanges.list({ after }, 1000);
          found.push(...page.exchanges.map(({ path }) => path));
          after = page.cursor;
          if (isLast) return found;
        }
      })();
      await ofEach(200, async ({ store }, n) => {
        store.exchanges.add(newExchange({ path: `/${n}` }));
        await store.exchanges.written();
      });
      done = true;
      const expected = Array.from({ length: 200 }, (_, n) => `/${n}`);
      expect((await reading).toSorted()).to.deep.equal(expected.toSorted());
    });

    verifies('PGS-21', 'whose counters are exact, whatever is evicted', async () => {
      const id = { name: 'small', instanceId: 'one' };
      await first().namespaces.begin(id, { auditEntriesMax: 50 });
      await ofEach(400, (opened) => opened.namespaces.of(id).audit.record(event('login', { endpoint: '/login' })));
      const { audit } = first().namespaces.of(id);
      expect(await audit.read({ limit: -1 })).to.have.length(50);
      expect(await audit.counters()).to.include({ total_requests: 400, login_attempts: 400 });
      const [kept] = await server.ask(
        `SELECT sum(kept)::integer AS kept FROM ${schema}.audit_counters WHERE namespace = 'small/one'`,
      );
      expect(kept).to.deep.equal({ kept: 50 });
    });

    verifies('PGS-21', 'in which no commit waits for a row that another one holds', async () => {
      for (const opened of stores) await record(opened, 'first');
      const blocker = await inSlotOfItsOwn();
      await blocker.query(`BEGIN; SET LOCAL search_path = ${schema}, pg_catalog`);
      // As somebody in the middle of a commit, who holds the row of its session's slot.
      await blocker.query(`INSERT INTO audit_counters (namespace, slot, kept) VALUES ('${defaultNamespace}', ${slotOfSession}, 1)
        ON CONFLICT (namespace, slot) DO UPDATE SET kept = audit_counters.kept + 1`);
      const done = await Promise.allSettled(stores.map((opened) => record(opened, 'second')));
      await blocker.query('ROLLBACK');
      await blocker.end();
      // With one row for all none would be done.
      expect(done.map(({ status }) => status)).to.deep.equal(stores.map(() => 'fulfilled'));
    });
  });
});
