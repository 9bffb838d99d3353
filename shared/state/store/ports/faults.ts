import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { Fault, FaultOrder } from '#shared/model/domain/fault.ts';

export interface NewFault extends FaultOrder {
  readonly id: string;
  readonly unknownKey: string | undefined;
}

/** The faults of a namespace. Their times are real time, which the operations read themselves. */
export interface Faults {
  /**
   * Returns the faults that may still fire, in order of creation, as of the last read of the store (decision 4). It
   * costs nothing, and usually returns the same empty list.
   */
  inForce(): readonly Fault[];
  /** `full` while 1000 faults that may still fire are stored. Used-up and ended ones are evicted (FLT-14). */
  create(fault: NewFault, event?: AuditEvent): Promise<Fault | 'full'>;
  /** Returns all stored faults, used-up ones included, in order of creation. */
  list(): Promise<readonly Fault[]>;
  find(id: string): Promise<Fault | undefined>;
  delete(id: string, eventOf?: (fault: Fault) => AuditEvent): Promise<'deleted' | 'declared' | 'unknown'>;
  /** Deletes the runtime faults and returns their number. */
  deleteAll(eventOf?: (fault: Fault) => AuditEvent): Promise<number>;
  /**
   * Counts a request that met the conditions of these faults. Returns its number for each fault, 0 for a deleted one
   * (FLT-07).
   */
  meet(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Takes one of the times that a fault may fire. Of any number of simultaneous calls in all processes at most `times`
   * return true (FLT-18). The fault counts as fired even if the process dies afterwards.
   */
  claim(id: string): Promise<boolean>;
  /** Counts a fetch of the fault's material. */
  noteFetch(id: string): Promise<void>;
  /**
   * Replaces the declared faults with these, in this order. An existing entry keeps its id and its counts (FLT-33).
   * Identical entries make one fault each. `generation` is that of the declaring configuration: when a newer one is
   * accepted, nothing changes.
   */
  declare(faults: readonly NewFault[], generation?: number): Promise<void>;
}
