// The oldest SQLite that supports the statements used here. An older library is rejected before any file is created
// (STO-07).
import * as z from 'zod';
import { StoreRefusedError } from '../store-refused.ts';
import { openConnection } from './engine.ts';

const oldest = [3, 24, 0] as const;

/** `version` is that of the linked library except in tests. @throws StoreRefusedError */
export function requireSqliteVersion(version: string = linkedVersion()): void {
  const parts = version.split('.').map(Number);
  for (const [index, needed] of oldest.entries()) {
    const part = parts[index] ?? 0;
    if (part > needed) return;
    if (part < needed) {
      const need = oldest.join('.');
      throw new StoreRefusedError(`runtime.store: SQLite ${need} or newer is required, but this is SQLite ${version}.`);
    }
  }
}

const versionRow = z.object({ version: z.string() });

function linkedVersion(): string {
  const connection = openConnection(':memory:');
  try {
    return versionRow.parse(connection.prepare('SELECT sqlite_version() AS version').get()).version;
  } finally {
    connection.close();
  }
}
