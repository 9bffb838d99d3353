import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { Fault, FaultOrder } from '#shared/model/domain/fault.ts';

export interface NewFault extends FaultOrder {
  readonly id: string;
  readonly unknownKey: string | undefined;
}

/** The faults of a namespace. Their times are real time, which the operations read themselves. */
export interface Faults {
  /**
   * The faults that may still fire, in the order of their creation, as of the last look at the store (decision 4): costs nothing,
   * and is the same empty list as a rule.
   */
  inForce(): readonly Fault[];
  /** `full` while 1000 are kept that may still fire; used-up and ended ones give way (FLT-14). */
  create(fault: NewFault, event?: AuditEvent): Promise<Fault | 'full'>;
  /** All that are kept, used-up ones included, in the order of their creation. */
  list(): Promise<readonly Fault[]>;
  find(id: string): Promise<Fault | undefined>;
  delete(id: string, eventOf?: (fault: Fault) => AuditEvent): Promise<'deleted' | 'declared' | 'unknown'>;
  /** Deletes the runtime ones; answers how many. */
  deleteAll(eventOf?: (fault: Fault) => AuditEvent): Promise<number>;
  /** Counts a request that met the conditions of these faults; answers the number it is for each, 0 for one that is gone (FLT-07). */
  meet(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Takes one of the times that a fault may fire: of any number of simultaneous calls through any processes no more than
   * `times` answer true (FLT-18). It counts as fired from then on, whatever becomes of the process.
   */
  claim(id: string): Promise<boolean>;
  /** Counts a fetch of its material. */
  noteFetch(id: string): Promise<void>;
  /**
   * The declared faults become these, in this order. An entry that was there before keeps its id and its counts (FLT-33);
   * a doubled entry is as many faults. `generation`: of the configuration that declares them; once a newer one was accepted
   * nothing is changed.
   */
  declare(faults: readonly NewFault[], generation?: number): Promise<void>;
}
