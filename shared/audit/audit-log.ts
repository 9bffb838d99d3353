// The port of the audit: one log for all processes of a store, read in the order recorded (AUD-02, AUD-08, AUD-09).
import type { AuditEntry, AuditEvent, AuditStatistics } from './audit-event.ts';

export interface AuditQuery {
  /** The newest so many of those that match; 0 none; negative: all kept entries (AUD-03). */
  readonly limit: number;
  /** Equality filters, applied before the limit; empty or undefined is no filter (AUD-04). */
  readonly event_type?: string | undefined;
  readonly username?: string | undefined;
  readonly client_id?: string | undefined;
}

export interface AuditLog {
  /**
   * Records one event. Resolves once it is committed and every process can read it (AUD-09); events that arrive in one
   * turn of the event loop share a commit.
   * @throws RuntimeStoreUnavailableError when the audit stays locked for longer than 5 s.
   */
  record(event: AuditEvent): Promise<void>;
  /** Oldest of the selected first. */
  read(query: AuditQuery): Promise<readonly AuditEntry[]>;
  statistics(): Promise<AuditStatistics>;
  /** Empties entries and counters. */
  clear(): Promise<void>;
  close(): Promise<void>;
}
