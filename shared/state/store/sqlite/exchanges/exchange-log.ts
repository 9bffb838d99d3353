// Exchanges as they are written while requests are answered: blocks of JSON lines, with no index and no look-up, so
// that writing costs little under load (REC-08). A reader first turns the blocks of all processes into rows, in the
// order answered (exchange-rows.ts). A process that delays its exchanges for a moment announces it, and readers wait
// for them. Synchronous steps for use inside a transaction.
import * as z from 'zod';
import { groupByKey } from '#shared/base/group-by-key.ts';
import type { StoredExchange } from '#shared/model/domain/exchange.ts';
import { presentRow } from '../../json-columns.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { ExchangeToWrite } from '../../waiting-exchanges.ts';
import type { Statements } from '../database.ts';
import type { ExchangeRows } from './exchange-rows.ts';

export interface ExchangeLog {
  /** Inside a write transaction. Exchanges of a namespace that has ended are skipped. */
  put(ns: NamespaceKey, exchanges: readonly ExchangeToWrite[], lost: number): void;
  /** Returns whether an exchange answered until `requestedAt` has no row. */
  isUnread(requestedAt: number, now: number): boolean;
  /**
   * Inside a write transaction: makes rows for some of the oldest exchanges answered until `requestedAt`, of all processes in
   * one order. False: none is left. Exchanges answered later stay, because another process may still delay earlier
   * ones. Both times are `machineMicroseconds`. Only exchanges written before the machine restarted are later than
   * `now`.
   */
  record(requestedAt: number, now: number): boolean;
  /** Deletes the exchanges of a namespace that have no row, and returns their number. */
  clear(ns: NamespaceKey): number;
  end(ns: NamespaceKey): void;
  /** Evicts some of the oldest exchanges if there are many. False: there are not. */
  shrink(): boolean;
  /** Inside a write transaction: announces that this process delays its exchanges. Readers wait until `until`. */
  hold(holder: string, now: number, until: number): void;
  letGo(holder: string): void;
  /** Returns whether another process delays exchanges until a time after `now` and not after `upTo`. */
  isHeld(holder: string, now: number, upTo: number): boolean;
}

const recordedAtOnce = 200;
/** Overlapping blocks are read together, up to this many exchanges. */
const mergedMax = 4000;
/**
 * How often a process checks whether it has written more than the bound: after either number, whichever comes first.
 */
const checkedEvery = { exchanges: 500, bytes: 1024 * 1024 };
const countedMax = 2000;
const shrinkMax = 250;

const lineShape = z.object({
  exchange: z.custom<StoredExchange>((value) => typeof value === 'object' && value !== null && 'content' in value),
  times: z.number(),
  answered: z.number(),
});
const numberRow = z.object({ number: z.number().nullable() });

