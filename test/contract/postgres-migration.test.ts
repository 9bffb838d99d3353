// An older schema in PostgreSQL becomes that of the present with all its state, at once or not at all, while a stack of the version
// before works on it.
import { expect } from 'chai';
import type { Connect, Connection } from '#shared/state/store/postgres/connection.ts';
import { prepareSchema } from '#shared/state/store/postgres/schema/prepare-schema.ts';
import { firstVersion, schemaSteps } from '#shared/state/store/postgres/schema/steps.ts';
import { StoreRefusedError } from '#shared/state/store/store-refused.ts';
import {
  connectTo,
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  usePostgres,
} from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, code, event, transaction, userEntry } from './store-under-test.ts';

const present = firstVersion + schemaSteps.length;
const nextSteps = [
  ...schemaSteps,
  {
    oldestFormat: present,
    sql: "CREATE TABLE of_the_next (id text); ALTER TABLE codes ADD COLUMN of_the_next text NOT NULL DEFAULT 'x';",
  },
];

describe('an older schema in PostgreSQL', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  usePostgres((started) => {
    server = started;
  });

  const versionOf = async (schema: string) =>
    (await server.ask(`SELECT version FROM ${schema}.store_version`))[0]?.version;
  type Opened = Awaited<ReturnType<typeof openTestPostgres>>;
  const fill = async ({ store, audit }: Opened) => {
    await store.codes.issue(code('c1'), at(0));
    await store.transactions.begin(transaction('t1'), at(0));
    await store.tokenState.revokeFamily('f1', at(0));
    await store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));
    await store.sharedSecrets.get('cookie', () => 'the secret');
    await store.generations.accept('settings', 'users');
    await store.clock.move({ to: { by: 'advance', milliseconds: 5_000 } }, at(0));
    await audit.record(event('logout'));
  };
  const expectState = async ({ store, audit }: Opened) => {
    expect((await store.codes.find('c1', at(1)))?.client_id).to.equal('web');
    expect(await store.transactions.find('t1', 'browser-1', at(1))).to.not.equal(undefined);
    expect(await store.tokenState.isAccessTokenRevoked('a1', 'f1')).to.equal(true);
    expect((await store.identities.findUser('zoe'))?.name).to.equal('zoe');
    expect(await store.sharedSecrets.get('cookie', () => 'another')).to.equal('the secret');
    expect(await store.generations.newest()).to.equal(1);
    expect(await store.clock.refresh()).to.deep.equal({ offsetMilliseconds: 5_000, frozenAt: undefined });
    expect((await audit.read({ limit: -1 })).map(({ event_type }) => event_type)).to.deep.equal([
      ...['runtime_identity_created', 'logout'],
    ]);
  };

  verifies('PGS-12', 'of the first version is migrated with its state', async () => {
    const location = emptyPostgresLocation(server);
    const { schema } = location;
    await prepareSchema(connectTo(server, schema), schema, { steps: [] });
    expect(await versionOf(schema)).to.equal(1);
    // What a stack of that version would have written, by one of the present.
    const source = emptyPostgresLocation(server);
    const filled = await openTestPostgres(source);
    await fill(filled);
    await filled.audit.read({ limit: 1 });
    await filled.close();
    const tables = await server.ask(`SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns
      FROM information_schema.columns WHERE table_schema = '${schema}' AND table_name <> 'store_version' GROUP BY 1`);
    for (const { name, columns } of tables) {
      await server.ask(`SET session_replication_role = replica; DELETE FROM ${schema}.${name};
        INSERT INTO ${schema}.${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${source.schema}.${name}`);
    }
    const migrated = await openTestPostgres(location);
    expect(await versionOf(schema)).to.equal(present);
    await expectState(migrated);
    await migrated.close();
  });

  verifies('PGS-12', 'is migrated beside a stack that goes on, and is too new for who starts later', async () => {
    const location = emptyPostgresLocation(server);
    const { schema } = location;
    const former = await openTestPostgres(location);
    await fill(former);
    await expectState(former);
    let isMigrated = false;
    const working = (async () => {
      for (let number = 0; ; number += 1) {
        const isLast = isMigrated;
        expect(await former.store.codes.issue(code(`beside-${number}`), at(0))).to.equal('issued');
        await former.audit.read({ limit: 5 });
        if (isLast) return number + 1;
      }
    })();
    await Promise.all([1, 2, 3].map(() => prepareSchema(connectTo(server, schema), schema, { steps: nextSteps })));
    isMigrated = true;
    const worked = await working;
    expect(await versionOf(schema)).to.equal(present + 1);
    const rows = await server.ask(`SELECT count(*)::integer AS codes, min(of_the_next) AS added FROM ${schema}.codes`);
    expect(rows).to.deep.equal([{ codes: worked + 1, added: 'x' }]);
    await expectState(former);
    await former.close();
    const refused: unknown = await openTestPostgres(location).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(StoreRefusedError);
    expect(String(refused)).to.contain(`has the format ${present + 1}, but this program writes ${present}`);
  });

  verifies(['PGS-11', 'PGS-12'], 'stays whole when who migrates it dies, and the next one goes on', async () => {
    const location = emptyPostgresLocation(server);
    const { schema } = location;
    const former = await openTestPostgres(location);
    await fill(former);
    const connect = connectTo(server, schema);
    const dying: Connect = async (milliseconds) => {
      const connection = await connect(milliseconds);
      const say: Connection['runText'] = async (text) => {
        if (text === 'COMMIT') connection.drop();
        return connection.runText(text);
      };
      return { ...connection, runText: say };
    };
    await prepareSchema(dying, schema, { steps: nextSteps }).then(
      () => expect.fail('migrated'),
      () => undefined,
    );
    expect(await versionOf(schema)).to.equal(present);
    await expectState(former);
    await prepareSchema(connect, schema, { steps: nextSteps });
    expect(await versionOf(schema)).to.equal(present + 1);
    await former.close();
  });
});
