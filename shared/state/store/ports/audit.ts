// The port of the audit: one log for all processes of a store, read in the order recorded (AUD-02, AUD-08, AUD-09).
import type { AuditCounters, AuditEntry, AuditEvent } from '#shared/model/audit/audit-event.ts';

export interface AuditQuery {
  /**
   * At most this many of the newest matching entries. 0 returns none, a negative number all stored entries (AUD-03).
   */
  readonly limit: number;
  /** Equality filters, applied before the limit. Empty or undefined means no filter (AUD-04). */
  readonly event_type?: string | undefined;
  readonly username?: string | undefined;
  readonly client_id?: string | undefined;
  /** Includes what the entries store of the requests themselves. */
  readonly withRequests?: boolean;
}

export interface AuditLog {
  /**
   * Records one event. Resolves once it is committed and every process can read it (AUD-09). Events of one event-loop
   * turn share a commit. `done` marks an event whose effect cannot be undone (a code is used, a key rotated). When the
   * audit is unavailable, such an event does not fail: it waits in the runtime store, and every reader of the audit
   * fetches it before reading.
   * @throws RuntimeStoreUnavailableError when the audit stays locked for longer than 5 s or has no space left. For
   * `done` events, only when the runtime store is in that state too.
   */
  record(event: AuditEvent, options?: { readonly done?: boolean }): Promise<void>;
  /** Returns the selected entries, oldest first. */
  read(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /**
   * Returns the same entries in pieces, as they were when the first piece was requested. Entries that are cleared or
   * evicted since are left out, and entries recorded since are not added. Each piece comes in its own event-loop turn,
   * so that reading a full audit delays no other request.
   */
  pieces(query: AuditQuery): AsyncIterable<readonly AuditEntry[]>;
  counters(): Promise<AuditCounters>;
  /** Deletes all entries and resets the counters. */
  clear(): Promise<void>;
  close(): Promise<void>;
}
