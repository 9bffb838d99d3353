// Event numbers, drawn in advance, many at a time. The number identifies an event before it is written. So the write is
// one round trip, which can be repeated when its response was lost (PGS-34).
import * as z from 'zod';
import type { PostgresDatabase } from '../database.ts';
import { query } from '../statement.ts';

const drawnAtOnce = 512;

export const nextNumber = "nextval(pg_get_serial_sequence('events', 'seq'))";

const draw = query(
  `SELECT ${nextNumber} AS number FROM generate_series(1, @count::integer)`,
  z.object({ number: z.number() }),
);

export interface EventNumbers {
  /** Returns `count` numbers in order. @throws RuntimeStoreUnavailableError */
  reserve(count: number): Promise<readonly number[]>;
  /** Discards the drawn numbers: a server that takes over may not know them, and draw them again (PGS-35). */
  reset(): void;
}

export function eventNumbers(database: PostgresDatabase): EventNumbers {
  let drawn: number[] = [];
  let drawing: Promise<void> | undefined;
  const drawMore = async () => {
    const rows = await database.read((on) => draw.all(on, { count: drawnAtOnce }));
    drawn.push(...rows.map(({ number }) => number));
  };
  return {
    reset: () => {
      drawn = [];
    },
    reserve: async (count) => {
      while (drawn.length < count) {
        // An event that arrives meanwhile waits for the same draw.
        drawing ??= drawMore().finally(() => {
          drawing = undefined;
        });
        await drawing;
      }
      return drawn.splice(0, count).toSorted((one, other) => one - other);
    },
  };
}
