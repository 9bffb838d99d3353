// Creates and migrates the tables of the store in PostgreSQL, in one transaction under one advisory lock (PGS-10 to
// PGS-14).
import * as z from 'zod';
import { storeDeadlineMilliseconds } from '#shared/model/runtime-store/store-deadline.ts';
import { StoreRefusedError } from '../../store-refused.ts';
import type { Connect, Connection } from '../connection.ts';
import { lockKey } from '../database.ts';
import { firstTables } from './first-tables.ts';
import { requireWorkable, schemaFormatQuery, schemaFormatRow } from './schema-ahead.ts';
import { firstDescribedVersion, firstVersion, oldestFormatOf, type SchemaStep, schemaSteps } from './steps.ts';

const presence = z.object({ schema_there: z.boolean(), version_there: z.boolean() });
const versionRow = z.object({ version: z.number() });

/** Quotes a PostgreSQL name. Our names need no quotes, but one of them may be a keyword. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Other processes may create or migrate the schema meanwhile. */
const longestWait = "SET LOCAL statement_timeout = '60s'";

interface SchemaPreparation {
  /** The steps of another program, for tests. */
  readonly steps?: readonly SchemaStep[];
  /** The stack is already running: a newer schema that this program can work with is accepted (CLU-05). */
  readonly joins?: boolean | undefined;
}

/**
 * Creates the schema, migrates it, or finds it ready. Of any number of simultaneous processes exactly one creates it. A
 * kill at any time leaves either nothing or the complete schema.
 * @throws StoreRefusedError; SchemaAheadError for a process of a stack whose schema a newer program has made
 * incompatible
 */
export async function prepareSchema(
  connect: Connect,
  name: string,
  preparation: SchemaPreparation = {},
): Promise<void> {
  const { steps = schemaSteps, joins = false } = preparation;
  const connection = await connect(storeDeadlineMilliseconds);
  try {
    await prepareOn(connection, name, { steps, joins });
  } finally {
    await connection.close();
  }
}

type Preparing = { readonly [Member in keyof SchemaPreparation]-?: NonNullable<SchemaPreparation[Member]> };

async function prepareOn(connection: Connection, name: string, preparing: Preparing): Promise<void> {
  const schema = quoted(name);
  const text = `'${name.replaceAll("'", "''")}'`;
  await connection.runText(`BEGIN; ${longestWait}; SELECT pg_advisory_xact_lock(${lockKey(name, 'schema')})`);
  try {
    const [found] = await connection.runText(
      `SELECT to_regnamespace(quote_ident(${text})) IS NOT NULL AS schema_there,
         to_regclass(quote_ident(${text}) || '.store_version') IS NOT NULL AS version_there`,
    );
    const { schema_there, version_there } = presence.parse(found?.rows[0]);
    if (version_there) {
      const [row] = await connection.runText(`SELECT version FROM ${schema}.store_version`);
      await migrate(connection, name, versionRow.parse(row?.rows[0]).version, preparing);
    } else {
      if (schema_there) await requireEmpty(connection, name, text);
      // An owner of the schema may lack the right to create others (PGS-13).
      const create = schema_there ? '' : `CREATE SCHEMA ${schema};`;
      await connection.runText(`${create} SET LOCAL search_path = ${schema}, pg_catalog; ${firstTables(schema)}`);
      await migrate(connection, name, firstVersion, preparing);
    }
    await connection.runText('COMMIT');
  } catch (error) {
    await connection.runText('ROLLBACK').catch(() => connection.drop());
    throw error;
  }
}

/** Migrates an older schema in the same transaction. @throws StoreRefusedError for a newer one */
async function migrate(
  connection: Connection,
  name: string,
  version: number,
  { steps, joins }: Preparing,
): Promise<void> {
  const present = firstVersion + steps.length;
  const path = `SET LOCAL search_path = ${quoted(name)}, pg_catalog;`;
  if (version > present && joins) {
    const answers = await connection.runText(`${path} ${schemaFormatQuery}`);
    requireWorkable(name, schemaFormatRow.parse(answers.at(-1)?.rows[0]), present);
    return;
  }
  if (version > present) {
    const found = `the schema ${name} has the format ${version}, but this program writes ${present}`;
    throw new StoreRefusedError(`runtime.schema: ${found}. Start the newer program, or name another schema.`);
  }
  if (version === present) return;
  const missing = steps.slice(version - firstVersion).map(({ sql }) => sql);
  const tell = present < firstDescribedVersion ? '' : `, oldest_format = ${oldestFormatOf(steps)}`;
  await connection.runText(`${path} ${missing.join(' ')} UPDATE store_version SET version = ${present}${tell};`);
}

async function requireEmpty(connection: Connection, name: string, text: string): Promise<void> {
  const [found] = await connection.runText(
    `SELECT EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = to_regnamespace(quote_ident(${text}))) AS schema_there, true AS version_there`,
  );
  if (!presence.parse(found?.rows[0]).schema_there) return;
  throw new StoreRefusedError(`runtime.schema: the schema ${name} contains other data. Name another schema.`);
}
