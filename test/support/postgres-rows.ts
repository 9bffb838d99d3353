// Inserts many PostgreSQL rows at once, or removes all of them, without the store. The store itself would take too long for
// a test.
import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresLocation } from '#shared/model/runtime-store/store-location.ts';
import { prepareSchema } from '#shared/state/store/postgres/schema/prepare-schema.ts';
import { connectTo, emptyPostgresLocation, type PostgresServer } from './postgres-server.ts';

const closingMilliseconds = 10_000;

interface RowCopies {
  readonly table: string;
  /** SQL by column: what differs from the copied row. `n` is the number of the copy. */
  readonly values: Readonly<Record<string, string>>;
  readonly from: number;
  readonly to: number;
}

/** Copies the only row of a table, or one of several. Triggers do not run, so their counters stay unchanged. */
export async function copyRow(
  server: PostgresServer,
  schema: string,
  { table, values, from, to }: RowCopies,
): Promise<void> {
  const columns = await server.ask(`SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = '${schema}' AND table_name = '${table}' AND is_identity = 'NO'`);
  const names = columns.map(({ name }) => String(name));
  await server.ask(`SET session_replication_role = replica; INSERT INTO ${schema}.${table} (${names.join(', ')})
    SELECT ${names.map((name) => values[name] ?? name).join(', ')}
    FROM (SELECT * FROM ${schema}.${table} LIMIT 1) AS copied, generate_series(${from}, ${to}) AS n`);
}

/**
 * One schema for consecutive tests, empty each time. Emptying it takes a tenth of the time of creating another. All
 * connections to the server must be closed, and this waits for their locks.
 */
export function reusedPostgresSchema(server: PostgresServer): () => Promise<PostgresLocation> {
  const location = emptyPostgresLocation(server);
  const { schema } = location;
  const made = `${schema}_as_made`;
  let isMade = false;
  const make = async () => {
    await prepareSchema(connectTo(server, schema), schema);
    await server.ask(`CREATE SCHEMA ${made}; DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' LOOP
        EXECUTE format('CREATE TABLE ${made}.%I AS TABLE ${schema}.%I', name, name);
      END LOOP;
      CREATE TABLE ${made}.positions_of_sequences AS
        SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = '${schema}';
    END $$`);
    isMade = true;
  };
  const empty = () =>
    server.ask(`SET session_replication_role = replica; DO $$ DECLARE name text; position bigint; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' LOOP
        IF pg_relation_size(format('${schema}.%I', name)) > 65536 THEN
          EXECUTE format('TRUNCATE ${schema}.%I', name);
        ELSE
          EXECUTE format('DELETE FROM ${schema}.%I', name);
        END IF;
        EXECUTE format('INSERT INTO ${schema}.%I OVERRIDING SYSTEM VALUE TABLE ${made}.%I', name, name);
      END LOOP;
      FOR name, position IN SELECT was.sequencename, was.last_value FROM ${made}.positions_of_sequences was
          JOIN pg_sequences s USING (sequencename)
          WHERE s.schemaname = '${schema}' AND s.last_value IS DISTINCT FROM was.last_value LOOP
        PERFORM setval(format('${schema}.%I', name), coalesce(position, 1), position IS NOT NULL);
      END LOOP;
    END $$`);
  return async () => {
    await noOtherConnection(server);
    await (isMade ? empty() : make());
    return location;
  };
}

/** The server ends a closed connection, and its advisory locks, a moment later. */
async function noOtherConnection(server: PostgresServer): Promise<void> {
  const start = performance.now();
  for (;;) {
    const others = await server.ask(
      "SELECT query FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    if (others.length === 0) return;
    if (performance.now() - start > closingMilliseconds) throw new Error(`Still connected: ${JSON.stringify(others)}`);
    await pause(5);
  }
}
