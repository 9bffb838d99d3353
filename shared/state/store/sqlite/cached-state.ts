// The state that a process caches, and the one read that every operation uses to check it (decision 4). The read
// returns the newest generation, and counters of moved clocks, created or used-up faults and switched recorders (table
// `head`). Only when a counter has increased are the clocks or faults read, those of all namespaces at once. Few clocks
// are moved, and few faults exist.
import * as z from 'zod';
import type { Fault } from '#shared/model/domain/fault.ts';
import { type ClockState, realTime } from '#shared/model/domain/movable-clock.ts';
import { encoded } from '../json-columns.ts';
import { KnownFaults } from '../known-faults.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import { faultColumns, knownFaultsOf, numberedFaultRow } from '../rows/fault.ts';
import { clockOf } from '../rows/namespace.ts';
import { cachedStateTexts } from '../statements/namespaces.ts';
import { query } from '../statements/text.ts';
import type { StoreDatabase } from './database.ts';

export interface CachedState {
  /** Returns the newest generation of a namespace. Inside a read or a write. */
  refresh(ns: NamespaceKey): number;
  /** Returns the clock as of the last read. */
  clockOf(ns: NamespaceKey): ClockState;
  /** Returns the faults that may still fire, expired ones included, in order of creation, as of the last read. */
  faultsOf(ns: NamespaceKey): readonly Fault[];
  /** Whether the recorder was switched by hand, as of the last read. */
  recorderOf(ns: NamespaceKey): boolean | undefined;
}

const texts = {
  ...cachedStateTexts,
  look: query(
    `SELECT clock_moves, fault_changes, recorder_switches, (SELECT generation FROM namespaces WHERE namespace = @ns) AS generation FROM head`,
    z.object({
      generation: z.number().nullable(),
      clock_moves: z.number(),
      fault_changes: z.number(),
      recorder_switches: z.number(),
    }),
  ),
  // One row however many faults exist, because it is read again after every added or removed fault.
  liveFaults: query(
    `SELECT (SELECT json_group_array(seq) FROM (SELECT seq FROM faults WHERE remaining IS NULL OR remaining > 0 ORDER BY seq)) AS seqs`,
    z.object({ seqs: encoded(z.array(z.number())) }),
  ),
  faultsBySeq: query(
    `SELECT seq, namespace, ${faultColumns} FROM faults WHERE seq IN (SELECT value FROM json_each(@seqs))`,
    numberedFaultRow,
  ),
};

export function openCachedState(database: StoreDatabase): CachedState {
  let clocks: ReadonlyMap<NamespaceKey, ClockState> = new Map();
  let clockMovesSeen = 0;
  let faultChangesSeen = 0;
  let recorders: ReadonlyMap<NamespaceKey, boolean> = new Map();
  let recorderSwitchesSeen = 0;
  const sql = database.prepare(texts);
  let faults = new KnownFaults();

  const readFaults = () => {
    const seqs = sql.liveFaults.get({})?.seqs ?? [];
    const unknown = faults.unknown(seqs);
    const rows = unknown.length === 0 ? [] : sql.faultsBySeq.all({ seqs: JSON.stringify(unknown) });
    faults = faults.next(seqs, knownFaultsOf(rows));
  };

  return {
    refresh: (ns) => {
      const seen = sql.look.get({ ns });
      if (seen !== undefined && seen.clock_moves !== clockMovesSeen) {
        clocks = new Map(sql.movedClocks.all({}).map((row) => [row.namespace, clockOf(row)]));
        clockMovesSeen = seen.clock_moves;
      }
      if (seen !== undefined && seen.fault_changes !== faultChangesSeen) {
        readFaults();
        faultChangesSeen = seen.fault_changes;
      }
      if (seen !== undefined && seen.recorder_switches !== recorderSwitchesSeen) {
        recorders = new Map(sql.switchedRecorders.all({}).map((row) => [row.namespace, row.recorder_enabled === 1]));
        recorderSwitchesSeen = seen.recorder_switches;
      }
      return seen?.generation ?? 0;
    },
    clockOf: (ns) => clocks.get(ns) ?? realTime,
    recorderOf: (ns) => recorders.get(ns),
    faultsOf: (ns) => faults.of(ns),
  };
}
