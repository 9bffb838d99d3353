// A namespace's clock: it runs at an offset from real time, or is frozen (TIM-02 to TIM-08).
import { type Clock, type Instant, instant, systemClock } from '#shared/base/clock.ts';

export interface ClockState {
  /** How far a running clock is ahead of real time. 0 while it is frozen. */
  readonly offsetMilliseconds: number;
  /** The time at which it is frozen. undefined while it runs. */
  readonly frozenAt: Instant | undefined;
}

export const realTime: ClockState = { offsetMilliseconds: 0, frozenAt: undefined };

/** At most one instruction for the time, and one for whether the clock is frozen. `reset`: real time, running. */
export interface ClockMove {
  readonly to?:
    | { readonly by: 'offset'; readonly milliseconds: number }
    | { readonly by: 'advance'; readonly milliseconds: number }
    | { readonly by: 'instant'; readonly at: Instant }
    | { readonly by: 'reset' };
  readonly frozen?: boolean;
}

/** The limits of the clock, both inclusive (TIM-05). */
export const earliestInstant = instant(Date.UTC(2000, 0, 1));
export const latestInstant = instant(Date.UTC(2099, 11, 31, 23, 59, 59));

/** The clock's time at a moment of real time. */
export function readClock({ offsetMilliseconds, frozenAt }: ClockState, real: Instant): Instant {
  return frozenAt ?? instant(real + offsetMilliseconds);
}

/** A namespace's clock with its state. */
export interface MovableClock extends Clock {
  readonly state: ClockState;
  /** Real time, which the audit uses (TIM-27). */
  real(): Instant;
}

/** A namespace's clock that reads its state at every reading. */
export function movableClock(state: () => ClockState, real: Clock = systemClock): MovableClock {
  return {
    get state() {
      return state();
    },
    now: () => readClock(state(), real.now()),
    real: () => real.now(),
  };
}

/** The clock of one request. A move during the request does not affect it (TIM-09). */
export function clockAt(state: ClockState, real?: Clock): MovableClock {
  return movableClock(() => state, real);
}

/** The time of an audit event: real time, and the namespace's clock while that is moved (TIM-27). */
export interface AuditMoment {
  readonly at: Instant;
  readonly clock?: Instant;
}

export function auditMoment(clock: MovableClock): AuditMoment {
  const at = clock.real();
  return isMoved(clock.state) ? { at, clock: clock.now() } : { at };
}

/** A clock in responses (TIM-01): instants in RFC 3339, the distance in seconds. */
export interface ClockDescription {
  readonly now: string;
  readonly real_now: string;
  readonly offset_seconds: number;
  readonly frozen: boolean;
  readonly moved: boolean;
}

/** `real` is the time of the request. The distance of a frozen clock changes with every second. */
export function describeClock(state: ClockState, real: Instant): ClockDescription {
  const now = readClock(state, real);
  return {
    now: new Date(now).toISOString(),
    real_now: new Date(real).toISOString(),
    offset_seconds: (now - real) / 1000,
    frozen: state.frozenAt !== undefined,
    moved: isMoved(state),
  };
}

export function isMoved({ offsetMilliseconds, frozenAt }: ClockState): boolean {
  return offsetMilliseconds !== 0 || frozenAt !== undefined;
}

/** The clock after a move at a moment of real time. */
export function moveClock(state: ClockState, { to, frozen }: ClockMove, real: Instant): ClockState | 'out_of_range' {
  if (to?.by === 'reset') return realTime;
  const now = targetOf(state, to, real);
  if (now < earliestInstant || now > latestInstant) return 'out_of_range';
  const stands = frozen ?? state.frozenAt !== undefined;
  return stands ? { offsetMilliseconds: 0, frozenAt: now } : { offsetMilliseconds: now - real, frozenAt: undefined };
}

function targetOf(state: ClockState, to: Exclude<ClockMove['to'], { by: 'reset' }>, real: Instant): Instant {
  if (to === undefined) return readClock(state, real);
  if (to.by === 'instant') return to.at;
  return instant(to.milliseconds + (to.by === 'offset' ? real : readClock(state, real)));
}

const units = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** `2 days 3 hours ahead of real time`: at most two units. */
export function distanceFromRealTime(seconds: number): string {
  let left = Math.abs(seconds);
  const words: string[] = [];
  for (const [length, name] of units) {
    const count = Math.floor(left / length);
    if (count === 0 || words.length === 2) continue;
    left -= count * length;
    words.push(`${count} ${name}${count === 1 ? '' : 's'}`);
  }
  const distance = words.length === 0 ? 'less than a second' : words.join(' ');
  return `${distance} ${seconds < 0 ? 'behind' : 'ahead of'} real time`;
}
