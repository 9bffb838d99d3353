// When events are written: all that arrive in one turn of the event loop share a commit, and each is answered only once
// it is committed (AUD-09). Events that a change of state left in the outbox come in through `deliver`, each once.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Monotonic, Stopwatch } from '#shared/clock.ts';
import { RuntimeStoreUnavailableError } from '#shared/store/runtime-store-unavailable.ts';
import { asUnavailable, isBusy, type StoreDatabase, storeDeadlineMilliseconds } from '#shared/store/sqlite/database.ts';
import type { Delivery } from '#shared/store/sqlite/outbox.ts';
import type { AuditEntry, AuditEvent } from '../audit-event.ts';
import { type AuditDatabase, auditEntryOf } from './audit-database.ts';

interface WaitingEvent {
  readonly entry: AuditEntry;
  readonly since: Monotonic;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

const longestPauseMilliseconds = 20;

export class AuditRecorder {
  readonly #database: StoreDatabase;
  readonly #audit: AuditDatabase;
  readonly #ns: string;
  readonly #stopwatch: Stopwatch;
  /** Hears of each entry once, in the process that committed it (HOK-08). */
  readonly #recorded: (entry: AuditEntry) => void;
  #waiting: WaitingEvent[] = [];
  #writing: Promise<void> | undefined;

  constructor(
    database: StoreDatabase,
    audit: AuditDatabase,
    ns: string,
    stopwatch: Stopwatch,
    recorded: (entry: AuditEntry) => void,
  ) {
    this.#database = database;
    this.#audit = audit;
    this.#ns = ns;
    this.#stopwatch = stopwatch;
    this.#recorded = recorded;
  }

  record(event: AuditEvent): Promise<void> {
    return new Promise((done, fail) => {
      this.#waiting.push({ entry: auditEntryOf(event), since: this.#stopwatch.read(), done, fail });
      this.#writing ??= this.#write();
    });
  }

  /**
   * Takes the events that wait in the outbox, in order, leaving out those that arrived before. `waiting` is asked inside
   * the transaction, and may be asked more than once; answers what it answered last.
   */
  async deliver(waiting: () => readonly Delivery[]): Promise<readonly Delivery[]> {
    const { deliveries, entries } = await this.#database.write(() => {
      const deliveries = waiting();
      const entries: AuditEntry[] = [];
      for (const { id, namespace, event } of deliveries) {
        if (!this.#audit.takeDelivery(id)) continue;
        const entry = auditEntryOf(event);
        this.#audit.append(namespace, [entry]);
        entries.push(entry);
      }
      return { deliveries, entries };
    });
    for (const entry of entries) this.#recorded(entry);
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
      try {
        this.#database.tryWrite(() =>
          this.#audit.append(
            this.#ns,
            batch.map(({ entry }) => entry),
          ),
        );
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
      for (const { entry, done } of batch) {
        done();
        this.#recorded(entry);
      }
      pauseMilliseconds = 1;
    }
    this.#writing = undefined;
  }

  #failOverdue(cause: unknown): void {
    const isOverdue = ({ since }: WaitingEvent) => this.#stopwatch.since(since) >= storeDeadlineMilliseconds;
    const overdue = this.#waiting.filter(isOverdue);
    if (overdue.length === 0) return;
    this.#waiting = this.#waiting.filter((event) => !isOverdue(event));
    for (const { fail } of overdue) fail(new RuntimeStoreUnavailableError({ cause }));
  }
}
