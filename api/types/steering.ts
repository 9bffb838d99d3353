// The clock, faults, the audit and verdicts of an instance.
import type { AuditEntry, Clock as ClockState, Fault, FaultName, Operations } from '../operations.ts';
import type { Duration } from './acting.ts';

export type { AuditEntry, Fault, FaultName } from '../operations.ts';

/** The instance's time, its offset from real time, and whether it is frozen. */
export type ClockView = ClockState;

/** A Date, or an RFC 3339 string. */
export type Moment = string | { toISOString(): string };

export interface Clock {
  /** Returns the instance's time. */
  read(): Promise<ClockView>;
  advance(by: Duration): Promise<ClockView>;
  /** Sets the time. The clock runs on from there, unless it is frozen. */
  set(moment: Moment): Promise<ClockView>;
  /** Freezes the clock, at the given time if there is one. */
  freeze(moment?: Moment): Promise<ClockView>;
  /** Returns to real time, and ends a freeze. */
  reset(): Promise<ClockView>;
}

/** The fault, where it applies and how often: the body of POST /api/faults. `docs/faults.md` lists the faults. */
export type FaultOrder = Operations['createFault']['body'];

export interface Faults {
  add(fault: FaultName | FaultOrder): Promise<Fault>;
  list(): Promise<readonly Fault[]>;
  /** Deletes the added faults, or the one with this id. Returns the number of deleted faults. */
  clear(id?: string): Promise<number>;
}

export interface AuditFilter {
  readonly event_type?: string;
  readonly username?: string;
  readonly client_id?: string;
  readonly status?: AuditEntry['status'];
}

/** The client, the SAML service provider (its Issuer) or the flow whose requests are judged. */
export type VerdictSubject = ({ readonly client_id: string } | { readonly sp: string } | { readonly flow: string }) & {
  /** The cursor of an expectation. Only later requests are judged. */
  readonly after?: string;
};
