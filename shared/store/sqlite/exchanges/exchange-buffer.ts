// Exchanges on their way into the audit database. Nobody waits for them: they go along with the next commit of audit
// events, or in one of their own a moment later, and what cannot be written is counted and forgotten (REC-09, REC-12).
// Where one commit follows the other closely, the exchanges of some milliseconds are put off and written together: the
// first commit says so, and whoever reads in another process waits for them (REC-08).
import { setTimeout as pause } from 'node:timers/promises';
import type { Instant, Monotonic, Stopwatch } from '#shared/clock.ts';
import { type NewExchange, repeatedWithinMilliseconds } from '#shared/domain/exchange.ts';
import type { Logger } from '#shared/logger.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { ExchangeToKeep } from '../../ports/exchanges.ts';
import { isBusy, isFull, type StoreDatabase } from '../database.ts';
import type { ExchangeLog } from './exchange-log.ts';

/** What waits at most; a database that stays locked must not fill the memory. */
const waitingMax = 2000;
const rememberedMax = 1000;
const writtenAtOnce = 200;
const flushAfterMilliseconds = 150;
const busyPauseMilliseconds = 20;
const readersWaitMilliseconds = 1000;
/** What is written sooner after the last time is put off for so long. */
const pressedMilliseconds = 10;
const heldMilliseconds = 25;
/** Nobody waits longer for a process that may be dead. */
const heldAtMostMilliseconds = 1000;
const heldPauseMilliseconds = 5;

export interface BufferParts {
  readonly database: StoreDatabase;
  readonly log: ExchangeLog;
  readonly stopwatch: Stopwatch;
  readonly realNow: () => number;
  /** The name of this process among those that share the database. */
  readonly holder: string;
  readonly logger: Logger;
}

interface Waiting {
  readonly namespace: NamespaceKey;
  readonly repeatKey: string | undefined;
  readonly at: Instant;
  times: number;
  /** It is being written: what repeats it is counted for itself. */
  taken: boolean;
  shape(): NewExchange | undefined;
}

/** Exchanges that go along with somebody else's transaction. */
export interface GoingAlong {
  /** Inside the transaction. */
  write(): void;
  /** It is committed. */
  committed(): void;
  /** It is not: they wait for another one. */
  undone(): void;
}

export class ExchangeBuffer {
  readonly #database: StoreDatabase;
  readonly #log: ExchangeLog;
  readonly #stopwatch: Stopwatch;
  readonly #realNow: () => number;
  readonly #holder: string;
  readonly #logger: Logger;
  #waiting: Waiting[] = [];
  /** When a second of equal exchanges began, and the last of them. */
  readonly #repeatable = new Map<string, { readonly from: Instant; last: Waiting }>();
  readonly #lost = new Map<NamespaceKey, number>();
  #flush: NodeJS.Timeout | undefined;
  #lastWritten: Monotonic | undefined;
  /** Others know that something here is put off. */
  #isHolding = false;

  constructor({ database, log, stopwatch, realNow, holder, logger }: BufferParts) {
    this.#database = database;
    this.#log = log;
    this.#stopwatch = stopwatch;
    this.#realNow = realNow;
    this.#holder = holder;
    this.#logger = logger;
  }

