// The one look at the store that every operation needs (decisions 4 and 8): the newest generation, and whether any clock was
// moved, any fault made or used up or any recorder switched since the look before. Only then those are read, of all
// namespaces at once; few are moved and few exist.
import * as z from 'zod';
import type { Fault } from '#shared/domain/fault.ts';
import { type ClockState, realTime } from '#shared/domain/movable-clock.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import { instantColumn } from '../records.ts';
import { faultsInForce } from './faults-in-force.ts';
import { command, query, type Runner } from './statement.ts';

export interface Head {
  /** The newest generation of a namespace. */
  look(on: Runner, ns: NamespaceKey): Promise<number>;
  /** As of the last look. */
  clockOf(ns: NamespaceKey): ClockState;
  /** Inside the transaction that changes a clock: everybody's next look reads them again. */
  noteClockMoved(on: Runner): Promise<void>;
  /** Those that may still fire but for their time, in the order of their creation; as of the last look. */
  faultsOf(ns: NamespaceKey): readonly Fault[];
  /** Inside the transaction that makes, removes or uses up a fault. */
  noteFaultsChanged(on: Runner): Promise<void>;
  /** Whether the recorder was switched by hand; as of the last look. */
  recorderOf(ns: NamespaceKey): boolean | undefined;
  /** Inside the transaction that switches a recorder. */
  noteRecorderSwitched(on: Runner): Promise<void>;
}

const sql = {
  look: query(
    `SELECT clock_moves, fault_changes, recorder_switches,
       (SELECT generation FROM namespaces WHERE namespace = @ns) AS generation FROM head`,
    z.object({
      generation: z.number().nullable(),
      clock_moves: z.number(),
      fault_changes: z.number(),
      recorder_switches: z.number(),
    }),
  ),
  movedClocks: query(
    `SELECT namespace, clock_offset_milliseconds, clock_frozen_at FROM namespaces
     WHERE clock_offset_milliseconds <> 0 OR clock_frozen_at IS NOT NULL`,
    z.object({
      namespace: z.string(),
      clock_offset_milliseconds: z.number(),
      clock_frozen_at: instantColumn.nullable(),
    }),
  ),
  switchedRecorders: query(
    'SELECT namespace, recorder_enabled FROM namespaces WHERE recorder_enabled IS NOT NULL',
    z.object({ namespace: z.string(), recorder_enabled: z.number() }),
  ),
  advanceClocks: command('UPDATE head SET clock_moves = clock_moves + 1'),
  advanceFaults: command('UPDATE head SET fault_changes = fault_changes + 1'),
  advanceRecorders: command('UPDATE head SET recorder_switches = recorder_switches + 1'),
};

export function openHead(): Head {
  let clocks: ReadonlyMap<NamespaceKey, ClockState> = new Map();
  let recorders: ReadonlyMap<NamespaceKey, boolean> = new Map();
  const seen = { clock_moves: 0, fault_changes: 0, recorder_switches: 0 };
  const faults = faultsInForce();
  // Looks overtake each other: what an earlier one read never takes the place of what a later one did.
  const isNews = (what: keyof typeof seen, number: number) => {
    if (number <= seen[what]) return false;
    seen[what] = number;
    return true;
  };

  return {
    look: async (on, ns) => {
      const found = await sql.look.get(on, { ns });
      if (found === undefined) return 0;
      if (found.clock_moves > seen.clock_moves) {
        const moved = await sql.movedClocks.all(on, {});
        if (isNews('clock_moves', found.clock_moves)) {
          clocks = new Map(
            moved.map(({ namespace, clock_offset_milliseconds, clock_frozen_at }) => [
              namespace,
              { offsetMilliseconds: clock_offset_milliseconds, frozenAt: clock_frozen_at ?? undefined },
            ]),
          );
        }
      }
      if (found.fault_changes > seen.fault_changes) {
        const take = await faults.readAgain(on);
        if (isNews('fault_changes', found.fault_changes)) take();
      }
      if (found.recorder_switches > seen.recorder_switches) {
        const switched = await sql.switchedRecorders.all(on, {});
        if (isNews('recorder_switches', found.recorder_switches)) {
          recorders = new Map(switched.map((row) => [row.namespace, row.recorder_enabled === 1]));
        }
      }
      return found.generation ?? 0;
    },
    clockOf: (ns) => clocks.get(ns) ?? realTime,
    recorderOf: (ns) => recorders.get(ns),
    faultsOf: (ns) => faults.of(ns),
    noteClockMoved: async (on) => void (await sql.advanceClocks.run(on, {})),
    noteFaultsChanged: async (on) => void (await sql.advanceFaults.run(on, {})),
    noteRecorderSwitched: async (on) => void (await sql.advanceRecorders.run(on, {})),
  };
}
