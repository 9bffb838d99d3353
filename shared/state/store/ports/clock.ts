// The clock of a namespace, shared by all its processes (TIM-06 to TIM-11).

import type { Instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { ClockMove, ClockState } from '#shared/model/domain/movable-clock.ts';
import type { SessionLimits } from '#shared/model/domain/session.ts';

export interface NamespaceClock {
  /**
   * As of the last look at the store, which is the one that also learns the newest generation (decision 4): costs
   * nothing. Not atomic with anything: who must not mix two clocks reads it once.
   */
  state(): ClockState;
  /**
   * Looks at the store now, for whoever answers without having asked it anything; never fails: a store that is held by
   * somebody else, or does not answer at once, leaves what was seen before. No promise where the store lies in the process.
   */
  refresh(): ClockState | Promise<ClockState>;
  /**
   * Moves the clock from where it then is: simultaneous advances add up (TIM-08). A move backwards first ends for good
   * what is stored and expired (TIM-20): sessions too, where `sessions` says how long they live. With an event, and when anything
   * changed, its one event is left too. `real` is a moment of the machine's clock.
   */
  move(
    move: ClockMove,
    real: Instant,
    event?: (change: ClockChange) => AuditEvent,
    sessions?: SessionLimits,
  ): Promise<ClockChange | 'out_of_range'>;
  /** Ends what waits for a person and began later than the clock says now; a move to real time does so, too. */
  endAhead(real: Instant): Promise<void>;
}

export interface ClockChange {
  readonly from: ClockState;
  readonly to: ClockState;
}
