// The one look at the store that every operation needs (decision 4): the newest generation, and whether any clock was
// moved since the look before. Only then the clocks are read, those of all namespaces at once; few are moved.
import * as z from 'zod';
import { type ClockState, realTime } from '#shared/domain/movable-clock.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import type { StoreDatabase } from './database.ts';
import { instantColumn } from './records.ts';

export interface Head {
  /** The newest generation of a namespace; inside a read or a write. */
  look(ns: NamespaceKey): number;
  /** As of the last look. */
  clockOf(ns: NamespaceKey): ClockState;
  /** Inside the transaction that changes a clock: everybody's next look reads them again. */
  noteClockMoved(): void;
}

const lookRow = z.object({ generation: z.number().nullable(), clock_moves: z.number() });
const clockRow = z.object({
  namespace: z.string(),
  clock_offset_milliseconds: z.number(),
  clock_frozen_at: instantColumn.nullable(),
});

export function openHead(database: StoreDatabase): Head {
  let clocks: ReadonlyMap<NamespaceKey, ClockState> = new Map();
  let clockMovesSeen = 0;
  const look = database.query(
    `SELECT clock_moves, (SELECT generation FROM namespaces WHERE namespace = @ns) AS generation FROM head`,
    lookRow,
  );
  const movedClocks = database.query(
    `SELECT namespace, clock_offset_milliseconds, clock_frozen_at FROM namespaces
     WHERE clock_offset_milliseconds <> 0 OR clock_frozen_at IS NOT NULL`,
    clockRow,
  );
  const advance = database.command('UPDATE head SET clock_moves = clock_moves + 1');

  return {
    look: (ns) => {
      const seen = look.get({ ns });
      if (seen !== undefined && seen.clock_moves !== clockMovesSeen) {
        clocks = new Map(movedClocks.all({}).map((row) => [row.namespace, stateOf(row)]));
        clockMovesSeen = seen.clock_moves;
      }
      return seen?.generation ?? 0;
    },
    clockOf: (ns) => clocks.get(ns) ?? realTime,
    noteClockMoved: () => {
      advance.run({});
    },
  };
}

function stateOf(row: z.output<typeof clockRow>): ClockState {
  return { offsetMilliseconds: row.clock_offset_milliseconds, frozenAt: row.clock_frozen_at ?? undefined };
}
