// The clock, faults, the audit and verdicts of an instance.
import type { Duration } from './acting.ts';

export interface ClockView {
  /** RFC 3339. */
  readonly now: string;
  readonly offset_seconds: number;
  readonly frozen: boolean;
}

export interface Clock {
  /** What time it is there. */
  read(): Promise<ClockView>;
  advance(by: Duration): Promise<ClockView>;
  /** From now on it is this moment there: a Date, or an RFC 3339 text. */
  set(moment: string | { toISOString(): string }): Promise<ClockView>;
  /** Stands still, at this moment where one is given. */
  freeze(moment?: string | { toISOString(): string }): Promise<ClockView>;
  /** Real time again. */
  reset(): Promise<ClockView>;
}

/** What goes wrong, where and how often: the body of POST /api/faults. `docs/faults.md` lists the faults. */
export interface FaultOrder {
  readonly fault: string;
  readonly [member: string]: unknown;
}

export interface Fault {
  readonly id: string;
  readonly fault: string;
  /** How often it fired. */
  readonly hits: number;
  /** How often it still fires; null: without end. */
  readonly remaining: number | null;
  readonly [member: string]: unknown;
}

export interface Faults {
  add(fault: string | FaultOrder): Promise<Fault>;
  list(): Promise<readonly Fault[]>;
  /** All that were added, or the one of this id. Answers how many went. */
  clear(id?: string): Promise<number>;
}

export interface AuditEntry {
  readonly timestamp: string;
  readonly clock: string | null;
  readonly event_type: string;
  readonly status: string;
  readonly username: string | null;
  readonly client_id: string | null;
  readonly endpoint: string | null;
  readonly method: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditFilter {
  readonly event_type?: string;
  readonly username?: string;
  readonly client_id?: string;
  readonly status?: string;
}

/** The client, the SAML service provider (its Issuer) or the one flow whose requests are judged. */
export type VerdictSubject = ({ readonly client_id: string } | { readonly sp: string } | { readonly flow: string }) & {
  /** The cursor of an expectation: only what was recorded later is judged. */
  readonly after?: string;
};
