// The bytes that the records of each bounded kind take, counted by triggers, by each session in its own row.
import { countedColumns } from '../../counted-columns.ts';
import { slots } from './session-slots.ts';

export const byteBoundTables = `
  CREATE TABLE taken_room (
    namespace text NOT NULL,
    kind text NOT NULL,
    slot integer NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (namespace, kind, slot)
  );
`;

/** Triggers, so that no statement can omit the count. */
export function countingTriggers(schema: string): string {
  const ofKind = Object.entries(countedColumns).map(([kind, columns]) => {
    const bytes = (row: string) => columns.map((name) => `coalesce(octet_length(${row}.${name}), 0)`).join(' + ');
    const count = (row: string, delta: string) =>
      `INSERT INTO ${schema}.taken_room AS t (namespace, kind, slot, bytes)
       VALUES (${row}.namespace, '${kind}', pg_catalog.pg_backend_pid() % ${slots}, ${delta})
       ON CONFLICT (namespace, kind, slot) DO UPDATE SET bytes = t.bytes + excluded.bytes;`;
    return `
    CREATE FUNCTION ${schema}.${kind}_room() RETURNS trigger LANGUAGE plpgsql AS $room$ BEGIN
      IF TG_OP = 'INSERT' THEN ${count('NEW', bytes('NEW'))}
      ELSIF TG_OP = 'DELETE' THEN ${count('OLD', `-(${bytes('OLD')})`)}
      ELSE ${count('NEW', `(${bytes('NEW')}) - (${bytes('OLD')})`)}
      END IF;
      RETURN NULL;
    END $room$;
    CREATE TRIGGER ${kind}_room AFTER INSERT OR DELETE OR UPDATE OF ${columns.join(', ')} ON ${kind}
      FOR EACH ROW EXECUTE FUNCTION ${schema}.${kind}_room();`;
  });
  return ofKind.join('');
}
