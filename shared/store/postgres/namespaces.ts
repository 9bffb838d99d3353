// The namespaces of a store: begun and ended in one transaction, audit and recorder included. Who ends one waits for
// whatever is under way in it, and what comes later is refused (SBX-10, SBX-14).
import * as z from 'zod';
import { recorderBounds } from '#shared/domain/exchange.ts';
import { NamespaceEndedError, type NamespaceKey, namespaceKey } from '../namespace-id.ts';
import type { NamespacePorts, Namespaces } from '../opened-store.ts';
import { beginAudit } from './audit/entry-rows.ts';
import type { PostgresDatabase } from './database.ts';
import { beginRecorder } from './exchanges/exchange-rows.ts';
import { livesNow, lockOfLife } from './namespace-context.ts';
import { type Command, command, query } from './statement.ts';
import type { Transaction } from './transaction.ts';

/** The two halves of a namespace's life, for inside the transaction of whoever begins or ends it. */
export interface NamespaceRows {
  begin(on: Transaction, ns: NamespaceKey, auditEntriesMax: number): Promise<void>;
  /** Removes every row; false when it did not live. */
  end(on: Transaction, ns: NamespaceKey): Promise<boolean>;
  /** @throws NamespaceEndedError when it does not live. */
  requireLife(on: Transaction, ns: NamespaceKey): Promise<void>;
}

const sql = {
  begin: command('INSERT INTO namespaces (namespace) VALUES (@ns)'),
  end: command('DELETE FROM namespaces WHERE namespace = @ns'),
};

// Whatever table of the schema carries a namespace: none can be forgotten here.
const tablesOfSchema = query(
  `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
   WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'namespaces'::regclass) AND c.relkind = 'r'
     AND a.attname = 'namespace' AND NOT a.attisdropped AND c.relname <> 'namespaces'`,
  z.object({ name: z.string() }),
);

export function namespaceRows(database: PostgresDatabase): NamespaceRows {
  let removals: readonly Command[] | undefined;
  return {
    begin: async (on, ns, auditEntriesMax) => {
      await sql.begin.run(on, { ns });
      await beginAudit(on, ns, auditEntriesMax);
      await beginRecorder(on, ns, recorderBounds.sandbox);
    },
    end: async (on, ns) => {
      // Operations that write in the namespace at this moment finish first.
      await database.lock(on, lockOfLife(ns));
      if ((await sql.end.run(on, { ns })) === 0) return false;
      removals ??= (await tablesOfSchema.all(on, {})).map(({ name }) =>
        command(`DELETE FROM ${name} WHERE namespace = @ns`),
      );
      // In one message with what comes next: many are ended in one transaction, within the time of one.
      for (const removal of removals) removal.put(on, { ns });
      // Its rows were counted out a moment ago.
      forgetRoom.put(on, { ns });
      return true;
    },
    requireLife: async (on, ns) => {
      if (!(await livesNow(on, ns))) throw new NamespaceEndedError(ns);
    },
  };
}

const forgetRoom = command('DELETE FROM taken_room WHERE namespace = @ns');

export function postgresNamespaces(
  database: PostgresDatabase,
  rows: NamespaceRows,
  portsOf: (ns: NamespaceKey) => NamespacePorts,
): Namespaces {
  return {
    begin: async (id, { auditEntriesMax }) => {
      const ns = namespaceKey(id);
      await database.write([], (on) => rows.begin(on, ns, auditEntriesMax));
    },
    of: (id) => portsOf(namespaceKey(id)),
    end: async (ids) => {
      const keys = ids.map(namespaceKey);
      return database.write([], async (on) => {
        let ended = 0;
        for (const ns of keys.toSorted()) if (await rows.end(on, ns)) ended += 1;
        return ended;
      });
    },
  };
}
