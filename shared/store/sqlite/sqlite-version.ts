// The oldest SQLite whose statements are used here; an older library is refused before any file is made (STO-07).
import SqliteConnection from 'better-sqlite3';
import { StoreRefusedError } from '../store-refused.ts';

const oldest = [3, 24, 0] as const;

/** `version` is the linked library's own unless a test says otherwise. @throws StoreRefusedError */
export function requireSqliteVersion(version: string = linkedVersion()): void {
  const parts = version.split('.').map(Number);
  for (const [index, needed] of oldest.entries()) {
    const part = parts[index] ?? 0;
    if (part > needed) return;
    if (part < needed) {
      const need = oldest.join('.');
      throw new StoreRefusedError(`runtime.store: SQLite ${need} or later is needed, this is SQLite ${version}.`);
    }
  }
}

function linkedVersion(): string {
  const connection = new SqliteConnection(':memory:');
  try {
    return String(connection.prepare('SELECT sqlite_version()').pluck().get());
  } finally {
    connection.close();
  }
}
