// When events are written: all events of one event-loop turn share a commit, and each resolves only once it is
// committed (AUD-09). Events that a change of state left in the outbox arrive through `deliver`, each once.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Monotonic, Stopwatch } from '#shared/base/clock.ts';
import { auditEntryOf } from '#shared/model/audit/audit-entry.ts';
import type { AuditEntry, AuditEvent } from '#shared/model/audit/audit-event.ts';
import { NamespaceEndedError, type NamespaceKey } from '../../namespace-id.ts';
import type { AuditListener } from '../../opened-store.ts';
import { RuntimeStoreUnavailableError } from '../../runtime-store-unavailable.ts';
import { asUnavailable, isBusy, isFull, type StoreDatabase, storeDeadlineMilliseconds } from '../database.ts';
import type { ExchangeBuffer } from '../exchanges/exchange-buffer.ts';
import type { Delivery } from '../outbox.ts';
import type { AuditDatabase } from './audit-database.ts';

interface Recorded {
  readonly namespace: NamespaceKey;
  readonly entry: AuditEntry;
}

interface WaitingEvent extends Recorded {
  readonly since: Monotonic;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

const longestPauseMilliseconds = 20;

export class AuditRecorder {
  readonly #database: StoreDatabase;
  readonly #audit: AuditDatabase;
  readonly #stopwatch: Stopwatch;
  readonly #exchanges: ExchangeBuffer;
  /** Receives each entry once, in the process that committed it (HOK-08). */
  readonly #recorded: AuditListener;
  #waiting: WaitingEvent[] = [];
  #writing: Promise<void> | undefined;

  constructor(
    database: StoreDatabase,
    audit: AuditDatabase,
    exchanges: ExchangeBuffer,
    stopwatch: Stopwatch,
    recorded: AuditListener,
  ) {
    this.#database = database;
    this.#audit = audit;
    this.#exchanges = exchanges;
    this.#stopwatch = stopwatch;
    this.#recorded = recorded;
  }

  async record(namespace: NamespaceKey, event: AuditEvent): Promise<void> {
    this.#database.requireFile();
    return new Promise((done, fail) => {
      this.#waiting.push({ namespace, entry: auditEntryOf(event), since: this.#stopwatch.read(), done, fail });
      this.#writing ??= this.#write();
    });
  }

  /**
   * Takes the events that wait in the outbox, in order, without those that arrived before. `waiting` is called inside
   * the transaction, possibly more than once. Returns its last result.
   */
  async deliver(waiting: () => readonly Delivery[]): Promise<readonly Delivery[]> {
    const { deliveries, entries } = await this.#database.write(() => {
      const deliveries = waiting();
      const entries: Recorded[] = [];
      for (const { id, namespace, event } of deliveries) {
        if (!this.#audit.takeDelivery(id)) continue;
        const entry = auditEntryOf(event);
        if (this.#audit.append(namespace, [entry])) entries.push({ namespace, entry });
      }
      return { deliveries, entries };
    });
    for (const { namespace, entry } of entries) this.#recorded(entry, namespace);
    return deliveries;
  }

  /** Resolves when nothing is waiting any more. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(): Promise<void> {
    await nextTurn();
    let pauseMilliseconds = 1;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      let ended: ReadonlySet<NamespaceKey>;
      try {
        ended = this.#commit(batch);
      } catch (error) {
        if (isBusy(error)) {
          this.#failOverdue(error);
          await pause(pauseMilliseconds);
          pauseMilliseconds = Math.min(pauseMilliseconds * 2, longestPauseMilliseconds);
        } else {
          this.#waiting = [];
          for (const { fail } of batch) fail(asUnavailable(error));
        }
        continue;
      }
      // Nothing can have been added since: the transaction is synchronous.
      this.#waiting = [];
      for (const { namespace, entry, done, fail } of batch) {
        if (ended.has(namespace)) {
          fail(new NamespaceEndedError(namespace));
          continue;
        }
        done();
        this.#recorded(entry, namespace);
      }
      pauseMilliseconds = 1;
    }
    this.#writing = undefined;
  }

  /** Without space the oldest entries are evicted: an audit keeps the newest. */
  #commit(batch: readonly WaitingEvent[]): ReadonlySet<NamespaceKey> {
    try {
      return this.#commitWithExchanges(batch);
    } catch (error) {
      if (!isFull(error) || this.#database.spaceWhenFull === undefined) throw error;
      this.#database.spaceWhenFull.freeWhatIsOver();
      return this.#database.tryWrite(() => this.#append(batch));
    }
  }

  /** Writes the exchanges of the requests too. None of them can make an event fail (REC-12). */
  #commitWithExchanges(batch: readonly WaitingEvent[]): ReadonlySet<NamespaceKey> {
    const going = this.#exchanges.joinCommit();
    if (going === undefined) return this.#database.tryWrite(() => this.#append(batch));
    try {
      const ended = this.#database.tryWrite(() => {
        const ended = this.#append(batch);
        going.write();
        return ended;
      });
      going.committed();
      return ended;
    } catch (error) {
      going.rolledBack(error);
      if (isBusy(error)) throw error;
      return this.#database.tryWrite(() => this.#append(batch));
    }
  }

  /** Runs one append for each namespace and keeps the order within it. Returns the namespaces that have ended. */
  #append(batch: readonly WaitingEvent[]): ReadonlySet<NamespaceKey> {
    const entries = new Map<NamespaceKey, AuditEntry[]>();
    for (const { namespace, entry } of batch) {
      const known = entries.get(namespace);
      if (known === undefined) entries.set(namespace, [entry]);
      else known.push(entry);
    }
    return new Set(
      [...entries].filter(([namespace, own]) => !this.#audit.append(namespace, own)).map(([name]) => name),
    );
  }

  #failOverdue(cause: unknown): void {
    const isOverdue = ({ since }: WaitingEvent) => this.#stopwatch.since(since) >= storeDeadlineMilliseconds;
    const overdue = this.#waiting.filter(isOverdue);
    if (overdue.length === 0) return;
    this.#waiting = this.#waiting.filter((event) => !isOverdue(event));
    for (const { fail } of overdue) fail(new RuntimeStoreUnavailableError({ cause, trouble: 'busy' }));
  }
}
