// The port of the audit: one log for all processes of a store, read in the order recorded (AUD-02, AUD-08, AUD-09).
import type { AuditCounters, AuditEntry, AuditEvent } from '#shared/model/audit/audit-event.ts';

export interface AuditQuery {
  /** The newest so many of those that match; 0 none; negative: all kept entries (AUD-03). */
  readonly limit: number;
  /** Equality filters, applied before the limit; empty or undefined is no filter (AUD-04). */
  readonly event_type?: string | undefined;
  readonly username?: string | undefined;
  readonly client_id?: string | undefined;
  /** With what the entries keep of the requests themselves. */
  readonly withRequests?: boolean;
}

export interface AuditLog {
  /**
   * Records one event. Resolves once it is committed and every process can read it (AUD-09); events that arrive in one
   * turn of the event loop share a commit. When what it tells of is `done` and cannot be taken back (a code is spent, a key
   * rotated), an audit that cannot be had fails nothing: the event waits beside the runtime store, and every reader of the
   * audit fetches it before he reads.
   * @throws RuntimeStoreUnavailableError when the audit, and for what is done the runtime store too, stays locked for
   * longer than 5 s or has no room.
   */
  record(event: AuditEvent, options?: { readonly done?: boolean }): Promise<void>;
  /** Oldest of the selected first. */
  read(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /**
   * The same entries piece by piece, as they were at the first question: what is cleared or evicted since is left out, what
   * is recorded since does not come. Each piece comes in a turn of the event loop of its own, so that nobody has to wait
   * while a full audit is read.
   */
  pieces(query: AuditQuery): AsyncIterable<readonly AuditEntry[]>;
  counters(): Promise<AuditCounters>;
  /** Empties entries and counters. */
  clear(): Promise<void>;
  close(): Promise<void>;
}
