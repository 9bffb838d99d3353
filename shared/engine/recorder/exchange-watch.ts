// Counts exchanges as they arrive, for all waiting requests in a namespace of this process. One query for new exchanges
// serves all of them.
import type { Monotonic, Stopwatch } from '#shared/base/clock.ts';
import { isRepeatable } from '#shared/model/domain/exchange.ts';
import type { CountedExchange, ExchangeFilter, Exchanges } from '#shared/state/store/ports/index.ts';

/** Requests within this time share a query. It is shorter than the pause of a single waiting request. */
const sharedMilliseconds = 90;

export type WatchedExchanges = Pick<Exchanges, 'arrivals' | 'newest' | 'count'>;

export interface Counting {
  /** The number of matching exchanges so far. */
  goOn(): Promise<number>;
  /** The caller no longer waits. */
  end(): void;
}

interface Counter {
  note(arrivals: readonly CountedExchange[]): void;
}

interface Shared<Result> {
  readonly began: Monotonic;
  readonly result: Promise<Result>;
}

/** Keyed by the namespace's exchanges. */
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
  /** Exchanges after this id were passed to no counter yet; undefined: no request waits. */
  #cursor: number | undefined;
  #look: Shared<void> | undefined;

  constructor(exchanges: WatchedExchanges, stopwatch: Stopwatch) {
    this.#exchanges = exchanges;
    this.#stopwatch = stopwatch;
  }

  /** Counts all matching exchanges from the beginning. */
  async begin(filter: ExchangeFilter): Promise<Counting> {
    // Counted exchanges may be repeated and change (REC-10); there are few of these.
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
      // Read only after the watch has started. The query counts the exchanges up to here, so that none is counted
      // twice.
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

  /** Exchanges are counted from here on. */
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
    // A later query may have moved the cursor while this one was running.
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
