// The recorder of one namespace: the process's buffer and the rows of the audit database.

import { machineMicroseconds } from '#shared/base/clock.ts';
import type { Randomness } from '#shared/base/random.ts';
import { nextTurn } from '#shared/base/scheduling/event-loop-turns.ts';
import { countRow } from '../../json-columns.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { Exchanges } from '../../ports/exchanges.ts';
import { RuntimeStoreUnavailableError } from '../../runtime-store-unavailable.ts';
import type { Statements, StoreDatabase } from '../database.ts';
import type { ExchangeBuffer } from './exchange-buffer.ts';
import type { ExchangeLog } from './exchange-log.ts';
import type { ExchangeRows } from './exchange-rows.ts';

export interface ExchangesParts {
  /** The audit database. */
  readonly database: StoreDatabase;
  readonly rows: ExchangeRows;
  readonly exchangeLog: ExchangeLog;
  readonly buffer: ExchangeBuffer;
  readonly ns: NamespaceKey;
  readonly random: Randomness;
  readonly realNow: () => number;
}

const waitStatements = (sql: Statements) => ({
  forget: sql.command('DELETE FROM exchange_waits WHERE until <= @real'),
  taken: sql.query('SELECT count(*) AS count FROM exchange_waits WHERE namespace = @ns', countRow),
  take: sql.command('INSERT INTO exchange_waits (namespace, wait, until) VALUES (@ns, @wait, @until)'),
  give: sql.command('DELETE FROM exchange_waits WHERE wait = @wait'),
});

export function exchangesAdapter(parts: ExchangesParts): Exchanges {
  const { database, rows, exchangeLog, buffer, ns, random, realNow } = parts;
  const waits = database.prepared(waitStatements);
  const read = async <Result>(work: () => Result): Promise<Result> => {
    await recordAll(parts);
    return database.read(work);
  };
  return {
    add: (exchange) => buffer.add(ns, exchange),
    repeats: (repeatKey, at) => buffer.repeats(ns, repeatKey, at),
    lose: () => buffer.lose(ns),
    announce: (mayRepeat) => buffer.announce(mayRepeat),
    written: () => buffer.written(),
    list: (filter, limit) => read(() => rows.list(ns, filter, limit)),
    index: (filter, limit) => read(() => rows.index(ns, filter, limit)),
    ofIndex: async (ids) => database.read(() => rows.ofIndex(ns, ids)),
    newest: () => read(() => rows.newest(ns)),
    arrivals: (after) => read(() => rows.arrivals(ns, after)),
    count: (filter) => read(() => rows.count(ns, filter)),
    find: (id) => read(() => rows.find(ns, id)),
    secrets: (id) => read(() => rows.secrets(ns, id)),
    flows: (before = Number.MAX_SAFE_INTEGER, limit) => read(() => rows.flows(ns, before, limit)),
    clear: async () => {
      await recordAll(parts);
      return database.free(() => exchangeLog.clear(ns) + rows.clear(ns));
    },
    state: async () => {
      const state = await read(() => rows.state(ns));
      return { ...state, lost: state.lost + buffer.lostOf(ns) };
    },
    noteReset: () => database.write(() => rows.noteReset(ns)),
    isWhole: async () => (await read(() => rows.isWhole(ns))) && buffer.lostOf(ns) === 0,
    takeWait: (until, waitsMax) =>
      database.write(() => {
        waits.forget.run({ real: realNow() });
        if ((waits.taken.get({ ns })?.count ?? 0) >= waitsMax) return undefined;
        const wait = random.token(12);
        waits.take.run({ ns, wait, until });
        return wait;
      }),
    giveWait: (wait) => database.free(() => void waits.give.run({ wait })),
  };
}

/**
 * Makes rows for all exchanges answered until now, of all processes. It works in pieces, so that other operations can
 * run in between.
 */
async function recordAll({ database, buffer, exchangeLog }: ExchangesParts): Promise<void> {
  const requestedAt = machineMicroseconds();
  await buffer.written();
  await buffer.othersWritten();
  const now = machineMicroseconds();
  if (!(await database.read(() => exchangeLog.isUnread(requestedAt, now)))) return;
  try {
    while (await database.write(() => exchangeLog.record(requestedAt, machineMicroseconds()))) await nextTurn();
  } catch (error) {
    // When nothing can be written, the existing rows can still be read.
    if (!(error instanceof RuntimeStoreUnavailableError)) throw error;
  }
}
