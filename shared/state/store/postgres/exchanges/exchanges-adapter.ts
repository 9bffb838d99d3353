// The recorder of one namespace: the process's buffer and the rows.

import { countRow } from '../../json-columns.ts';
import type { Exchanges } from '../../ports/exchanges.ts';
import type { PostgresDatabase } from '../database.ts';
import type { NamespaceContext } from '../namespace-context.ts';
import { command, query, type Runner } from '../statement.ts';
import type { ExchangeBuffer } from './exchange-buffer.ts';
import { type ExchangeRows, noteReset } from './exchange-rows.ts';
import { waitForUnwritten } from './unwritten-exchanges.ts';

export interface ExchangesParts {
  readonly context: NamespaceContext;
  /** The whole database: expired wait slots of every namespace are removed. */
  readonly whole: PostgresDatabase;
  readonly rows: ExchangeRows;
  readonly buffer: ExchangeBuffer;
}

const waits = {
  forget: command('DELETE FROM exchange_waits WHERE until <= @real'),
  taken: query('SELECT count(*) AS count FROM exchange_waits WHERE namespace = @ns', countRow),
  take: command('INSERT INTO exchange_waits (namespace, wait, until) VALUES (@ns, @wait, @until)'),
  give: command('DELETE FROM exchange_waits WHERE wait = @wait'),
};

export function exchangesAdapter({ context, whole, rows, buffer }: ExchangesParts): Exchanges {
  const { database, ns, random, realClock } = context;
  const read = async <Result>(work: (on: Runner) => Promise<Result>): Promise<Result> => {
    await buffer.written();
    await waitForUnwritten(context);
    return database.read(work);
  };
  return {
    add: (exchange) => buffer.add(ns, exchange),
    repeats: (repeatKey, at) => buffer.repeats(ns, repeatKey, at),
    lose: () => buffer.lose(ns),
    announce: (mayRepeat) => buffer.announce(mayRepeat),
    written: () => buffer.written(),
    list: (filter, limit) => read((on) => rows.list(on, ns, filter, limit)),
    index: (filter, limit) => read((on) => rows.index(on, ns, filter, limit)),
    ofIndex: (ids) => database.read((on) => rows.ofIndex(on, ns, ids)),
    newest: () => read((on) => rows.newest(on, ns)),
    arrivals: (after) => read((on) => rows.arrivals(on, ns, after)),
    count: (filter) => read((on) => rows.count(on, ns, filter)),
    find: (id) => read((on) => rows.find(on, ns, id)),
    secrets: (id) => read((on) => rows.secrets(on, ns, id)),
    flows: (before = Number.MAX_SAFE_INTEGER, limit) => read((on) => rows.flows(on, ns, before, limit)),
    clear: async () => {
      await buffer.written();
      const requestedAt = realClock.now();
      await waitForUnwritten(context);
      return database.write('recorder', (on) => rows.clear(on, ns, requestedAt));
    },
    state: async () => {
      const state = await read((on) => rows.state(on, ns));
      return { ...state, lost: state.lost + buffer.lostOf(ns) };
    },
    noteReset: () => database.write('recorder', (on) => noteReset(on, ns)),
    isWhole: async () => (await read((on) => rows.isWhole(on, ns))) && buffer.lostOf(ns) === 0,
    takeWait: (until, waitsMax) =>
      whole.write(['exchange waits'], async (on) => {
        await waits.forget.run(on, { real: realClock.now() });
        if (((await waits.taken.get(on, { ns }))?.count ?? 0) >= waitsMax) return undefined;
        const wait = random.token(12);
        await waits.take.run(on, { ns, wait, until });
        return wait;
      }),
    giveWait: (wait) => whole.write([], async (on) => void (await waits.give.run(on, { wait }))),
  };
}
