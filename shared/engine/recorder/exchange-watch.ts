// Counting exchanges as they come, for all that wait for some in a namespace of this process: one look at what is new serves
// every one of them.
import type { Monotonic, Stopwatch } from '#shared/base/clock.ts';
import { isRepeatable } from '#shared/model/domain/exchange.ts';
import type { CountedExchange, ExchangeFilter, Exchanges } from '#shared/state/store/ports/index.ts';

/** Those that ask within this time share a look. It is less than the pause of one that waits alone. */
const sharedMilliseconds = 90;

export type WatchedExchanges = Pick<Exchanges, 'arrivals' | 'newest' | 'count'>;

export interface Counting {
  /** How many fit by now. */
  goOn(): Promise<number>;
  /** Nobody waits for it any more. */
  end(): void;
}

interface Counter {
  note(arrivals: readonly CountedExchange[]): void;
}

interface Shared<Result> {
  readonly began: Monotonic;
  readonly result: Promise<Result>;
}

/** By the port of the namespace. */
const watches = new WeakMap<WatchedExchanges, ExchangeWatch>();

export function watchOf(exchanges: WatchedExchanges, stopwatch: Stopwatch): ExchangeWatch {
  const known = watches.get(exchanges) ?? new ExchangeWatch(exchanges, stopwatch);
  watches.set(exchanges, known);
  return known;
}

class ExchangeWatch {
  readonly #exchanges: WatchedExchanges;
  readonly #stopwatch: Stopwatch;
  readonly #counters = new Set<Counter>();
  readonly #counts = new Map<string, Shared<number>>();
  /** What is recorded later was given to no counter yet; undefined: nobody waits. */
  #cursor: number | undefined;
  #look: Shared<void> | undefined;

  constructor(exchanges: WatchedExchanges, stopwatch: Stopwatch) {
    this.#exchanges = exchanges;
    this.#stopwatch = stopwatch;
  }

  /** Counts what fits from the beginning on. */
  async begin(filter: ExchangeFilter): Promise<Counting> {
    // What was counted before may be asked once more (REC-10); there are few of these.
    if (filter.endpoint !== undefined && isRepeatable(filter.endpoint)) {
      return { goOn: () => this.#countAll(filter), end: () => {} };
    }
    const arrived: CountedExchange[] = [];
    const counter: Counter = {
      note: (arrivals) => void arrived.push(...arrivals.filter((each) => fits(each, filter))),
    };
    this.#counters.add(counter);
    const end = () => {
      this.#counters.delete(counter);
      if (this.#counters.size === 0) this.#cursor = undefined;
    };
    try {
      if (this.#cursor === undefined) await this.#start();
      // Not before the place from which arrivals are noted; those until here are counted by the query and not twice.
      const upTo = await this.#exchanges.newest();
      let count = await this.#exchanges.count({ ...filter, upTo });
      const goOn = async () => {
        await this.#lookTogether();
        for (const { id, repeated } of arrived.splice(0)) if (id > upTo) count += repeated;
        return count;
      };
      return { goOn, end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Arrivals are noted from here on. */
  async #start(): Promise<void> {
    const newest = await this.#exchanges.newest();
    this.#cursor ??= newest;
  }

  #countAll(filter: ExchangeFilter): Promise<number> {
    const key = JSON.stringify(filter);
    const shared = this.#shared(this.#counts.get(key), () => this.#exchanges.count(filter));
    for (const [name, { began }] of this.#counts) if (!this.#isFresh(began)) this.#counts.delete(name);
    this.#counts.set(key, shared);
    return shared.result;
  }

  #lookTogether(): Promise<void> {
    this.#look = this.#shared(this.#look, () => this.#lookNow());
    return this.#look.result;
  }

  async #lookNow(): Promise<void> {
    const after = this.#cursor;
    if (after === undefined) return;
    const arrivals = await this.#exchanges.arrivals(after);
    const last = arrivals.at(-1)?.id;
    // A later look may have passed it, while this one was waited for.
    if (last === undefined || this.#cursor !== after) return;
    this.#cursor = last;
    for (const counter of this.#counters) counter.note(arrivals);
  }

  #shared<Result>(known: Shared<Result> | undefined, make: () => Promise<Result>): Shared<Result> {
    if (known !== undefined && this.#isFresh(known.began)) return known;
    return { began: this.#stopwatch.read(), result: make() };
  }

  #isFresh(began: Monotonic): boolean {
    return this.#stopwatch.since(began) < sharedMilliseconds;
  }
}

function fits(
  exchange: CountedExchange,
  { endpoint, clientId, username, status, grantType, after = 0 }: ExchangeFilter,
): boolean {
  return (
    exchange.id > after &&
    (endpoint === undefined || exchange.endpoint === endpoint) &&
    (clientId === undefined || exchange.clientId === clientId) &&
    (username === undefined || exchange.username === username) &&
    (status === undefined || exchange.status === status) &&
    (grantType === undefined || exchange.grantType === grantType)
  );
}
