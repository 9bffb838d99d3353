// The life of namespaces in one database. They begin and end in one transaction, audit and recorder included. A
// transaction that ends one waits for all operations running in it (SBX-10, SBX-14).
import * as z from 'zod';
import { recorderBounds } from '#shared/model/domain/exchange.ts';
import { NamespaceEndedError, type NamespaceKey } from '../namespace-id.ts';
import type { NamespaceLife } from '../operations/namespaces.ts';
import { beginAudit } from './audit/entry-rows.ts';
import type { PostgresDatabase } from './database.ts';
import { beginRecorder, noteReset } from './exchanges/exchange-rows.ts';
import { livesNow, namespaceLock } from './namespace-context.ts';
import { type Command, command, query } from './statement.ts';
import { awaited, transaction } from './steps.ts';
import type { Transaction } from './transaction.ts';

const sql = {
  begin: command('INSERT INTO namespaces (namespace) VALUES (@ns)'),
  end: command('DELETE FROM namespaces WHERE namespace = @ns'),
  /** The rows that it counts were deleted immediately before. */
  forgetRoom: command('DELETE FROM taken_room WHERE namespace = @ns'),
};

// Every table of the schema with a `namespace` column, so that none can be omitted.
const tablesOfSchema = query(
  `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
   WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'namespaces'::regclass) AND c.relkind = 'r'
     AND a.attname = 'namespace' AND NOT a.attisdropped AND c.relname <> 'namespaces'`,
  z.object({ name: z.string() }),
);

const nothing = async () => undefined;

export function namespaceLife(database: PostgresDatabase): NamespaceLife {
  let removals: readonly Command[] | undefined;

  const begin = async (on: Transaction, ns: NamespaceKey, auditEntriesMax: number, isReset: boolean) => {
    await sql.begin.run(on, { ns });
    await beginAudit(on, ns, auditEntriesMax);
    await beginRecorder(on, ns, recorderBounds.sandbox);
    if (isReset) await noteReset(on, ns);
  };

  const end = async (on: Transaction, ns: NamespaceKey) => {
    // Running operations that write in the namespace finish first.
    await database.lock(on, namespaceLock(ns));
    if ((await sql.end.run(on, { ns })) === 0) return false;
    removals ??= (await tablesOfSchema.all(on, {})).map(({ name }) =>
      command(`DELETE FROM ${name} WHERE namespace = @ns`),
    );
    // Sent in one message with the next statement: ending many in one transaction then takes about as long as ending
    // one.
    for (const removal of removals) removal.put(on, { ns });
    sql.forgetRoom.put(on, { ns });
    return true;
  };

  const requireLife = async (on: Transaction, ns: NamespaceKey) => {
    if (!(await livesNow(on, ns))) throw new NamespaceEndedError(ns);
  };

  return {
    prepare: nothing,
    discard: nothing,
    begin: (ns, auditEntriesMax, isReset) => awaited(begin(transaction(), ns, auditEntriesMax, isReset)),
    end: (ns) => awaited(end(transaction(), ns)),
    requireLife: (ns) => awaited(requireLife(transaction(), ns)),
    finishEnds: nothing,
    sweep: nothing,
  };
}
