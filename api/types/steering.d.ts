import type { AuditEntry, Clock as ClockState, Fault, FaultName, Operations } from '../operations.ts';
import type { Duration } from './acting.ts';

export type { AuditEntry, Fault, FaultName } from '../operations.ts';
/** What time it is there, how far that is from real time, and whether it stands. */
export type ClockView = ClockState;
/** A Date, or an RFC 3339 text. */
export type Moment =
  | string
  | {
      toISOString(): string;
    };
export interface Clock {
  /** What time it is there. */
  read(): Promise<ClockView>;
  advance(by: Duration): Promise<ClockView>;
  /** It is this moment there, and time goes on from it; a clock that stands stays there. */
  set(moment: Moment): Promise<ClockView>;
  /** Stands still, at this moment where one is given. */
  freeze(moment?: Moment): Promise<ClockView>;
  /** Real time again, also of a clock that stands. */
  reset(): Promise<ClockView>;
}
/** What goes wrong, where and how often: the body of POST /api/faults. `docs/faults.md` lists the faults. */
export type FaultOrder = Operations['createFault']['body'];
export interface Faults {
  add(fault: FaultName | FaultOrder): Promise<Fault>;
  list(): Promise<readonly Fault[]>;
  /** All that were added, or the one of this id. Answers how many went. */
  clear(id?: string): Promise<number>;
}
export interface AuditFilter {
  readonly event_type?: string;
  readonly username?: string;
  readonly client_id?: string;
  readonly status?: AuditEntry['status'];
}
/** The client, the SAML service provider (its Issuer) or the one flow whose requests are judged. */
export type VerdictSubject = (
  | {
      readonly client_id: string;
    }
  | {
      readonly sp: string;
    }
  | {
      readonly flow: string;
    }
) & {
  /** The cursor of an expectation: only what was recorded later is judged. */
  readonly after?: string;
};
