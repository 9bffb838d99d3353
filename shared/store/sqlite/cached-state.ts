// What a process keeps in memory of the store, and the one look by which every operation learns whether it still holds
// (decision 4): the newest generation, and counters of clocks moved, faults made or used up and recorders switched (table
// `head`). Only when a counter has grown are the clocks or faults read, those of all namespaces at once; few are moved and few exist.
import * as z from 'zod';
import type { Fault } from '#shared/domain/fault.ts';
import { type ClockState, realTime } from '#shared/domain/movable-clock.ts';
import { instantColumn } from '../json-columns.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import type { StoreDatabase } from './database.ts';
import { faultsInForce } from './faults-in-force.ts';

export interface CachedState {
  /** The newest generation of a namespace; inside a read or a write. */
  look(ns: NamespaceKey): number;
  /** As of the last look. */
  clockOf(ns: NamespaceKey): ClockState;
  /** Inside the transaction that changes a clock: everybody's next look reads them again. */
  noteClockMoved(): void;
  /** Those that may still fire but for their time, in the order of their creation; as of the last look. */
  faultsOf(ns: NamespaceKey): readonly Fault[];
  /** Inside the transaction that makes, removes or uses up a fault. */
  noteFaultsChanged(): void;
  /** Whether the recorder was switched by hand; as of the last look. */
  recorderOf(ns: NamespaceKey): boolean | undefined;
  /** Inside the transaction that switches a recorder. */
  noteRecorderSwitched(): void;
}

const lookRow = z.object({
  generation: z.number().nullable(),
  clock_moves: z.number(),
  fault_changes: z.number(),
  recorder_switches: z.number(),
});
const recorderRow = z.object({ namespace: z.string(), recorder_enabled: z.number() });
const clockRow = z.object({
  namespace: z.string(),
  clock_offset_milliseconds: z.number(),
  clock_frozen_at: instantColumn.nullable(),
});

export function openCachedState(database: StoreDatabase): CachedState {
  let clocks: ReadonlyMap<NamespaceKey, ClockState> = new Map();
  let clockMovesSeen = 0;
  let faultChangesSeen = 0;
  let recorders: ReadonlyMap<NamespaceKey, boolean> = new Map();
  let recorderSwitchesSeen = 0;
  const look = database.query(
    `SELECT clock_moves, fault_changes, recorder_switches, (SELECT generation FROM namespaces WHERE namespace = @ns) AS generation FROM head`,
    lookRow,
  );
  const movedClocks = database.query(
    `SELECT namespace, clock_offset_milliseconds, clock_frozen_at FROM namespaces
     WHERE clock_offset_milliseconds <> 0 OR clock_frozen_at IS NOT NULL`,
    clockRow,
  );
  const switchedRecorders = database.query(
    'SELECT namespace, recorder_enabled FROM namespaces WHERE recorder_enabled IS NOT NULL',
    recorderRow,
  );
  const advanceRecorders = database.command('UPDATE head SET recorder_switches = recorder_switches + 1');
  const faults = faultsInForce(database);
  const advanceFaults = database.command('UPDATE head SET fault_changes = fault_changes + 1');
  const advance = database.command('UPDATE head SET clock_moves = clock_moves + 1');

  return {
    look: (ns) => {
      const seen = look.get({ ns });
      if (seen !== undefined && seen.clock_moves !== clockMovesSeen) {
        clocks = new Map(movedClocks.all({}).map((row) => [row.namespace, stateOf(row)]));
        clockMovesSeen = seen.clock_moves;
      }
      if (seen !== undefined && seen.fault_changes !== faultChangesSeen) {
        faults.readAgain();
        faultChangesSeen = seen.fault_changes;
      }
      if (seen !== undefined && seen.recorder_switches !== recorderSwitchesSeen) {
        recorders = new Map(switchedRecorders.all({}).map((row) => [row.namespace, row.recorder_enabled === 1]));
        recorderSwitchesSeen = seen.recorder_switches;
      }
      return seen?.generation ?? 0;
    },
    clockOf: (ns) => clocks.get(ns) ?? realTime,
    noteClockMoved: () => {
      advance.run({});
    },
    recorderOf: (ns) => recorders.get(ns),
    noteRecorderSwitched: () => {
      advanceRecorders.run({});
    },
    faultsOf: (ns) => faults.of(ns),
    noteFaultsChanged: () => {
      advanceFaults.run({});
    },
  };
}

function stateOf(row: z.output<typeof clockRow>): ClockState {
  return { offsetMilliseconds: row.clock_offset_milliseconds, frozenAt: row.clock_frozen_at ?? undefined };
}
