// Reads flows: the newest that match a filter, one with all its exchanges, or its exchanges in pieces while they are
// sent. With pieces, a slow client holds only a few exchanges in memory.
import { yieldAlone } from '#shared/base/scheduling/event-loop-turns.ts';
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import { type Flow, type FlowKind, type FlowOutcome, flowOf } from '#shared/model/domain/flow.ts';
import type { ExchangeIndex, Exchanges } from '#shared/state/store/ports/index.ts';

interface FlowFilter {
  readonly clientId?: string | undefined;
  readonly sp?: string | undefined;
  readonly username?: string | undefined;
  readonly kind?: FlowKind | undefined;
  readonly outcome?: FlowOutcome | undefined;
}

/** More than a person reads in one flow. */
const exchangesOfFlowMax = 1000;

const flowsAtOnce = 200;

/** Newest first. */
export async function readFlows(exchanges: Exchanges, filter: FlowFilter, limit: number): Promise<readonly Flow[]> {
  const found: Flow[] = [];
  for (let before: number | undefined; ; ) {
    const piece = await exchanges.flows(before, flowsAtOnce);
    for (const steps of piece) {
      const flow = flowOf(steps);
      if (fits(flow, filter)) found.push(flow);
      if (found.length === limit) return found;
    }
    before = piece.at(-1)?.[0].flow;
    if (before === undefined || piece.length < flowsAtOnce) return found;
  }
}

export interface WholeFlow {
  readonly flow: Flow;
  /** In the order in which they began: the effects of a logout are recorded before the logout itself. */
  readonly exchanges: readonly KeptExchange[];
}

export async function readFlow(store: Exchanges, id: number): Promise<WholeFlow | undefined> {
  const { exchanges } = await store.list({ flow: id }, exchangesOfFlowMax);
  return wholeOf(exchanges);
}

/** The exchanges of a flow, in the order in which they began. */
export type IndexedFlow = ExchangeIndex['entries'];

/** undefined: the flow does not exist. */
export async function indexFlow(store: Exchanges, id: number): Promise<IndexedFlow | undefined> {
  const { entries } = await store.index({ flow: id }, exchangesOfFlowMax);
  return entries.length === 0 ? undefined : entries.toSorted((one, other) => one.at - other.at);
}

function wholeOf(exchanges: readonly KeptExchange[]): WholeFlow | undefined {
  const [first, ...others] = exchanges;
  return first === undefined
    ? undefined
    : { flow: flowOf([first, ...others]), exchanges: exchanges.toSorted((one, other) => one.at - other.at) };
}

function fits(flow: Flow, { clientId, sp, username, kind, outcome }: FlowFilter): boolean {
  return (
    (clientId === undefined || flow.clientId === clientId) &&
    (sp === undefined || flow.sp === sp) &&
    (username === undefined || flow.username === username) &&
    (kind === undefined || flow.kind === kind) &&
    (outcome === undefined || flow.outcome === outcome)
  );
}

/** An exchange takes up to some tens of kilobytes. */
export const exchangesAtOnce = 25;

/** The exchanges of an index, in its order. Those removed meanwhile are left out. */
export async function* exchangePieces(
  exchanges: Pick<Exchanges, 'ofIndex'>,
  entries: ExchangeIndex['entries'],
): AsyncGenerator<readonly KeptExchange[]> {
  for (let at = 0; at < entries.length; at += exchangesAtOnce) {
    await yieldAlone();
    yield await exchanges.ofIndex(entries.slice(at, at + exchangesAtOnce).map(({ id }) => id));
  }
}

/** The same pieces, each exchange converted by `show`. */
export async function* shownPieces<Shown>(
  pieces: AsyncIterable<readonly KeptExchange[]>,
  show: (exchange: KeptExchange) => Shown,
): AsyncGenerator<readonly Shown[]> {
  for await (const piece of pieces) yield piece.map(show);
}
