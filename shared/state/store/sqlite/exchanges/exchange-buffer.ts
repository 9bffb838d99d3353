// Exchanges on their way into the audit database. A request waits only for the announcement of its exchange, and only for
// a moment. Exchanges are written with the next commit of audit events, or in their own commit a moment later. Exchanges that cannot be written are counted and dropped
// (REC-09, REC-12). When commits follow each other closely, the exchanges of some milliseconds are delayed and written
// together. The first commit announces the delay, and readers in other processes wait for them (REC-08). One of the
// next commits writes them. They get their own transaction only when commits become rare. An exchange without an event
// makes its own commit before its response is sent: the commit writes it or announces the delay.
import { setTimeout as pause } from 'node:timers/promises';
import type { Instant, Monotonic, Stopwatch } from '#shared/base/clock.ts';
import { groupByKey } from '#shared/base/group-by-key.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { StoredExchange } from '#shared/model/domain/exchange.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import { WaitingExchanges } from '../../waiting-exchanges.ts';
import { isBusy, isFull, type StoreDatabase } from '../database.ts';
import type { ExchangeLog } from './exchange-log.ts';

const writtenAtOnce = 200;
const flushAfterMilliseconds = 150;
const busyPauseMilliseconds = 20;
const readersWaitMilliseconds = 1000;
/** A commit that follows the previous one sooner delays the waiting exchanges. */
const pressedMilliseconds = 10;
/** How long they are delayed while commits follow each other so closely. Otherwise the delay ends at the next check. */
const heldMilliseconds = 75;
const lookedAtEveryMilliseconds = 25;
/** The longest wait for a process that may be dead. */
const heldAtMostMilliseconds = 1000;
const heldPauseMilliseconds = 5;
/**
 * The longest wait of a request for its exchange. After a timeout no request waits until something is written (REC-12).
 */
const announcedWithinMilliseconds = 100;
const announcePauseMilliseconds = 2;
const toldEveryMilliseconds = 60_000;

interface BufferParts {
  readonly database: StoreDatabase;
  readonly log: ExchangeLog;
  readonly stopwatch: Stopwatch;
  readonly realNow: () => number;
  /** The name of this process among those that share the database. */
  readonly holder: string;
  readonly logger: Logger;
}

/** Exchanges that are written in the transaction of another writer. */
interface JoinedWrite {
  /** Runs inside the transaction. */
  write(): void;
  /** Runs after the commit. */
  committed(): void;
  /** Runs after a rollback for that reason. The exchanges wait for another transaction. */
  rolledBack(reason: unknown): void;
}

export class ExchangeBuffer {
  readonly #database: StoreDatabase;
  readonly #log: ExchangeLog;
  readonly #stopwatch: Stopwatch;
  readonly #realNow: () => number;
  readonly #holder: string;
  readonly #logger: Logger;
  readonly #waiting = new WaitingExchanges();
  #flush: NodeJS.Timeout | undefined;
  #lastWritten: Monotonic | undefined;
  #lastTold: Monotonic | undefined;
  #lastCommitBegun: Monotonic | undefined;
  /** A joined write failed. The exchanges are retried in a separate transaction, which reports the error. */
  #hasFailed = false;
  /** Since when other processes know that this process delays exchanges. */
  #heldSince: Monotonic | undefined;
  #announcing: Promise<void> | undefined;
  /** An announcement timed out, and nothing was written since. */
  #isLate = false;

  constructor({ database, log, stopwatch, realNow, holder, logger }: BufferParts) {
    this.#database = database;
    this.#log = log;
    this.#stopwatch = stopwatch;
    this.#realNow = realNow;
    this.#holder = holder;
    this.#logger = logger;
  }

