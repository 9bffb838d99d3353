// Exchanges read while they are sent, so that a client that reads slowly, or nothing, holds a few of them in memory.

import { yieldAlone } from '#shared/base/scheduling/event-loop-turns.ts';
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import type { ExchangeIndex, Exchanges } from '#shared/state/store/ports/index.ts';

/** An exchange takes up to some tens of kilobytes. */
export const exchangesAtOnce = 25;

/** What an index names, in its order. What is removed meanwhile is left out. */
export async function* exchangePieces(
  exchanges: Pick<Exchanges, 'ofIndex'>,
  entries: ExchangeIndex['entries'],
): AsyncGenerator<readonly KeptExchange[]> {
  for (let at = 0; at < entries.length; at += exchangesAtOnce) {
    await yieldAlone();
    yield await exchanges.ofIndex(entries.slice(at, at + exchangesAtOnce).map(({ id }) => id));
  }
}

/** The same pieces, each exchange as `show` makes it. */
export async function* shownPieces<Shown>(
  pieces: AsyncIterable<readonly KeptExchange[]>,
  show: (exchange: KeptExchange) => Shown,
): AsyncGenerator<readonly Shown[]> {
  for await (const piece of pieces) yield piece.map(show);
}
