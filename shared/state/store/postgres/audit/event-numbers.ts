// The numbers of events, drawn ahead, many at a time. An event whose number is known before it is written is itself however often
// it is written, so that writing it is one round trip that may be repeated where its answer was lost (PGS-34).
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
  /** So many, in their order. @throws RuntimeStoreUnavailableError */
  take(count: number): Promise<readonly number[]>;
  /** Gives up the numbers that were drawn: a server that takes over may not have heard of them, and give them to others (PGS-35). */
  forget(): void;
}

export function eventNumbers(database: PostgresDatabase): EventNumbers {
  let drawn: number[] = [];
  let drawing: Promise<void> | undefined;
  const drawMore = async () => {
    const rows = await database.read((on) => draw.all(on, { count: drawnAtOnce }));
    drawn.push(...rows.map(({ number }) => number));
  };
  return {
    forget: () => {
      drawn = [];
    },
    take: async (count) => {
      while (drawn.length < count) {
        // An event that comes meanwhile waits for the same draw.
        drawing ??= drawMore().finally(() => {
          drawing = undefined;
        });
        await drawing;
      }
      return drawn.splice(0, count).toSorted((one, other) => one - other);
    },
  };
}
