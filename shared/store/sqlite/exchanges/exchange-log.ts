// Exchanges as they are put down while requests are answered: in blocks, unread, with no index to keep and nothing looked
// up, so that a request under load pays next to nothing (REC-08). Whoever reads the recorder records them first, in the
// order put down (exchange-rows.ts). A process that puts its exchanges off for a moment says so, and readers wait for it.
// Synchronous steps for inside a transaction.
import * as z from 'zod';
import type { ExchangeMade } from '#shared/domain/exchange-alike.ts';
import {
  type ExchangeWritten,
  exchangesPutDown,
  type Repetitions,
  textToPutDown,
} from '#shared/domain/exchange-block.ts';
import { encoded, presentRow } from '../../json-columns.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { ExchangeWriting } from '../../waiting-exchanges.ts';
import type { Statements } from '../database.ts';
import type { ExchangeRows } from './exchange-rows.ts';

export interface ExchangeLog {
  /** Inside a write transaction; whatever belongs to a namespace that has ended is left out. */
  put(ns: NamespaceKey, writings: readonly ExchangeWriting[], lost: number): void;
  /** The number of the newest block; undefined: there is none. */
  newest(): number | undefined;
  /** Inside a write transaction: records some of the oldest, none beyond that block; false: there is none left. */
  record(upTo: number): boolean;
  /** Forgets what was put down for a namespace, unread; answers how many exchanges that were. */
  clear(ns: NamespaceKey): number;
  end(ns: NamespaceKey): void;
  /** Lets some of the oldest go, if there are many; false: there are not. */
  shrink(): boolean;
  /** Inside a write transaction: what this process has is put off, for readers to wait until then. */
  hold(holder: string, now: number, until: number): void;
  letGo(holder: string): void;
  /** Whether another process puts something off until a moment after `now` that is `upTo` at the latest. */
  isHeld(holder: string, now: number, upTo: number): boolean;
}

const recordedAtOnce = 200;
/** How often a process looks whether what it has put down is beyond the bound: what of both comes first. */
const checkedEvery = { exchanges: 500, bytes: 1024 * 1024 };
const countedMax = 2000;
const shrinkMax = 250;

const blockShape = z.custom<readonly ExchangeWritten[]>(Array.isArray);
const numberRow = z.object({ number: z.number().nullable() });

const statements = (sql: Statements) => ({
  put: sql.command(
    `INSERT INTO exchange_log (namespace, exchanges, body)
     SELECT namespace, @exchanges, @body FROM recorders WHERE namespace = @ns`,
  ),
  lose: sql.command('UPDATE recorders SET lost = lost + @lost WHERE namespace = @ns'),
  drop: sql.command('UPDATE recorders SET dropped = dropped + @dropped WHERE namespace = @ns'),
  bounds: sql.query(
    'SELECT entries_max, bytes_max FROM recorders WHERE namespace = @ns',
    z.object({ entries_max: z.number(), bytes_max: z.number() }),
  ),
  newest: sql.query('SELECT max(seq) AS number FROM exchange_log', numberRow),
  oldest: sql.query(
    'SELECT seq, namespace, exchanges, body FROM exchange_log WHERE seq <= @upTo ORDER BY seq LIMIT 1',
    z.object({ seq: z.number(), namespace: z.string(), exchanges: z.number(), body: encoded(blockShape) }),
  ),
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

/** What this process has put down for a namespace, and how far it had come when. */
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

  /** What is older than as many of this very process as are kept goes unread: the bound would take it anyway. */
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

  return {
    put: (ns, writings, lost) => {
      const made: (readonly [ExchangeMade, Repetitions])[] = [];
      let lostNow = lost;
      for (const writing of writings) {
        const exchange = writing.shape();
        if (exchange === undefined) lostNow += writing.times;
        else made.push([exchange, writing]);
      }
      if (lostNow > 0) sql.lose.run({ ns, lost: lostNow });
      if (made.length === 0) return;
      const body = textToPutDown(made);
      sql.put.run({ ns, exchanges: made.length, body });
      count(ns, made.length, body.length);
    },
    newest: () => sql.newest.get({})?.number ?? undefined,
    record: (upTo) => {
      for (let recorded = 0; recorded < recordedAtOnce; ) {
        const block = sql.oldest.get({ upTo });
        if (block === undefined) return false;
        rows.append(block.namespace, exchangesPutDown(block.body));
        sql.remove.run({ seq: block.seq });
        recorded += block.exchanges;
      }
      return true;
    },
    clear: (ns) => remove(ns, all),
    end: (ns) => {
      sql.removeUpTo.run({ ns, upTo: all });
      counted.delete(ns);
    },
    shrink: () => {
      // Under load a block holds many: it is exchanges that count, not blocks.
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
