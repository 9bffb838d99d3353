// Exchanges on their way into the audit database. Nobody waits for them: they go along with the next commit of audit
// events, or in one of their own a moment later, and what cannot be written is counted and forgotten (REC-09, REC-12).
// Where one commit follows the other closely, the exchanges of some milliseconds are put off and written together: the
// first commit says so, and whoever reads in another process waits for them (REC-08). One of the next commits takes them
// along; a transaction of their own they have only when commits become rare. Without an event the exchange itself makes the
// commit that writes it or says that it is put off, before its answer is sent.
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
/** A commit that follows the last one sooner puts off what waits. */
const pressedMilliseconds = 10;
/** For so long, as long as commits follow each other so closely; else until the next look whether they do. */
const heldMilliseconds = 75;
const lookedAtEveryMilliseconds = 25;
/** Nobody waits longer for a process that may be dead. */
const heldAtMostMilliseconds = 1000;
const heldPauseMilliseconds = 5;
/** A request waits no longer for its exchange, and none waits again before something was written (REC-12). */
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

/** Exchanges that go along with somebody else's transaction. */
interface JoinedWrite {
  /** Inside the transaction. */
  write(): void;
  /** It is committed. */
  committed(): void;
  /** It is not, for that reason: they wait for another one. */
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
  /** What was to go along was not written: it is tried in a transaction of its own, which tells why. */
  #hasFailed = false;
  /** Others know that something here is put off since then. */
  #heldSince: Monotonic | undefined;
  #announcing: Promise<void> | undefined;
  /** Nothing could be announced in time, and nothing was written since. */
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

  /** Some of what waits, or that it is put off; undefined, when there is nothing to say. */
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

  /** Waits for what is there now, and never longer than a reader may wait. */
  async written(): Promise<void> {
    for (let waited = 0; this.#waiting.size > 0 && waited < readersWaitMilliseconds; waited += busyPauseMilliseconds) {
      this.#writeSome();
      if (this.#waiting.size > 0) await pause(busyPauseMilliseconds);
    }
  }

  /** Waits for what other processes have put off until now, and no longer than for one that has died. */
  async othersWritten(): Promise<void> {
    // What is put off later is put off for longer.
    const asked = this.#realNow();
    const isHeld = () =>
      this.#database.read(() => this.#log.isHeld(this.#holder, this.#realNow(), asked + heldAtMostMilliseconds));
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

  #isAnnounced(): boolean {
    return this.#waiting.size === 0 || this.#heldSince !== undefined;
  }

  /** Writes what waits, or says that it is put off; false: the database is busy. */
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
      // What cannot be written for another reason is lost soon, and counted.
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
        // Who finds the database busy tries the same again.
        if (!isBusy(reason)) this.#hasFailed = true;
        this.#flush ??= this.#soon(busyPauseMilliseconds);
      },
    };
  }

  #soon(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#flush = undefined;
      // The next commit is near, and takes along what is due.
      const isNear = !this.#hasFailed && this.#isWithin(pressedMilliseconds, this.#lastCommitBegun);
      if (!isNear) this.#writeSome();
      if (this.#waiting.size > 0)
        this.#flush ??= this.#soon(isNear ? lookedAtEveryMilliseconds : busyPauseMilliseconds);
    }, milliseconds).unref();
  }

  /** In a transaction of their own. */
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

  /** Not each time: on a disk that is full the log is, too. */
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
