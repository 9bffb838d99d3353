// Reads from outside which tables of the two databases of a store have rows of which namespace.
import Database from 'better-sqlite3';
import type { StoreFiles } from '#shared/state/store/store-files.ts';

/** `<table> <namespace>` for every table with rows of a namespace other than the default one. */
export function rowsBesideDefault({ runtime, audit }: Pick<StoreFiles, 'runtime' | 'audit'>): string[] {
  return [runtime, audit].flatMap((path) => {
    const database = new Database(path, { readonly: true });
    try {
      const tables = database
        .prepare<[], { name: string }>(
          `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
           WHERE m.type = 'table' AND c.name = 'namespace'`,
        )
        .all();
      return tables.flatMap(({ name }) =>
        database
          .prepare<[], { namespace: string }>(`SELECT DISTINCT namespace FROM ${name} WHERE namespace <> 'default'`)
          .all()
          .map(({ namespace }) => `${name} ${namespace}`),
      );
    } finally {
      database.close();
    }
  });
}
