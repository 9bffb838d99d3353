import type { Instant } from '#shared/base/clock.ts';
import type { KeptExchange, RecordedEndpoint, StoredExchange } from '#shared/model/domain/exchange.ts';
import type { FlowStep } from '#shared/model/domain/flow.ts';

export interface ExchangeFilter {
  readonly endpoint?: RecordedEndpoint | undefined;
  readonly clientId?: string | undefined;
  readonly username?: string | undefined;
  readonly status?: number | undefined;
  readonly grantType?: string | undefined;
  readonly flow?: number | undefined;
  readonly requestId?: string | undefined;
  /** A cursor: those recorded later. */
  readonly after?: number | undefined;
  /** A cursor: those recorded until then. */
  readonly upTo?: number | undefined;
}

export interface ExchangePage {
  /** In the order recorded. */
  readonly exchanges: readonly KeptExchange[];
  /** Names the newest exchange that was there when this was read; 0 before the first. */
  readonly cursor: number;
}

/** What is looked at to count an exchange. */
export interface CountedExchange
  extends Pick<KeptExchange, 'id' | 'endpoint' | 'clientId' | 'username' | 'status' | 'grantType' | 'repeated'> {}

/** Which exchanges a list would have, for a reader that wants only some of them in memory at a time. */
export interface ExchangeIndex {
  /** In the order recorded. */
  readonly entries: readonly { readonly id: number; readonly at: Instant }[];
  /** As that of a page. */
  readonly cursor: number;
}

export interface RecorderState {
  readonly kept: number;
  readonly bound: number;
  /** Went because of the bound. */
  readonly dropped: number;
  /** Could not be written. */
  readonly lost: number;
}

/**
 * The recorder of a namespace (section REC). Numbers of exchanges and flows grow in the order recorded and are never used
 * twice, whatever is removed.
 */
export interface Exchanges {
  /**
   * Stores an exchange. Never waits and never throws: it is written with the next audit event of this process, or soon
   * after, and readers wait for it meanwhile (REC-09). An exchange that cannot be written is counted as lost (REC-12).
   */
  add(exchange: StoredExchange): void;
  /** Counts a request that repeats an exchange which is not written yet; false: it repeats none, so add it. */
  repeats(repeatKey: string, at: Instant): boolean;
  /** Counts an exchange that could not be made as lost (REC-12). */
  lose(): void;
  /**
   * Before an answer is sent: what was added can be read in other processes, or their readers wait for it. undefined: nothing is
   * to be waited for. Never fails, and takes a moment at most while nothing can be written (REC-12). `mayRepeat`: equal ones may
   * follow and be counted with it.
   */
  announce(mayRepeat: boolean): Promise<void> | undefined;
  /** Resolves once everything that this process added can be read or is lost, within a second. */
  written(): Promise<void>;
  /** The newest so many of those that fit. */
  list(filter: ExchangeFilter, limit: number): Promise<ExchangePage>;
  /** Which ones `list` would return. */
  index(filter: ExchangeFilter, limit: number): Promise<ExchangeIndex>;
  /** The exchanges of an index with these ids, in the order of the ids. Those that were removed meanwhile are left out. */
  ofIndex(ids: readonly number[]): Promise<readonly KeptExchange[]>;
  /** The cursor of a list. */
  newest(): Promise<number>;
  /** Those recorded after a cursor, in the order of their numbers: all that count() would look at, for several counts at once. */
  arrivals(after: number): Promise<readonly CountedExchange[]>;
  /** How many requests fit: an exchange that was repeated is several (REC-10). */
  count(filter: ExchangeFilter): Promise<number>;
  find(id: number): Promise<KeptExchange | undefined>;
  /** The whole values of an exchange by their fingerprints; undefined: there is no such exchange, or none were kept. */
  secrets(id: number): Promise<Readonly<Record<string, string>> | undefined>;
  /** Flows newer first, each with its exchanges in order; those begun before `before`, at most so many. */
  flows(before: number | undefined, limit: number): Promise<readonly (readonly [FlowStep, ...FlowStep[]])[]>;
  /** Empties the recorder; answers how many exchanges it kept. */
  clear(): Promise<number>;
  state(): Promise<RecorderState>;
  /** Everything is there that was ever to be kept: none went because of the bound, was lost, or was removed by hand. */
  isWhole(): Promise<boolean>;
  /** What was kept before went with a reset: from now on it is whole never again. A sandbox's reset says so itself. */
  noteReset(): Promise<void>;
  /**
   * A place among those who wait for exchanges of this namespace, in all processes, until that moment of real time
   * at most; undefined while all are taken (REC-28). No namespace takes those of another.
   */
  takeWait(until: Instant, waitsMax: number): Promise<string | undefined>;
  giveWait(wait: string): Promise<void>;
}
