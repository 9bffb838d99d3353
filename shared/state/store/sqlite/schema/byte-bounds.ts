// The bytes that the records of each bounded kind take, counted by triggers.
import { countedColumns } from '../../counted-columns.ts';

/** Triggers for inserts and deletes, and for updates of rows whose content can change. */
function countingTriggers(): string {
  return Object.entries(countedColumns)
    .map(([kind, columns]) => {
      const bytes = (row: string) =>
        columns.map((name) => `coalesce(length(CAST(${row}.${name} AS BLOB)), 0)`).join(' + ');
      const change = (delta: string, row: string) => `
        UPDATE taken_room SET bytes = bytes + ${delta} WHERE namespace = ${row}.namespace AND kind = '${kind}';`;
      return `
    CREATE TRIGGER ${kind}_come AFTER INSERT ON ${kind} BEGIN
      INSERT OR IGNORE INTO taken_room (namespace, kind, bytes) VALUES (NEW.namespace, '${kind}', 0);${change(`(${bytes('NEW')})`, 'NEW')}
    END;
    CREATE TRIGGER ${kind}_change AFTER UPDATE OF ${columns.join(', ')} ON ${kind} BEGIN${change(`(${bytes('NEW')}) - (${bytes('OLD')})`, 'NEW')}
    END;
    CREATE TRIGGER ${kind}_go AFTER DELETE ON ${kind} BEGIN${change(`- (${bytes('OLD')})`, 'OLD')}
    END;`;
    })
    .join('');
}

/** Created after the tables that it counts. */
export const byteBoundTables = `
  CREATE TABLE taken_room (
    namespace TEXT NOT NULL,
    kind TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (namespace, kind)
  ) WITHOUT ROWID;
${countingTriggers()}
`;
