// Exchanges in the memory of this process until its engine writes them. Equal exchanges within a second count as one
// (REC-10). Exchanges beyond the bound are counted as lost (REC-12).
import { type Instant, machineMicroseconds } from '#shared/base/clock.ts';
import { repeatedWithinMilliseconds, type StoredExchange } from '#shared/model/domain/exchange.ts';
import type { NamespaceKey } from './namespace-id.ts';

/** The bound: a database that stays locked must not fill the memory. */
const waitingMax = 2000;
const repeatableMax = 1000;

/** A stored exchange, with the additional values that writing it needs. */
export interface ExchangeToWrite {
  readonly exchange: StoredExchange;
  /** How many requests it counts for. */
  readonly times: number;
  /** When its response was ready, by `machineMicroseconds`. It is read in this order (REC-13). */
  readonly answered: number;
}

interface WaitingExchange extends ExchangeToWrite {
  readonly namespace: NamespaceKey;
  times: number;
  /** It is being written: requests that repeat it are counted separately. */
  taken: boolean;
}

export class WaitingExchanges {
  #waiting: WaitingExchange[] = [];
  /** The start of the second in which exchanges count as equal, and the last of them. */
  readonly #repeatable = new Map<string, { readonly from: Instant; last: WaitingExchange }>();
  readonly #lost = new Map<NamespaceKey, number>();

  get size(): number {
    return this.#waiting.length;
  }

  add(namespace: NamespaceKey, exchange: StoredExchange): void {
    const { repeatKey, at } = exchange;
    if (repeatKey !== undefined && this.repeats(namespace, repeatKey, at)) return;
    if (this.#waiting.length >= waitingMax) {
      this.countLost(namespace, 1);
      return;
    }
    const waiting = { namespace, exchange, times: 1, answered: machineMicroseconds(), taken: false };
    this.#waiting.push(waiting);
    if (repeatKey !== undefined) this.#setLast(`${namespace} ${repeatKey}`, waiting);
  }

  /** Counts a request with the waiting exchange that it repeats. False: it repeats none. */
  repeats(namespace: NamespaceKey, repeatKey: string, at: Instant): boolean {
    const known = this.#repeatable.get(`${namespace} ${repeatKey}`);
    if (known === undefined || known.last.taken || at - known.from >= repeatedWithinMilliseconds) return false;
    known.last.times += 1;
    return true;
  }

  /** Removes the oldest exchanges, which are written now. */
  take(atMost: number): readonly WaitingExchange[] {
    const taken = this.#waiting.splice(0, atMost);
    for (const waiting of taken) waiting.taken = true;
    return taken;
  }

  /** Puts back exchanges that were taken and not written. */
  putBack(taken: readonly WaitingExchange[]): void {
    for (const each of taken) each.taken = false;
    this.#waiting = [...taken, ...this.#waiting];
  }

  /** Counts the oldest as lost. */
  loseOldest(atMost: number): void {
    for (const { namespace, times } of this.take(atMost)) this.countLost(namespace, times);
  }

  /** Returns how many lost exchanges of a namespace the database has not counted yet. */
  lostOf(namespace: NamespaceKey): number {
    return this.#lost.get(namespace) ?? 0;
  }

  /** Returns how many exchanges were lost, for each namespace that lost any. */
  lost(): readonly (readonly [NamespaceKey, number])[] {
    return [...this.#lost];
  }

  /** Negative: the database has counted them. */
  countLost(namespace: NamespaceKey, number: number): void {
    const lost = this.lostOf(namespace) + number;
    if (lost === 0) this.#lost.delete(namespace);
    else this.#lost.set(namespace, lost);
  }

  #setLast(key: string, last: WaitingExchange): void {
    const known = this.#repeatable.get(key);
    if (known !== undefined && last.exchange.at - known.from < repeatedWithinMilliseconds) {
      known.last = last;
      return;
    }
    if (this.#repeatable.size >= repeatableMax) this.#repeatable.clear();
    this.#repeatable.set(key, { from: last.exchange.at, last });
  }
}
