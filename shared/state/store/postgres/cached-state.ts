// The state that a process caches, and the one read that every operation uses to check it (decisions 4 and 8). The read
// returns the newest generation, and counters of moved clocks, created or used-up faults, switched recorders and
// changed signing keys (table `head`). Only when a counter has increased is that state read, for all namespaces at
// once. Few clocks are moved, and few faults exist. The read also shows whether a newer program has made this one
// incompatible.
import * as z from 'zod';
import type { Fault } from '#shared/model/domain/fault.ts';
import { type ClockState, realTime } from '#shared/model/domain/movable-clock.ts';
import type { KeptKeys } from '#shared/model/domain/signing-keys.ts';
import { KnownFaults } from '../known-faults.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import { faultColumns, knownFaultsOf, numberedFaultRow } from '../rows/fault.ts';
import { clockOf } from '../rows/namespace.ts';
import { cachedStateTexts } from '../statements/namespaces.ts';
import { command, query } from '../statements/text.ts';
import { keptKeysColumn } from './kept-keys-column.ts';
import { requirePresentFormat } from './schema/schema-ahead.ts';
import { prepared, type Runner } from './statement.ts';

export interface CachedState {
  /** Returns the newest generation of a namespace. */
  refresh(on: Runner, ns: NamespaceKey): Promise<number>;
  /** Returns the newest generation of each live namespace among these. */
  refreshAll(on: Runner, namespaces: readonly NamespaceKey[]): Promise<ReadonlyMap<NamespaceKey, number>>;
  /** Returns the clock as of the last read. */
  clockOf(ns: NamespaceKey): ClockState;
  /** Returns the faults that may still fire, expired ones included, in order of creation, as of the last read. */
  faultsOf(ns: NamespaceKey): readonly Fault[];
  /** Whether the recorder was switched by hand, as of the last read. */
  recorderOf(ns: NamespaceKey): boolean | undefined;
  /** Returns the generated signing keys as of the last read. The value is the same until they change. */
  keysOf(ns: NamespaceKey): KeptKeys | undefined;
  /** Inside the transaction that changes signing keys. */
  noteKeysChanged(on: Runner): Promise<void>;
}

const sql = prepared({
  ...cachedStateTexts,
  look: query(
    `SELECT clock_moves, fault_changes, recorder_switches, key_changes, pg_postmaster_start_time()::text AS server,
       (SELECT oldest_format FROM store_version) AS oldest_format,
       (SELECT json_object_agg(namespace, generation) FROM namespaces
        WHERE namespace IN (SELECT json_array_elements_text(@namespaces::json))) AS generations FROM head`,
    z.object({
      generations: z.record(z.string(), z.number()).nullable(),
      clock_moves: z.number(),
      fault_changes: z.number(),
      recorder_switches: z.number(),
      key_changes: z.number(),
      oldest_format: z.number(),
      server: z.string(),
    }),
  ),
  // One row however many faults exist, because it is read again after every added or removed fault.
  liveFaults: query(
    "SELECT coalesce(json_agg(seq ORDER BY seq), '[]') AS seqs FROM faults WHERE remaining IS NULL OR remaining > 0",
    z.object({ seqs: z.array(z.number()) }),
  ),
  faultsBySeq: query(
    `SELECT seq, namespace, ${faultColumns} FROM faults WHERE seq = ANY (@seqs::bigint[])`,
    numberedFaultRow,
  ),
  keptKeys: query(
    'SELECT namespace, record FROM signing_keys',
    z.object({ namespace: z.string(), record: keptKeysColumn }),
  ),
  advanceKeys: command('UPDATE head SET key_changes = key_changes + 1'),
});

type Counter = 'clock_moves' | 'fault_changes' | 'recorder_switches' | 'key_changes';
type Looked = Readonly<Record<Counter, number>> & { readonly server: string };

/** Before the first change there is nothing to read. */
const untouched = { clock_moves: 0, fault_changes: 0, recorder_switches: 0, key_changes: 0 };
const unread = { clock_moves: -1, fault_changes: -1, recorder_switches: -1, key_changes: -1 };

export function openCachedState(): CachedState {
  let clocks: ReadonlyMap<NamespaceKey, ClockState> = new Map();
  let keys: ReadonlyMap<NamespaceKey, KeptKeys> = new Map();
  let recorders: ReadonlyMap<NamespaceKey, boolean> = new Map();
  let seen = { ...untouched, server: '' };
  let faults = new KnownFaults();
  /** The cache that fault numbers of the current server are read into. */
  let faultsToRead = faults;
  // Reads can overtake each other: the result of an earlier read never replaces that of a later one. Counters belong to
  // one server. A server that took over may lack changes and count others from there (PGS-35).
  const isNews = (what: Counter, { server, ...found }: Looked) => {
    if (server !== seen.server || found[what] <= seen[what]) return false;
    seen[what] = found[what];
    return true;
  };

  const refreshAll = async (
    on: Runner,
    namespaces: readonly NamespaceKey[],
  ): Promise<ReadonlyMap<NamespaceKey, number>> => {
    const found = await sql.look.get(on, { namespaces: JSON.stringify(namespaces) });
    if (found === undefined) return new Map();
    requirePresentFormat(found.oldest_format);
    const { server } = found;
    if (seen.server === '') seen.server = server;
    if (server !== seen.server) {
      seen = { ...unread, server };
      // The same number may identify a different fault on the new server.
      faultsToRead = new KnownFaults();
    }
    if (found.clock_moves > seen.clock_moves) {
      const moved = await sql.movedClocks.all(on, {});
      if (isNews('clock_moves', found)) {
        clocks = new Map(moved.map((row) => [row.namespace, clockOf(row)]));
      }
    }
    if (found.fault_changes > seen.fault_changes) {
      const next = await readFaults(on, faultsToRead);
      if (isNews('fault_changes', found)) {
        faults = next;
        faultsToRead = next;
      }
    }
    if (found.recorder_switches > seen.recorder_switches) {
      const switched = await sql.switchedRecorders.all(on, {});
      if (isNews('recorder_switches', found)) {
        recorders = new Map(switched.map((row) => [row.namespace, row.recorder_enabled === 1]));
      }
    }
    if (found.key_changes > seen.key_changes) {
      const kept = await sql.keptKeys.all(on, {});
      if (isNews('key_changes', found)) keys = new Map(kept.map((row) => [row.namespace, row.record]));
    }
    return new Map(Object.entries(found.generations ?? {}));
  };

  return {
    refreshAll,
    refresh: async (on, ns) => (await refreshAll(on, [ns])).get(ns) ?? 0,
    clockOf: (ns) => clocks.get(ns) ?? realTime,
    recorderOf: (ns) => recorders.get(ns),
    keysOf: (ns) => keys.get(ns),
    faultsOf: (ns) => faults.of(ns),
    noteKeysChanged: async (on) => void (await sql.advanceKeys.run(on, {})),
  };
}

async function readFaults(on: Runner, known: KnownFaults): Promise<KnownFaults> {
  const seqs = (await sql.liveFaults.get(on, {}))?.seqs ?? [];
  const unknown = known.unknown(seqs);
  const rows = unknown.length === 0 ? [] : await sql.faultsBySeq.all(on, { seqs: `{${unknown.join(',')}}` });
  return known.next(seqs, knownFaultsOf(rows));
}
