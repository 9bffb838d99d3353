// The namespaces of a store over its two databases. An end is one transaction of the runtime database, after which nobody
// finds anything; the audit's part follows, and whoever comes next finishes it when a crash cut it short.
import * as z from 'zod';
import { presentRow } from '../json-columns.ts';
import { NamespaceEndedError, type NamespaceId, type NamespaceKey, namespaceKey } from '../namespace-id.ts';
import type { NamespacePorts, Namespaces } from '../opened-store.ts';
import type { AuditDatabase } from './audit/audit-database.ts';
import type { StoreDatabase } from './database.ts';

const tableRow = z.object({ name: z.string() });
const endedRow = z.object({ ended: z.string() });

/** The two halves of a namespace's life in the runtime database, for inside the transaction of whoever begins or ends it. */
export interface NamespaceRows {
  begin(ns: NamespaceKey): void;
  /** Removes every row; false when it did not live. Afterwards `finishEnds` is due. */
  end(ns: NamespaceKey): boolean;
  /** @throws NamespaceEndedError when it does not live; inside a transaction. */
  requireLife(ns: NamespaceKey): void;
  /** Answers the namespaces among these that do not live. */
  withoutLife(namespaces: readonly NamespaceKey[]): Promise<readonly NamespaceKey[]>;
  /** Removes the audits of what has ended. Cheap when there is nothing. */
  finishEnds(): Promise<void>;
}

export function namespaceRows(database: StoreDatabase, audit: AuditDatabase): NamespaceRows {
  const begin = database.command('INSERT INTO namespaces (namespace) VALUES (@ns)');
  const noteEnded = database.command('INSERT OR IGNORE INTO ended_namespaces (ended) VALUES (@ns)');
  const ended = database.query('SELECT ended FROM ended_namespaces', endedRow);
  const forgetEnded = database.command('DELETE FROM ended_namespaces WHERE ended = @ns');
  const life = database.query('SELECT 1 AS present FROM namespaces WHERE namespace = @ns', presentRow);
  const lives = (ns: NamespaceKey) => life.get({ ns }) !== undefined;
  const endOfLife = database.command('DELETE FROM namespaces WHERE namespace = @ns');
  // Whatever table of the schema carries a namespace: none can be forgotten here.
  const tables = database.query(
    `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND c.name = 'namespace' AND m.name <> 'namespaces'`,
    tableRow,
  );
  let removals: readonly { run(bindings: { ns: NamespaceKey }): number }[] | undefined;
  const removeRows = (ns: NamespaceKey) => {
    removals ??= tables.all({}).map(({ name }) => database.command(`DELETE FROM ${name} WHERE namespace = @ns`));
    for (const removal of removals) removal.run({ ns });
  };

  return {
    begin: (ns) => {
      begin.run({ ns });
    },
    end: (ns) => {
      if (endOfLife.run({ ns }) === 0) return false;
      removeRows(ns);
      noteEnded.run({ ns });
      return true;
    },
    requireLife: (ns) => {
      if (!lives(ns)) throw new NamespaceEndedError(ns);
    },
    withoutLife: (namespaces) => database.read(() => namespaces.filter((ns) => !lives(ns))),
    finishEnds: async () => {
      const due = await database.read(() => ended.all({}).map((row) => row.ended));
      if (due.length === 0) return;
      await audit.end(due);
      await database.free(() => {
        for (const ns of due) forgetEnded.run({ ns });
      });
    },
  };
}

export function sqliteNamespaces(
  database: StoreDatabase,
  audit: AuditDatabase,
  rows: NamespaceRows,
  portsOf: (ns: NamespaceKey) => NamespacePorts,
): Namespaces {
  return {
    begin: async (id, { auditEntriesMax }) => {
      const ns = namespaceKey(id);
      // The audit first: a namespace that lives has one.
      await audit.begin(ns, auditEntriesMax);
      await database.write(() => rows.begin(ns));
    },
    of: (id) => portsOf(namespaceKey(id)),
    end: async (ids: readonly NamespaceId[]) => {
      const ended = await database.free(() => ids.filter((id) => rows.end(namespaceKey(id))).length);
      await rows.finishEnds();
      return ended;
    },
  };
}