const statements = (sql: Statements) => ({
  put: sql.command(
    `INSERT INTO exchange_log (namespace, exchanges, first, body)
     SELECT namespace, @exchanges, @first, @body FROM recorders WHERE namespace = @ns`,
  ),
  lose: sql.command('UPDATE recorders SET lost = lost + @lost WHERE namespace = @ns'),
  drop: sql.command('UPDATE recorders SET dropped = dropped + @dropped WHERE namespace = @ns'),
  bounds: sql.query(
    'SELECT entries_max, bytes_max FROM recorders WHERE namespace = @ns',
    z.object({ entries_max: z.number(), bytes_max: z.number() }),
  ),
  newest: sql.query('SELECT max(seq) AS number FROM exchange_log', numberRow),
  unread: sql.query(
    'SELECT 1 AS present FROM exchange_log WHERE first <= @requestedAt OR first > @now LIMIT 1',
    presentRow,
  ),
  oldest: sql.query(
    `SELECT seq, namespace, first, done FROM exchange_log WHERE first <= @requestedAt OR first > @now
     ORDER BY first, seq LIMIT @limit`,
    z.object({ seq: z.number(), namespace: z.string(), first: z.number(), done: z.number() }),
  ),
  body: sql.query('SELECT body FROM exchange_log WHERE seq = @seq', z.object({ body: z.string() })),
  advance: sql.command('UPDATE exchange_log SET exchanges = @exchanges, first = @first, done = @done WHERE seq = @seq'),
  remove: sql.command('DELETE FROM exchange_log WHERE seq = @seq'),
  sumUpTo: sql.query(
    'SELECT sum(exchanges) AS number FROM exchange_log WHERE seq <= @upTo AND namespace = @ns',
    numberRow,
  ),
  removeUpTo: sql.command('DELETE FROM exchange_log WHERE seq <= @upTo AND namespace = @ns'),
  oldestOfMany: sql.query(
    `SELECT seq, namespace, exchanges FROM exchange_log ORDER BY seq LIMIT @limit`,
    z.object({ seq: z.number(), namespace: z.string(), exchanges: z.number() }),
  ),
  hold: sql.command('INSERT OR REPLACE INTO exchange_holders (holder, until) VALUES (@holder, @until)'),
  forgetHolders: sql.command('DELETE FROM exchange_holders WHERE until <= @now'),
  letGo: sql.command('DELETE FROM exchange_holders WHERE holder = @holder'),
  held: sql.query(
    'SELECT 1 AS present FROM exchange_holders WHERE holder <> @holder AND until > @now AND until <= @upTo LIMIT 1',
    presentRow,
  ),
});

/** What this process has written for a namespace, with the totals at earlier numbers. */
interface Counted {
  exchanges: number;
  bytes: number;
  next: { readonly exchanges: number; readonly bytes: number };
  marks: { readonly upTo: number; readonly exchanges: number; readonly bytes: number }[];
}

