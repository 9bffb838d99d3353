// The clock of a namespace, shared by all its processes (TIM-06 to TIM-11).

import type { Instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { ClockMove, ClockState } from '#shared/model/domain/movable-clock.ts';
import type { SessionLimits } from '#shared/model/domain/session.ts';

export interface NamespaceClock {
  /**
   * Returns the clock as of the last read of the store, which also reads the newest generation (decision 4). It costs
   * nothing. It is not atomic with any operation: a caller that must not mix two clocks reads it once.
   */
  state(): ClockState;
  /**
   * Reads the store now, for callers that have not queried it otherwise. Never fails: when the store is locked by
   * another process or does not respond at once, the previous state stays. Returns a promise only where the store is
   * outside this process.
   */
  refresh(): ClockState | Promise<ClockState>;
  /**
   * Moves the clock from its current time: simultaneous advances add up (TIM-08). A move backwards first ends
   * permanently what is stored and expired (TIM-20). With `sessions`, which says how long sessions live, it ends
   * expired sessions too. When `event` is given and anything changed, exactly one event is recorded. `real` is a time
   * of the machine's clock.
   */
  move(
    move: ClockMove,
    real: Instant,
    event?: (change: ClockChange) => AuditEvent,
    sessions?: SessionLimits,
  ): Promise<ClockChange | 'out_of_range'>;
  /** Ends what waits for a user and began later than the clock's current time. A move to real time also does this. */
  endAhead(real: Instant): Promise<void>;
}

export interface ClockChange {
  readonly from: ClockState;
  readonly to: ClockState;
}
