// Exchanges on their way into PostgreSQL. Nobody waits for them: a batch has a transaction of its own, under the lock of its
// recorder, so that their numbers are the order of commits; what cannot be written is counted and forgotten (REC-09, REC-12).

import { setTimeout as pause } from 'node:timers/promises';
import type { Instant } from '#shared/clock.ts';
import { type NewExchange, repeatedWithinMilliseconds } from '#shared/domain/exchange.ts';
import type { Logger } from '#shared/logger.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import { NamespaceEndedError } from '../../namespace-id.ts';
import type { ExchangeToKeep } from '../../ports/exchanges.ts';
import { grouped } from '../grouped.ts';
import type { NamespaceDatabase } from '../namespace.ts';
import type { ExchangeRows } from './exchange-rows.ts';

/** What waits at most; a database that stays locked must not fill the memory. */
const waitingMax = 2000;
const rememberedMax = 1000;
const writtenAtOnce = 200;
const flushAfterMilliseconds = 150;
const busyPauseMilliseconds = 20;
const readersWaitMilliseconds = 1000;

interface Waiting {
  readonly namespace: NamespaceKey;
  readonly repeatKey: string | undefined;
  readonly at: Instant;
  times: number;
  /** It is being written: what repeats it is counted for itself. */
  taken: boolean;
  shape(): NewExchange | undefined;
}

export class ExchangeBuffer {
  readonly #databaseOf: (namespace: NamespaceKey) => NamespaceDatabase;
  readonly #rows: ExchangeRows;
  readonly #log: Logger;
  #waiting: Waiting[] = [];
  /** When a second of equal exchanges began, and the last of them. */
  readonly #repeatable = new Map<string, { readonly from: Instant; last: Waiting }>();
  readonly #lost = new Map<NamespaceKey, number>();
  #flush: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(databaseOf: (namespace: NamespaceKey) => NamespaceDatabase, rows: ExchangeRows, log: Logger) {
    this.#databaseOf = databaseOf;
    this.#rows = rows;
    this.#log = log;
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

  /** Waits for what is there now, and never longer than a reader may wait. */
  async written(): Promise<void> {
    if (this.#waiting.length === 0 && this.#writing === undefined) return;
    const late = new AbortController();
    const written = async () => {
      while (!late.signal.aborted && (this.#waiting.length > 0 || this.#writing !== undefined)) await this.#writeSome();
    };
    await Promise.race([written(), pause(readersWaitMilliseconds, undefined, { signal: late.signal })]).finally(() =>
      late.abort(),
    );
  }

  /** At the end of the process: whatever still waits is written, or lost. */
  async close(): Promise<void> {
    await this.written();
    clearTimeout(this.#flush);
    this.#flush = undefined;
  }

  #remember(key: string, began: { readonly from: Instant; last: Waiting }): void {
    if (this.#repeatable.size >= rememberedMax) this.#repeatable.clear();
    this.#repeatable.set(key, began);
  }

  #soon(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#flush = undefined;
      void this.#writeSome().then(() => {
        if (this.#waiting.length > 0) this.#flush ??= this.#soon(busyPauseMilliseconds);
      });
    }, milliseconds).unref();
  }

  /** One batch at a time, so that a process's exchanges stay in their order. Never fails. */
  #writeSome(): Promise<void> {
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeBatch(): Promise<void> {
    const taken = this.#waiting.splice(0, writtenAtOnce);
    for (const waiting of taken) waiting.taken = true;
    const ofNamespace = grouped(taken, ({ namespace }) => namespace);
    for (const namespace of this.#lost.keys()) if (!ofNamespace.has(namespace)) ofNamespace.set(namespace, []);
    for (const [namespace, writings] of ofNamespace) {
      const lost = this.lostOf(namespace);
      try {
        await this.#databaseOf(namespace).write('recorder', (on) => this.#rows.append(on, namespace, writings, lost));
        this.#lose(namespace, -lost);
      } catch (error) {
        if (error instanceof NamespaceEndedError) {
          this.#lost.delete(namespace);
          continue;
        }
        this.#log.warn({ err: error }, 'exchanges could not be recorded');
        for (const { times } of writings) this.#lose(namespace, times);
      }
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
      this.#log.error({ err: error }, 'an exchange could not be read for the recorder');
      return undefined;
    }
  }

  #lose(namespace: NamespaceKey, number: number): void {
    const lost = this.lostOf(namespace) + number;
    if (lost === 0) this.#lost.delete(namespace);
    else this.#lost.set(namespace, lost);
  }
}
