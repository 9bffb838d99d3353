// How much a store asks of PostgreSQL: one look for all that happens in a turn of the event loop, and no walk through a table.
import { expect } from 'chai';
import pg from 'pg';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import type { Connect, PreparedText } from '#shared/state/store/postgres/connection.ts';
import { openPostgresStore } from '#shared/state/store/postgres/open-postgres-store.ts';
import { copyRow } from '#test/support/postgres-rows.ts';
import {
  connectTo,
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  testStoreDependencies,
  usePostgres,
} from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';
import { pushedRequest } from './parts/pushed-requests.ts';
import { samlLogout } from './parts/saml-logouts.ts';
import { logIn, mellon } from './parts/sessions.ts';
import { at, code, deviceGrant, event, transaction } from './store-under-test.ts';

type Store = OpenedStore['store'];

interface Expiring {
  readonly table: string;
  readonly end: string;
  /** A namespace may hold any number of them; of the others it counts what lives. */
  readonly unbounded?: true;
  /** What tells rows apart, of a row that is copied. */
  readonly unique: Readonly<Record<string, string>>;
  /** Makes one more row, when the others are over. */
  readonly use: (store: Store, number: number) => Promise<unknown>;
}

const expiring: readonly Expiring[] = [
  {
    ...{ table: 'transactions', end: 'expires_at', unique: { transaction_id: "'t' || n" } },
    use: ({ transactions }, n) => transactions.begin(transaction(`new-${n}`), at(0)),
  },
  {
    ...{ table: 'codes', unbounded: true as const, end: 'expires_at', unique: { code: "'c' || n" } },
    use: ({ codes }, n) => codes.issue(code(`new-${n}`), at(0)),
  },
  {
    ...{ table: 'pushed_requests', end: 'expires_at', unique: { request_uri: "'u' || n" } },
    use: ({ pushedRequests }, n) => pushedRequests.push(pushedRequest(`new-${n}`), at(0)),
  },
  {
    ...{ table: 'device_grants', end: 'forgotten_at' },
    unique: { device_code: "'d' || n", user_code: "'u' || n" },
    use: ({ deviceGrants }, n) => deviceGrants.begin(deviceGrant(n), at(0)),
  },
  {
    ...{ table: 'second_factors', end: 'expires_at', unique: { id: "'p' || n" } },
    use: ({ secondFactors }, n) =>
      secondFactors.record(
        {
          ...{ id: `new-${n}`, browser: 'b', surface: '/login', purpose: '', username: 'alice' },
          passwordVerifiedAt: at(0),
        },
        at(0),
      ),
  },
  {
    ...{ table: 'sessions', end: 'forgotten_at' },
    unique: { sid: "'s' || n", cookie: "'k' || n", use_number: '-n' },
    use: ({ sessions }, n) => sessions.logIn(logIn(`new-${n}`, { cookie: `cookie-${n}` }), at(0)),
  },
  {
    ...{ table: 'logout_confirmations', end: 'expires_at', unique: { logout_id: "'l' || n" } },
    use: ({ logoutConfirmations }, n) =>
      logoutConfirmations.ask(
        {
          ...{ logout_id: `new-${n}`, browser: 'b1', sids: ['s1'], askedAt: at(0) },
          request: {
            clientId: 'web',
            hint: { clientId: undefined },
            address: 'https://app.example/',
            state: undefined,
          },
        },
        at(0),
      ),
  },
  {
    ...{ table: 'saml_logouts', end: 'expires_at', unique: { id: "'l' || n" } },
    use: ({ samlLogouts }, n) => samlLogouts.begin(samlLogout(`new-${n}`), at(0)),
  },
  {
    ...{ table: 'ended_assertions', end: 'expires_at', unique: { mark: "'m' || n" } },
    use: ({ samlLogouts }, n) => samlLogouts.keepEnded([{ ...mellon, session_index: `new-${n}` }], at(0)),
  },
  {
    ...{
      table: 'token_memory',
      unbounded: true as const,
      end: 'kept_until',
      unique: { digest: "decode(md5(n::text), 'hex')" },
    },
    use: ({ tokenState }, n) => tokenState.revokeFamily(`new-${n}`, at(0)),
  },
  {
    ...{ table: 'typed_claims', end: 'kept_until', unique: { name: "'t' || n" } },
    use: ({ typedClaims }, n) => typedClaims.save({ name: `new-${n}`, claims: { a: 1 } }, at(60)),
  },
  {
    ...{ table: 'rate_windows', unbounded: true as const, end: 'expires_at', unique: { bucket: "'b' || n" } },
    use: ({ rateCounters }, n) => rateCounters.count(`new-${n}`, 1, 60, at(0)),
  },
  {
    ...{
      table: 'verified_authn_requests',
      unbounded: true as const,
      end: 'expires_at',
      unique: { browser: "'b' || n" },
    },
    use: ({ verifiedAuthnRequests }, n) => verifiedAuthnRequests.record(`new-${n}`, 'digest', at(0)),
  },
];