  add(namespace: NamespaceKey, exchange: ExchangeToKeep): void {
    const { repeatKey, at } = exchange;
    if (repeatKey !== undefined && this.repeats(namespace, repeatKey, at)) return;
    const key = repeatKey === undefined ? undefined : `${namespace} ${repeatKey}`;
    const known = key === undefined ? undefined : this.#repeatable.get(key);
    const isRepetition = known !== undefined && at - known.from < repeatedWithinMilliseconds;
    if (this.#waiting.length >= waitingMax) {
      this.#lose(namespace, 1);
      return;
    }
    const waiting: Waiting = { namespace, repeatKey, at, times: 1, taken: false, shape: this.#once(exchange) };
    this.#waiting.push(waiting);
    if (isRepetition) known.last = waiting;
    else if (key !== undefined) this.#remember(key, { from: at, last: waiting });
    this.#flush ??= this.#soon(flushAfterMilliseconds);
  }

  repeats(namespace: NamespaceKey, repeatKey: string, at: Instant): boolean {
    const known = this.#repeatable.get(`${namespace} ${repeatKey}`);
    if (known === undefined || known.last.taken || at - known.from >= repeatedWithinMilliseconds) return false;
    known.last.times += 1;
    return true;
  }

  /** What was lost of a namespace and is not counted in the database yet. */
  lostOf(namespace: NamespaceKey): number {
    return this.#lost.get(namespace) ?? 0;
  }

  /** Some of what waits, or that it is put off; undefined, when there is nothing to say. */
  goAlong(): GoingAlong | undefined {
    if (this.#waiting.length === 0) return undefined;
    if (!this.#isPressed()) return this.#take();
    return this.#isHolding ? undefined : this.#hold();
  }

  /** Waits for what is there now, and never longer than a reader may wait. */
  async written(): Promise<void> {
    for (
      let waited = 0;
      this.#waiting.length > 0 && waited < readersWaitMilliseconds;
      waited += busyPauseMilliseconds
    ) {
      this.#writeSome();
      if (this.#waiting.length > 0) await pause(busyPauseMilliseconds);
    }
  }

  /** Waits for what other processes have put off, and no longer than for one that has died. */
  async othersWritten(): Promise<void> {
    const isHeld = () => this.#database.read(() => this.#log.isHeld(this.#holder, this.#realNow()));
    for (let waited = 0; waited < readersWaitMilliseconds && (await isHeld()); waited += heldPauseMilliseconds) {
      await pause(heldPauseMilliseconds);
    }
  }

  /** At the end of the process: whatever still waits is written, or lost. */
  async close(): Promise<void> {
    await this.written();
    clearTimeout(this.#flush);
    this.#flush = undefined;
  }

  #isPressed(): boolean {
    if (this.#lastWritten === undefined || this.#waiting.length >= writtenAtOnce) return false;
    return this.#stopwatch.since(this.#lastWritten) < pressedMilliseconds;
  }

  #hold(): GoingAlong {
    return {
      write: () => {
        const now = this.#realNow();
        this.#log.hold(this.#holder, now, now + heldAtMostMilliseconds);
      },
      committed: () => {
        this.#isHolding = true;
        clearTimeout(this.#flush);
        this.#flush = this.#soon(heldMilliseconds);
      },
      undone: () => {},
    };
  }

  #take(): GoingAlong {
    const taken = this.#waiting.slice(0, writtenAtOnce);
    const lost = [...this.#lost];
    this.#waiting = this.#waiting.slice(writtenAtOnce);
    for (const waiting of taken) waiting.taken = true;
    const isLast = this.#waiting.length === 0;
    return {
      write: () => {
        this.#write(taken, lost);
        if (this.#isHolding && isLast) this.#log.letGo(this.#holder);
      },
      committed: () => {
        for (const [namespace, number] of lost) this.#lose(namespace, -number);
        this.#lastWritten = this.#stopwatch.read();
        if (isLast) this.#isHolding = false;
      },
      undone: () => {
        this.#waiting = [...taken, ...this.#waiting];
        this.#flush ??= this.#soon(busyPauseMilliseconds);
      },
    };
  }

  #remember(key: string, began: { readonly from: Instant; last: Waiting }): void {
    if (this.#repeatable.size >= rememberedMax) this.#repeatable.clear();
    this.#repeatable.set(key, began);
  }

  #soon(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#flush = undefined;
      this.#writeSome();
      if (this.#waiting.length > 0) this.#flush ??= this.#soon(busyPauseMilliseconds);
    }, milliseconds).unref();
  }

  /** In a transaction of their own. */
  #writeSome(): void {
    if (this.#waiting.length === 0) return;
    const going = this.#take();
    try {
      this.#database.tryWrite(() => going.write());
      going.committed();
    } catch (error) {
      if (isBusy(error)) {
        going.undone();
        return;
      }
      if (isFull(error)) this.#database.spaceWhenFull?.freeWhatIsOver();
      this.#logger.warn({ err: error }, 'exchanges could not be recorded');
      going.undone();
      this.#loseOldest();
    }
  }

  #loseOldest(): void {
    for (const { namespace, times } of this.#waiting.splice(0, writtenAtOnce)) this.#lose(namespace, times);
  }

  #write(taken: readonly Waiting[], lost: readonly (readonly [NamespaceKey, number])[]): void {
    const ofNamespace = new Map<NamespaceKey, Waiting[]>(lost.map(([namespace]) => [namespace, []]));
    for (const waiting of taken) {
      const known = ofNamespace.get(waiting.namespace);
      if (known === undefined) ofNamespace.set(waiting.namespace, [waiting]);
      else known.push(waiting);
    }
    const lostOf = new Map(lost);
    for (const [namespace, writings] of ofNamespace) {
      this.#log.put(namespace, writings, lostOf.get(namespace) ?? 0);
    }
  }

  /** A transaction may be tried again, and reading a request costs more than writing it down. */
  #once(exchange: ExchangeToKeep): () => NewExchange | undefined {
    let made: { readonly exchange: NewExchange | undefined } | undefined;
    return () => {
      made ??= { exchange: this.#shaped(exchange) };
      return made.exchange;
    };
  }

  #shaped(exchange: ExchangeToKeep): NewExchange | undefined {
    try {
      return exchange.shape();
    } catch (error) {
      this.#logger.error({ err: error }, 'an exchange could not be read for the recorder');
      return undefined;
    }
  }

  #lose(namespace: NamespaceKey, number: number): void {
    const lost = this.lostOf(namespace) + number;
    if (lost === 0) this.#lost.delete(namespace);
    else this.#lost.set(namespace, lost);
  }
}
