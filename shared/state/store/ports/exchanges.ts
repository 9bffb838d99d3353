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
  /** A cursor: only exchanges recorded after it. */
  readonly after?: number | undefined;
  /** A cursor: only exchanges recorded up to it. */
  readonly upTo?: number | undefined;
}

export interface ExchangePage {
  /** In the order recorded. */
  readonly exchanges: readonly KeptExchange[];
  /** The id of the newest exchange at the time of the read. 0 before the first. */
  readonly cursor: number;
}

/** The fields that counting an exchange needs. */
export interface CountedExchange
  extends Pick<KeptExchange, 'id' | 'endpoint' | 'clientId' | 'username' | 'status' | 'grantType' | 'repeated'> {}

/** Which exchanges a list would return, for a reader that loads only some of them at a time. */
export interface ExchangeIndex {
  /** In the order recorded. */
  readonly entries: readonly { readonly id: number; readonly at: Instant }[];
  /** Same as the cursor of a page. */
  readonly cursor: number;
}

export interface RecorderState {
  readonly kept: number;
  readonly bound: number;
  /** Exchanges evicted because of the bound. */
  readonly dropped: number;
  /** Exchanges that could not be written. */
  readonly lost: number;
}

/**
 * The recorder of a namespace (section REC). Numbers of exchanges and flows grow in the order recorded and are never
 * reused, even after removals.
 */
export interface Exchanges {
  /**
   * Stores an exchange. Never waits and never throws. The exchange is written with the next audit event of this
   * process, or soon after, and readers wait for it (REC-09). An exchange that cannot be written is counted as lost
   * (REC-12).
   */
  add(exchange: StoredExchange): void;
  /** Counts a request that repeats an exchange that is not written yet. False: it repeats none, so add it. */
  repeats(repeatKey: string, at: Instant): boolean;
  /** Counts an exchange that could not be created as lost (REC-12). */
  lose(): void;
  /**
   * Called before a response is sent: other processes can then read the added exchanges, or their readers wait for
   * them. undefined: there is nothing to wait for. Never fails, and takes only a moment while nothing can be written
   * (REC-12). `mayRepeat`: equal exchanges may follow and be counted with this one.
   */
  announce(mayRepeat: boolean): Promise<void> | undefined;
  /** Resolves within a second, once everything that this process added can be read or is lost. */
  written(): Promise<void>;
  /** Returns at most `limit` of the newest matching exchanges. */
  list(filter: ExchangeFilter, limit: number): Promise<ExchangePage>;
  /** Returns the index of what `list` would return. */
  index(filter: ExchangeFilter, limit: number): Promise<ExchangeIndex>;
  /**
   * Returns the exchanges of an index with these ids, in the order of the ids. Exchanges removed since are left out.
   */
  ofIndex(ids: readonly number[]): Promise<readonly KeptExchange[]>;
  /** The cursor of a list. */
  newest(): Promise<number>;
  /**
   * Returns all exchanges after a cursor that count() would examine, in number order. Serves several counts at once.
   */
  arrivals(after: number): Promise<readonly CountedExchange[]>;
  /** Returns the number of matching requests: a repeated exchange counts several times (REC-10). */
  count(filter: ExchangeFilter): Promise<number>;
  find(id: number): Promise<KeptExchange | undefined>;
  /**
   * Returns the full secret values of an exchange by their fingerprints. undefined: unknown exchange, or none were
   * stored.
   */
  secrets(id: number): Promise<Readonly<Record<string, string>> | undefined>;
  /** Returns at most `limit` flows that began before `before`, newest first, each with its exchanges in order. */
  flows(before: number | undefined, limit: number): Promise<readonly (readonly [FlowStep, ...FlowStep[]])[]>;
  /** Empties the recorder and returns how many exchanges it had stored. */
  clear(): Promise<number>;
  state(): Promise<RecorderState>;
  /** Whether all exchanges are still stored: none was evicted because of the bound, lost, or removed by hand. */
  isWhole(): Promise<boolean>;
  /**
   * Records that a reset deleted exchanges: `isWhole` returns false from now on. A sandbox's reset records this itself.
   */
  noteReset(): Promise<void>;
  /**
   * Takes a wait slot for exchanges of this namespace, shared by all processes, until `until` (real time) at most.
   * undefined while all slots are taken (REC-28). Each namespace has its own slots.
   */
  takeWait(until: Instant, waitsMax: number): Promise<string | undefined>;
  giveWait(wait: string): Promise<void>;
}
