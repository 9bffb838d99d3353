// Exchanges on their way into the recorder, in the memory of this process, until its engine writes them: equal ones within a
// second are one (REC-10), and what finds no room, or cannot be read, is counted and forgotten (REC-12).
import { type Instant, machineMicroseconds } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import { repeatedWithinMilliseconds } from '#shared/model/domain/exchange.ts';
import type { ExchangeMade } from '#shared/model/domain/exchange-alike.ts';
import type { NamespaceKey } from './namespace-id.ts';
import type { ExchangeToKeep } from './ports/exchanges.ts';

/** A database that stays locked must not fill the memory. */
const waitingMax = 2000;
const rememberedMax = 1000;

/** What an engine writes of an exchange, or of several equal ones. */
export interface ExchangeWriting {
  readonly repeatKey: string | undefined;
  readonly at: Instant;
  readonly times: number;
  /** When its answer was ready, by `machineMicroseconds`: the order in which it is read (REC-13). */
  readonly answered: number;
  /** Makes the exchange, the same each time, since a transaction may be tried again; undefined: it cannot be made, and is lost. */
  shape(): ExchangeMade | undefined;
}

export class WaitingExchange implements ExchangeWriting {
  readonly namespace: NamespaceKey;
  readonly repeatKey: string | undefined;
  readonly at: Instant;
  readonly answered = machineMicroseconds();
  times: number;
  /** It is being written: what repeats it is counted for itself. */
  taken = false;
  readonly #logger: Logger;
  #shape: ExchangeToKeep['shape'] | undefined;
  #made: ExchangeMade | undefined;

  constructor(namespace: NamespaceKey, { repeatKey, at, times = 1, shape }: ExchangeToKeep, logger: Logger) {
    this.namespace = namespace;
    this.repeatKey = repeatKey;
    this.at = at;
    this.times = times;
    this.#shape = shape;
    this.#logger = logger;
  }

  /** Reading a request costs more than writing it down. */
  shape(): ExchangeMade | undefined {
    const shape = this.#shape;
    if (shape === undefined) return this.#made;
    this.#shape = undefined;
    try {
      this.#made = shape();
    } catch (error) {
      this.#logger.error({ err: error }, 'an exchange could not be read for the recorder');
    }
    return this.#made;
  }
}

export class WaitingExchanges {
  readonly #logger: Logger;
  #waiting: WaitingExchange[] = [];
  /** When a second of equal exchanges began, and the last of them. */
  readonly #repeatable = new Map<string, { readonly from: Instant; last: WaitingExchange }>();
  readonly #lost = new Map<NamespaceKey, number>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(namespace: NamespaceKey, exchange: ExchangeToKeep): void {
    const { repeatKey, at, times = 1 } = exchange;
    if (repeatKey !== undefined && this.repeats(namespace, repeatKey, at, times)) return;
    if (this.#waiting.length >= waitingMax) {
      this.countLost(namespace, times);
      return;
    }
    const waiting = new WaitingExchange(namespace, exchange, this.#logger);
    this.#waiting.push(waiting);
    if (repeatKey !== undefined) this.#remember(`${namespace} ${repeatKey}`, waiting);
  }

  /** Counts so many with one that waits; false: there is none that they repeat. */
  repeats(namespace: NamespaceKey, repeatKey: string, at: Instant, times: number): boolean {
    const known = this.#repeatable.get(`${namespace} ${repeatKey}`);
    if (known === undefined || known.last.taken || at - known.from >= repeatedWithinMilliseconds) return false;
    known.last.times += times;
    return true;
  }

  /** The oldest, to be written now. */
  take(atMost: number): readonly WaitingExchange[] {
    const taken = this.#waiting.splice(0, atMost);
    for (const waiting of taken) waiting.taken = true;
    return taken;
  }

  /** Takes back exchanges that were handed out and not written after all. */
  putBack(taken: readonly WaitingExchange[]): void {
    for (const each of taken) each.taken = false;
    this.#waiting = [...taken, ...this.#waiting];
  }

  /** The oldest are counted as lost. */
  loseOldest(atMost: number): void {
    for (const { namespace, times } of this.take(atMost)) this.countLost(namespace, times);
  }

  /** What was lost of a namespace and is not counted in the database yet. */
  lostOf(namespace: NamespaceKey): number {
    return this.#lost.get(namespace) ?? 0;
  }

  /** How many exchanges were lost, for each namespace that lost any. */
  lost(): readonly (readonly [NamespaceKey, number])[] {
    return [...this.#lost];
  }

  /** Negative: the database has counted them. */
  countLost(namespace: NamespaceKey, number: number): void {
    const lost = this.lostOf(namespace) + number;
    if (lost === 0) this.#lost.delete(namespace);
    else this.#lost.set(namespace, lost);
  }

  #remember(key: string, last: WaitingExchange): void {
    const known = this.#repeatable.get(key);
    if (known !== undefined && last.at - known.from < repeatedWithinMilliseconds) {
      known.last = last;
      return;
    }
    if (this.#repeatable.size >= rememberedMax) this.#repeatable.clear();
    this.#repeatable.set(key, { from: last.at, last });
  }
}