  add(namespace: NamespaceKey, exchange: StoredExchange): void {
    this.#waiting.add(namespace, exchange);
    if (this.#waiting.size > 0) this.#flush ??= this.#soon(flushAfterMilliseconds);
  }

  repeats(namespace: NamespaceKey, repeatKey: string, at: Instant): boolean {
    return this.#waiting.repeats(namespace, repeatKey, at);
  }

  lose(namespace: NamespaceKey): void {
    this.#waiting.countLost(namespace, 1);
  }

  lostOf(namespace: NamespaceKey): number {
    return this.#waiting.lostOf(namespace);
  }

  /**
   * Returns a write of some waiting exchanges, or of the announcement that they are delayed. undefined: neither is
   * needed.
   */
  joinCommit(): JoinedWrite | undefined {
    this.#lastCommitBegun = this.#stopwatch.read();
    if (this.#waiting.size === 0) return undefined;
    if (this.#waiting.size >= writtenAtOnce) return this.#take();
    if (this.#heldSince !== undefined)
      return this.#isWithin(heldMilliseconds, this.#heldSince) ? undefined : this.#take();
    return this.#isWithin(pressedMilliseconds, this.#lastWritten) ? this.#hold() : this.#take();
  }

  /** See the port. */
  announce(mayRepeat: boolean): Promise<void> | undefined {
    if (this.#isAnnounced() || this.#isLate || this.#tryAnnounce(mayRepeat)) return undefined;
    this.#announcing ??= this.#announceLater(mayRepeat).finally(() => {
      this.#announcing = undefined;
    });
    return this.#announcing;
  }

  /** Waits for the current exchanges, and no longer than a reader may wait. */
  async written(): Promise<void> {
    for (let waited = 0; this.#waiting.size > 0 && waited < readersWaitMilliseconds; waited += busyPauseMilliseconds) {
      this.#writeSome();
      if (this.#waiting.size > 0) await pause(busyPauseMilliseconds);
    }
  }

  /** Waits for what other processes delay at the moment, and no longer than for a dead process. */
  async othersWritten(): Promise<void> {
    // Later announcements have a later end.
    const requestedAt = this.#realNow();
    const isHeld = () =>
      this.#database.read(() => this.#log.isHeld(this.#holder, this.#realNow(), requestedAt + heldAtMostMilliseconds));
    for (let waited = 0; waited < readersWaitMilliseconds && (await isHeld()); waited += heldPauseMilliseconds) {
      await pause(heldPauseMilliseconds);
    }
  }

  /** At the end of the process: waiting exchanges are written or lost. */
  async close(): Promise<void> {
    await this.written();
    clearTimeout(this.#flush);
    this.#flush = undefined;
  }

  #isAnnounced(): boolean {
    return this.#waiting.size === 0 || this.#heldSince !== undefined;
  }

  /** Writes the waiting exchanges or announces their delay. False: the database is busy. */
  #tryAnnounce(mayRepeat: boolean): boolean {
    if (!mayRepeat && !this.#isWithin(pressedMilliseconds, this.#lastWritten)) {
      this.#writeSome();
      return this.#isAnnounced();
    }
    const holding = this.#hold();
    try {
      this.#database.tryWrite(() => holding.write());
      holding.committed();
      return true;
    } catch (error) {
      // An exchange that fails for another reason is soon lost and counted.
      return !isBusy(error);
    }
  }

  async #announceLater(mayRepeat: boolean): Promise<void> {
    const start = this.#stopwatch.read();
    while (this.#isWithin(announcedWithinMilliseconds, start)) {
      await pause(announcePauseMilliseconds);
      if (this.#isAnnounced() || this.#tryAnnounce(mayRepeat)) return;
    }
    this.#isLate = true;
  }

  #isWithin(milliseconds: number, then: Monotonic | undefined): boolean {
    return then !== undefined && this.#stopwatch.since(then) < milliseconds;
  }

  #hold(): JoinedWrite {
    return {
      write: () => {
        const now = this.#realNow();
        this.#log.hold(this.#holder, now, now + heldAtMostMilliseconds);
      },
      committed: () => {
        this.#heldSince = this.#stopwatch.read();
        clearTimeout(this.#flush);
        this.#flush = this.#soon(lookedAtEveryMilliseconds);
      },
      rolledBack: () => {},
    };
  }

  #take(): JoinedWrite {
    const taken = this.#waiting.take(writtenAtOnce);
    const lost = this.#waiting.lost();
    const isLast = this.#waiting.size === 0;
    return {
      write: () => {
        this.#write(taken, lost);
        if (this.#heldSince !== undefined && isLast) this.#log.letGo(this.#holder);
      },
      committed: () => {
        for (const [namespace, number] of lost) this.#waiting.countLost(namespace, -number);
        this.#lastWritten = this.#stopwatch.read();
        [this.#hasFailed, this.#isLate] = [false, false];
        if (isLast) this.#heldSince = undefined;
      },
      rolledBack: (reason) => {
        this.#waiting.putBack(taken);
        // A busy database only needs another attempt.
        if (!isBusy(reason)) this.#hasFailed = true;
        this.#flush ??= this.#soon(busyPauseMilliseconds);
      },
    };
  }

  #soon(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#flush = undefined;
      // The next commit is near and writes what is due.
      const isNear = !this.#hasFailed && this.#isWithin(pressedMilliseconds, this.#lastCommitBegun);
      if (!isNear) this.#writeSome();
      if (this.#waiting.size > 0)
        this.#flush ??= this.#soon(isNear ? lookedAtEveryMilliseconds : busyPauseMilliseconds);
    }, milliseconds).unref();
  }

  /** Writes them in a separate transaction. */
  #writeSome(): void {
    if (this.#waiting.size === 0) return;
    const going = this.#take();
    try {
      this.#database.tryWrite(() => going.write());
      going.committed();
    } catch (error) {
      if (isBusy(error)) {
        going.rolledBack(error);
        return;
      }
      if (isFull(error)) this.#database.spaceWhenFull?.freeWhatIsOver();
      this.#tell(error);
      going.rolledBack(error);
      this.#waiting.loseOldest(writtenAtOnce);
    }
  }

  /** Logs at intervals: on a full disk the log is full too. */
  #tell(error: unknown): void {
    if (this.#isWithin(toldEveryMilliseconds, this.#lastTold)) return;
    this.#lastTold = this.#stopwatch.read();
    this.#logger.warn({ err: error }, 'exchanges could not be recorded');
  }

  #write(taken: ReturnType<WaitingExchanges['take']>, lost: readonly (readonly [NamespaceKey, number])[]): void {
    const ofNamespace = groupByKey(taken, ({ namespace }) => namespace);
    for (const [namespace] of lost) if (!ofNamespace.has(namespace)) ofNamespace.set(namespace, []);
    const lostOf = new Map(lost);
    for (const [namespace, exchanges] of ofNamespace) {
      this.#log.put(namespace, exchanges, lostOf.get(namespace) ?? 0);
    }
  }
}