export function exchangeLog(
  database: { prepared<Made>(make: (sql: Statements) => Made): Made },
  rows: Pick<ExchangeRows, 'append'>,
): ExchangeLog {
  const sql = database.prepared(statements);
  const counted = new Map<NamespaceKey, Counted>();
  const all = Number.MAX_SAFE_INTEGER;

  const remove = (ns: NamespaceKey, upTo: number): number => {
    const number = sql.sumUpTo.get({ ns, upTo })?.number ?? 0;
    if (number > 0) sql.removeUpTo.run({ ns, upTo });
    return number;
  };

  /**
   * Drops the oldest unread exchanges once this process alone has written as many newer ones as are kept. The bound
   * would evict them anyway.
   */
  const dropSurplus = (ns: NamespaceKey, own: Counted) => {
    const bounds = sql.bounds.get({ ns });
    const isBeyond = ({ exchanges, bytes }: Counted['marks'][number]) =>
      bounds !== undefined && (own.exchanges - exchanges > bounds.entries_max || own.bytes - bytes > bounds.bytes_max);
    const last = own.marks.findLastIndex(isBeyond);
    const mark = own.marks[last];
    if (mark !== undefined) {
      sql.drop.run({ ns, dropped: remove(ns, mark.upTo) });
      own.marks.splice(0, last + 1);
    }
    own.marks.push({ upTo: sql.newest.get({})?.number ?? 0, exchanges: own.exchanges, bytes: own.bytes });
    own.next = nextCheck(own);
  };

  const count = (ns: NamespaceKey, exchanges: number, bytes: number) => {
    if (counted.size >= countedMax) counted.clear();
    const own = counted.get(ns) ?? { exchanges: 0, bytes: 0, next: checkedEvery, marks: [] };
    counted.set(ns, own);
    own.exchanges += exchanges;
    own.bytes += bytes;
    if (own.exchanges >= own.next.exchanges || own.bytes >= own.next.bytes) dropSurplus(ns, own);
  };

  /** Returns some of the blocks with the oldest exchanges, and the time before which no other block has any. */
  const oldestBlocks = (requestedAt: number, now: number) => {
    const heads = sql.oldest.all({ requestedAt, now, limit: recordedAtOnce + 1 });
    const blocks: ((typeof heads)[number] & { readonly left: readonly ExchangeToWrite[] })[] = [];
    let [count, last] = [0, 0];
    for (const head of heads) {
      const isEnough = blocks.length === recordedAtOnce || count >= mergedMax;
      if (isEnough || (count >= recordedAtOnce && head.first > last)) return { blocks, upTo: head.first };
      const left = readBlock(sql.body.get({ seq: head.seq })?.body ?? '').slice(head.done);
      blocks.push({ ...head, left });
      count += left.length;
      last = Math.max(last, left.at(-1)?.answered ?? 0);
    }
    return { blocks, upTo: all };
  };

  return {
    put: (ns, exchanges, lost) => {
      if (lost > 0) sql.lose.run({ ns, lost });
      const [first] = exchanges;
      if (first === undefined) return;
      const body = writeBlock(exchanges);
      sql.put.run({ ns, exchanges: exchanges.length, first: first.answered, body });
      count(ns, exchanges.length, body.length);
    },
    isUnread: (requestedAt, now) => sql.unread.get({ requestedAt, now }) !== undefined,
    record: (requestedAt, now) => {
      const { blocks, upTo } = oldestBlocks(requestedAt, now);
      const isAsked = ({ answered }: ExchangeToWrite) => answered <= requestedAt || answered > now;
      const moments = blocks.flatMap(({ left }) => left.filter(isAsked).map(({ answered }) => answered));
      moments.sort((one, other) => one - other);
      const end = Math.min(upTo, moments[recordedAtOnce - 1] ?? all);
      const isDue = (one: ExchangeToWrite) => one.answered <= end && isAsked(one);
      const due: (ExchangeToWrite & { readonly ns: NamespaceKey })[] = [];
      for (const { seq, namespace: ns, done, left } of blocks) {
        const index = left.findIndex((one) => !isDue(one));
        const next = left[index];
        for (const one of next === undefined ? left : left.slice(0, index)) due.push({ ...one, ns });
        const exchanges = left.length - index;
        if (next === undefined) sql.remove.run({ seq });
        else if (index > 0) sql.advance.run({ seq, first: next.answered, done: done + index, exchanges });
      }
      due.sort((one, other) => one.answered - other.answered);
      for (const [ns, exchanges] of groupByKey(due, (one) => one.ns)) rows.append(ns, exchanges);
      return blocks.length > 0;
    },
    clear: (ns) => remove(ns, all),
    end: (ns) => {
      sql.removeUpTo.run({ ns, upTo: all });
      counted.delete(ns);
    },
    shrink: () => {
      // Under load a block holds many exchanges, so exchanges are counted and not blocks.
      const oldest = sql.oldestOfMany.all({ limit: shrinkMax });
      if (oldest.reduce((sum, { exchanges }) => sum + exchanges, 0) < shrinkMax) return false;
      let gone = 0;
      for (const { seq, namespace: ns, exchanges } of oldest) {
        if (gone >= shrinkMax) break;
        sql.remove.run({ seq });
        sql.drop.run({ ns, dropped: exchanges });
        gone += exchanges;
      }
      return true;
    },
    hold: (holder, now, until) => {
      sql.forgetHolders.run({ now });
      sql.hold.run({ holder, until });
    },
    letGo: (holder) => void sql.letGo.run({ holder }),
    isHeld: (holder, now, upTo) => sql.held.get({ holder, now, upTo }) !== undefined,
  };
}

function nextCheck({ exchanges, bytes }: Pick<Counted, 'exchanges' | 'bytes'>): Counted['next'] {
  return { exchanges: exchanges + checkedEvery.exchanges, bytes: bytes + checkedEvery.bytes };
}

/** Returns one line of JSON for each exchange. */
function writeBlock(exchanges: readonly ExchangeToWrite[]): string {
  return exchanges.map(({ exchange, times, answered }) => JSON.stringify({ exchange, times, answered })).join('\n');
}

function readBlock(body: string): readonly ExchangeToWrite[] {
  return body === '' ? [] : body.split('\n').map((line) => lineShape.parse(JSON.parse(line)));
}
