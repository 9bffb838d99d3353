// Exchanges on their way into PostgreSQL. A request waits only for the announcement of its exchange, and only for a
// moment. Each batch has its own transaction, under the lock
// of its recorder, so that their numbers are in commit order. Exchanges that cannot be written are counted and dropped
// (REC-09, REC-12). Readers in other processes detect an exchange by the event of its request. An exchange without an
// event is written before its response is sent.

import { setTimeout as pause } from 'node:timers/promises';
import type { Instant } from '#shared/base/clock.ts';
import { groupByKey } from '#shared/base/group-by-key.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { StoredExchange } from '#shared/model/domain/exchange.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import { NamespaceEndedError } from '../../namespace-id.ts';
import { RuntimeStoreUnavailableError } from '../../runtime-store-unavailable.ts';
import { WaitingExchanges } from '../../waiting-exchanges.ts';
import type { NamespaceDatabase } from '../namespace-context.ts';
import type { ExchangeRows } from './exchange-rows.ts';

const writtenAtOnce = 200;
const flushAfterMilliseconds = 150;
const busyPauseMilliseconds = 20;
const readersWaitMilliseconds = 1000;
/**
 * The longest wait of a request for its exchange. After a timeout no request waits until something is written (REC-12).
 */
const announcedWithinMilliseconds = 100;

export class ExchangeBuffer {
  readonly #databaseOf: (namespace: NamespaceKey) => NamespaceDatabase;
  readonly #rows: ExchangeRows;
  readonly #log: Logger;
  readonly #waiting = new WaitingExchanges();
  #flush: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  /** A write timed out, and nothing was written since. */
  #isLate = false;

  constructor(databaseOf: (namespace: NamespaceKey) => NamespaceDatabase, rows: ExchangeRows, log: Logger) {
    this.#databaseOf = databaseOf;
    this.#rows = rows;
    this.#log = log;
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

  /** See the port. Equal requests for a document wait for each other, and can be read within a second (REC-09). */
  announce(mayRepeat: boolean): Promise<void> | undefined {
    if (mayRepeat || this.#isLate || this.#waiting.size === 0) return undefined;
    return this.#announce();
  }

  async #announce(): Promise<void> {
    const inTime = new AbortController();
    const late = pause(announcedWithinMilliseconds, undefined, { signal: inTime.signal }).then(
      () => {
        this.#isLate = true;
      },
      () => {},
    );
    await Promise.race([this.#writeThoseOfNow(), late]).finally(() => inTime.abort());
  }

  async #writeThoseOfNow(): Promise<void> {
    await this.#writing;
    for (let left = this.#waiting.size; left > 0; left -= writtenAtOnce) await this.#writeSome();
  }

  /** Waits for the current exchanges, and no longer than a reader may wait. */
  async written(): Promise<void> {
    if (this.#waiting.size === 0 && this.#writing === undefined) return;
    const late = new AbortController();
    const written = async () => {
      while (!late.signal.aborted && (this.#waiting.size > 0 || this.#writing !== undefined)) await this.#writeSome();
    };
    await Promise.race([written(), pause(readersWaitMilliseconds, undefined, { signal: late.signal })]).finally(() =>
      late.abort(),
    );
  }

  /** At the end of the process: waiting exchanges are written or lost. */
  async close(): Promise<void> {
    await this.written();
    clearTimeout(this.#flush);
    this.#flush = undefined;
  }

  #soon(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#flush = undefined;
      void this.#writeSome().then(() => {
        if (this.#waiting.size > 0) this.#flush ??= this.#soon(busyPauseMilliseconds);
      });
    }, milliseconds).unref();
  }

  /** Writes one batch at a time, so that a process's exchanges stay in order. Never fails. */
  #writeSome(): Promise<void> {
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeBatch(): Promise<void> {
    const taken = this.#waiting.take(writtenAtOnce);
    const ofNamespace = groupByKey(taken, ({ namespace }) => namespace);
    for (const [namespace] of this.#waiting.lost()) if (!ofNamespace.has(namespace)) ofNamespace.set(namespace, []);
    for (const [namespace, exchanges] of ofNamespace) {
      const lost = this.lostOf(namespace);
      try {
        await this.#databaseOf(namespace).write('recorder', (on) => this.#rows.append(on, namespace, exchanges, lost));
        this.#waiting.countLost(namespace, -lost);
        this.#isLate = false;
      } catch (error) {
        if (error instanceof NamespaceEndedError) {
          this.#waiting.countLost(namespace, -this.lostOf(namespace));
          continue;
        }
        // Writes are frequent, and each would log the same error.
        if (!isLogged(error)) this.#log.warn({ err: error }, 'exchanges could not be recorded');
        for (const { times } of exchanges) this.#waiting.countLost(namespace, times);
      }
    }
  }
}

function isLogged(error: unknown): boolean {
  return error instanceof RuntimeStoreUnavailableError && error.isLogged;
}
