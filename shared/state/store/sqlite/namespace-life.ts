// The life of namespaces in two databases. An end is one transaction of the runtime database, after which no row of the
// namespace is found. The audit is deleted next. The next process does this if a crash interrupted it. An audit is
// created before its namespace and deleted after it, and a sweep deletes one that no namespace needs.
import * as z from 'zod';
import { presentRow } from '../json-columns.ts';
import { NamespaceEndedError, type NamespaceKey } from '../namespace-id.ts';
import type { NamespaceLife } from '../operations/namespaces.ts';
import type { AuditDatabase } from './audit/audit-database.ts';
import type { StoreDatabase } from './database.ts';
import { Answered } from './steps.ts';

export function namespaceLife(database: StoreDatabase, audits: AuditDatabase): NamespaceLife {
  const begin = database.command('INSERT INTO namespaces (namespace) VALUES (@ns)');
  const noteEnded = database.command('INSERT OR IGNORE INTO ended_namespaces (ended) VALUES (@ns)');
  const ended = database.query('SELECT ended FROM ended_namespaces', z.object({ ended: z.string() }));
  const forgetEnded = database.command('DELETE FROM ended_namespaces WHERE ended = @ns');
  const life = database.query('SELECT 1 AS present FROM namespaces WHERE namespace = @ns', presentRow);
  const isLiving = (ns: NamespaceKey) => life.get({ ns }) !== undefined;
  const endOfLife = database.command('DELETE FROM namespaces WHERE namespace = @ns');
  // Every table of the schema with a `namespace` column, so that none can be omitted.
  const tables = database.query(
    `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND c.name = 'namespace' AND m.name <> 'namespaces'`,
    z.object({ name: z.string() }),
  );
  let removals: readonly { run(bindings: { ns: NamespaceKey }): number }[] | undefined;
  const removeRows = (ns: NamespaceKey) => {
    removals ??= tables.all({}).map(({ name }) => database.command(`DELETE FROM ${name} WHERE namespace = @ns`));
    for (const removal of removals) removal.run({ ns });
  };
  /** Audits without a namespace at the last sweep. Their creation is still running, or its process died. */
  let orphans: ReadonlySet<string> = new Set();

  return {
    prepare: (ns, auditEntriesMax, isReset) =>
      isReset ? audits.beginAnew(ns, auditEntriesMax) : audits.begin(ns, auditEntriesMax),
    discard: (ns) => audits.end([ns]),
    begin: (ns) => {
      begin.run({ ns });
      return new Answered(undefined);
    },
    end: (ns) => {
      if (endOfLife.run({ ns }) === 0) return new Answered(false);
      removeRows(ns);
      noteEnded.run({ ns });
      return new Answered(true);
    },
    requireLife: (ns) => {
      if (!isLiving(ns)) throw new NamespaceEndedError(ns);
      return new Answered(undefined);
    },
    finishEnds: async () => {
      const due = await database.read(() => ended.all({}).map((row) => row.ended));
      if (due.length === 0) return;
      await audits.end(due);
      await database.free(() => {
        for (const ns of due) forgetEnded.run({ ns });
      });
    },
    sweep: async () => {
      const known = await audits.namespaces();
      const alone = known.length < 2 ? [] : await database.read(() => known.filter((ns) => !isLiving(ns)));
      // An audit without a namespace at two sweeps is older than any running creation.
      const forgotten = alone.filter((ns) => orphans.has(ns));
      if (forgotten.length > 0) await audits.end(forgotten);
      orphans = new Set(alone);
    },
  };
}
