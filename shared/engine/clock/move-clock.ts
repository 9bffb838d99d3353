// Moves the clock of a namespace, for REST, page and tool (TIM-02 to TIM-08, TIM-28).
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import {
  auditMoment,
  type ClockDescription,
  type ClockMove,
  type ClockState,
  clockAt,
  describeClock,
  type MovableClock,
  readClock,
} from '#shared/model/domain/movable-clock.ts';
import { sessionLimits } from '#shared/model/domain/session.ts';
import type { ClockChange, NamespaceClock } from '#shared/state/store/ports/clock.ts';

interface MovedClock {
  readonly state: ClockState;
  readonly description: ClockDescription;
}

interface MovingContext {
  readonly store: { readonly clock: NamespaceClock };
  readonly clock: MovableClock;
  /** The namespace's active snapshot: its lifetimes show which sessions expired before a move back (TIM-20). */
  readonly snapshot: Pick<ConfigurationSnapshot, 'settings'>;
}

type WhoMoves = Omit<AuditEvent, 'event_type' | 'at' | 'clock' | 'status' | 'details'>;

/**
 * Records one event when anything changed. `out_of_range`: nothing changed, because the clock would have left its
 * bounds (TIM-05).
 */
export async function moveClock(
  move: ClockMove,
  who: WhoMoves,
  { store, clock, snapshot }: MovingContext,
): Promise<MovedClock | 'out_of_range'> {
  const real = clock.real();
  const changed = ({ from, to }: ClockChange): AuditEvent => {
    const { now, offset_seconds, frozen } = describeClock(to, real);
    return {
      ...who,
      event_type: 'clock_changed',
      ...auditMoment(clockAt(to, { now: () => real })),
      status: 'success',
      details: { from: new Date(readClock(from, real)).toISOString(), to: now, offset_seconds, frozen },
    };
  };
  const change = await store.clock.move(move, real, changed, sessionLimits(snapshot.settings));
  return change === 'out_of_range' ? change : { state: change.to, description: describeClock(change.to, real) };
}