describe('what is asked of PostgreSQL', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  usePostgres((started) => {
    server = started;
  });

  /** A store, and what it asks. */
  const openHeard = async (schema: string) => {
    const asked: Pick<PreparedText, 'text' | 'values'>[] = [];
    const connect = connectTo(server, schema);
    const hearing: Connect = async (milliseconds) => {
      const connection = await connect(milliseconds);
      return {
        ...connection,
        send: (message) => {
          asked.push(...message);
          return connection.send(message);
        },
        runText: (text) => {
          asked.push({ text, values: [] });
          return connection.runText(text);
        },
      };
    };
    const opened = await openPostgresStore({ connect: hearing, schema, poolSize: 4 }, testStoreDependencies());
    return { ...opened, asked };
  };

  verifies(
    'PGS-24',
    'is one query for all requests of a turn, in whatever sandboxes, which learns what others changed',
    async () => {
      const location = emptyPostgresLocation(server);
      const other = await openTestPostgres(location);
      const id = { name: 'box', instanceId: 'one' };
      await other.namespaces.begin(id, { auditEntriesMax: 1000 });
      const { asked, store, signingKeys, namespaces, close } = await openHeard(location.schema);
      const box = namespaces.of(id).store;
      asked.length = 0;
      const turn = () =>
        Promise.all([store, box, store, box].flatMap((each) => [each.generations.newest(), each.clock.refresh()]));
      const unchanged = await turn();
      expect(asked).to.have.length(1);
      expect(unchanged.filter((answer) => answer === 0)).to.have.length(4);

      await other.store.generations.accept('settings', 'users');
      await other.namespaces
        .of(id)
        .store.clock.move({ to: { by: 'advance', milliseconds: 5_000 } }, at(0), () => event('clock_changed'));
      const order = {
        fault: 'status',
        at: ['jwks'],
        when: {},
        times: null,
        parameters: {},
        ttl_seconds: null,
      } as const;
      await other.store.faults.create({ ...order, id: 'f', quiet: false, unknownKey: undefined });
      const key = {
        kid: 'k1',
        privateKeyPem: 'private',
        publicKeyPem: 'public',
        certificatePem: 'certificate',
        createdAt: at(0),
      };
      await other.signingKeys?.begin(key);
      asked.length = 0;
      const changed = await turn();
      expect(
        changed.filter((answer) => answer === 1),
        'generations',
      ).to.have.length(2);
      expect([store.clock.state().offsetMilliseconds, box.clock.state().offsetMilliseconds]).to.deep.equal([0, 5_000]);
      expect(asked.filter(({ text }) => text.includes('FROM head'))).to.have.length(1);
      expect(store.faults.inForce().map((fault) => fault.id)).to.deep.equal(['f']);
      expect(signingKeys?.current()?.active.kid).to.equal('k1');
      const listeners = await server.ask(
        "SELECT 1 FROM pg_stat_activity WHERE query ILIKE '%listen%' AND pid <> pg_backend_pid()",
      );
      expect(listeners, 'nobody waits to be told').to.deep.equal([]);
      await Promise.all([close(), other.close()]);
    },
  );

  for (const { table, end, unbounded, unique, use } of expiring) {
    verifies('PGS-22', `removes what is over in ${table} a few at a time, without a walk through it`, async () => {
      const { schema } = emptyPostgresLocation(server);
      const { asked, store, close } = await openHeard(schema);
      await use(store, 0);
      const copy = (changes: Readonly<Record<string, string>>, from: number, to: number) =>
        copyRow(server, schema, { table, values: { ...unique, ...changes }, from, to });
      // Far more live rows: whoever walks through the table would meet them.
      const elsewhere = unbounded === true ? {} : { namespace: "'elsewhere'" };
      const far = '9000000000000000';
      await copy({ ...elsewhere, [end]: far }, 100_000, 120_000);
      await copy({ [end]: '1' }, 1_000, 1_059);
      await server.ask(`ANALYZE ${schema}.${table}`);
      const over = async () =>
        (await server.ask(`SELECT count(*)::integer AS rows FROM ${schema}.${table} WHERE ${end} = 1`))[0]?.rows;

      asked.length = 0;
      await use(store, 1);
      expect(await over(), 'after one operation').to.equal(40);
      const walks = await walksThrough(schema, table, asked);
      expect(walks).to.deep.equal([]);
      await use(store, 2);
      await use(store, 3);
      expect(await over()).to.equal(0);
      await close();
    });
  }

  /** Statements that PostgreSQL would answer by reading all rows of the table. */
  const walksThrough = async (
    schema: string,
    table: string,
    statements: readonly Pick<PreparedText, 'text' | 'values'>[],
  ): Promise<readonly string[]> => {
    const client = new pg.Client({ host: server.socketDirectory, user: server.user, database: 'postgres' });
    await client.connect();
    await client.query(`SET search_path = pg_catalog, ${schema}`);
    const found: string[] = [];
    for (const { text, values } of statements.filter((each) =>
      /^\s*(SELECT|DELETE|UPDATE|INSERT|WITH)/.test(each.text),
    )) {
      if (/^\s*SELECT pg_|;/.test(text)) continue;
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...values]);
      if (rows.some((row) => row['QUERY PLAN'].includes(`Seq Scan on ${table}`))) found.push(text);
    }
    await client.end();
    return found;
  };
});
