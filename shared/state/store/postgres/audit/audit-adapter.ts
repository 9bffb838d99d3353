// The audit port of one namespace: events of one event-loop turn share a commit, and readers page by place.

import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { yieldAlone } from '#shared/base/scheduling/event-loop-turns.ts';
import { auditEntriesMax } from '#shared/model/audit/audit-bounds.ts';
import { auditEntryOf } from '#shared/model/audit/audit-entry.ts';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
import type { AuditLog, AuditQuery } from '../../ports/audit.ts';
import type { NamespaceContext } from '../namespace-context.ts';
import { type Query, query } from '../statement.ts';
import {
  addition,
  clearEntries,
  entryColumns,
  entryOf,
  entryRow,
  hasUnplaced,
  placeEntries,
  readCounters,
} from './entry-rows.ts';
import type { EventNumbers } from './event-numbers.ts';

/** 100 entries of some kilobytes are read in a few milliseconds. */
const pieceSize = 100;
/** Without readers this process evicts surplus entries once every 256 events. */
const evictionEvery = 256;

const writtenAtOnce = 500;

const lock = 'audit';
const endsRow = z.object({ first: z.number().nullable(), last: z.number().nullable() });

interface Selection {
  readonly newest: Query<z.output<typeof entryRow>>;
  readonly ends: Query<z.output<typeof endsRow>>;
  readonly piece: Query<z.output<typeof entryRow>>;
}

const selections = new Map<string, Selection>();

interface Waiting {
  readonly entry: AuditEntry;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

export function auditAdapter({ database, ns }: NamespaceContext, numbers: EventNumbers): AuditLog {
  const waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let sinceEviction = 0;

  const commit = async (batch: readonly Waiting[]) => {
    const entries = batch.map(({ entry }) => entry);
    try {
      const drawn = await numbers.reserve(entries.length);
      const recorded = entries.map((entry) => ({ namespace: ns, entry }));
      await database.change([], [addition(ns, entries, drawn)], recorded);
      for (const { done } of batch) done();
    } catch (error) {
      for (const { fail } of batch) fail(error);
    }
    sinceEviction += batch.length;
    if (sinceEviction < evictionEvery) return;
    sinceEviction = 0;
    await give().catch(() => undefined);
  };
  const write = async () => {
    await nextTurn();
    while (waiting.length > 0) {
      await commit(waiting.splice(0, writtenAtOnce));
    }
    writing = undefined;
  };
  /** Assigns places to all committed entries. */
  const give = () => database.write(lock, (on) => placeEntries(on, ns));
  const giveIfDue = async () => {
    if (await database.read((on) => hasUnplaced(on, ns))) await give();
  };

  async function* pieces(query: AuditQuery): AsyncGenerator<readonly AuditEntry[]> {
    await giveIfDue();
    const { ends, piece, filters, limit } = selectionOf(query);
    const found = await database.read((on) => ends.get(on, { ns, ...filters, limit }));
    const last = found?.last ?? null;
    let first = found?.first ?? null;
    while (first !== null && last !== null && first <= last) {
      await yieldAlone();
      const from = first;
      const rows = await database.read((on) => piece.all(on, { ns, ...filters, first: from, last, limit: pieceSize }));
      yield rows.map(entryOf);
      const end = rows.at(-1)?.place;
      first = end === undefined || rows.length < pieceSize ? null : end + 1;
    }
  }

  return {
    // The audit is part of the store: when it is unavailable, an event has no other place to wait.
    record: (event) =>
      new Promise((done, fail) => {
        waiting.push({ entry: auditEntryOf(event), done, fail });
        writing ??= write();
      }),
    read: async (query) => {
      const { newest, filters, limit } = selectionOf(query);
      if (query.limit < 0 || limit > pieceSize) {
        const entries: AuditEntry[] = [];
        for await (const piece of pieces(query)) entries.push(...piece);
        return entries;
      }
      await giveIfDue();
      const rows = await database.read((on) => newest.all(on, { ns, ...filters, limit }));
      return rows.map(entryOf).reverse();
    },
    pieces,
    counters: () => database.read((on) => readCounters(on, ns)),
    clear: () => database.write(lock, (on) => clearEntries(on, ns)),
    close: async () => {
      while (writing !== undefined) await writing;
    },
  };
}

/** A statement without the unused filters, made once for all namespaces. */
function selectionOf({ event_type, username, client_id, limit, withRequests = false }: AuditQuery) {
  const filters: Record<string, string> = {};
  for (const [name, value] of Object.entries({ event_type, username, client_id })) {
    if (value !== undefined && value !== '') filters[name] = value;
  }
  const conditions = Object.keys(filters).map((name) => `${name} = @${name}`);
  const where = ['namespace = @ns', 'place IS NOT NULL', ...conditions].join(' AND ');
  const columns = withRequests ? `place, ${entryColumns}, request` : `place, ${entryColumns}`;
  const key = `${withRequests} ${where}`;
  const known = selections.get(key) ?? {
    newest: query(`SELECT ${columns} FROM events WHERE ${where} ORDER BY place DESC LIMIT @limit`, entryRow),
    ends: query(
      `SELECT min(place) AS first, max(place) AS last
       FROM (SELECT place FROM events WHERE ${where} ORDER BY place DESC LIMIT @limit) AS newest`,
      endsRow,
    ),
    piece: query(
      `SELECT ${columns} FROM events WHERE ${where} AND place BETWEEN @first AND @last ORDER BY place LIMIT @limit`,
      entryRow,
    ),
  };
  selections.set(key, known);
  return { ...known, filters, limit: limit < 0 ? auditEntriesMax : Math.min(limit, auditEntriesMax) };
}
