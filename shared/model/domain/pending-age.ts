// How old a record is that waits for a person, or a use of an assertion, by both clocks: the namespace's, which a tester moves, and the machine's. Only what
// both call young counts toward the bound of its kind, so that a clock moved forward and back fills no bound (TIM-20).
import { type Instant, instant, plusSeconds } from '#shared/base/clock.ts';

/** A used assertion or proof is remembered so much longer than it counts: verifiers allow for clocks that are off. */
const assertionGraceSeconds = 300;

/** Until when a use is remembered, by the clock of the namespace and by real time. */
export function memoryOfAssertion(expiresAt: Instant, now: Instant, real: Instant) {
  const expires_at = plusSeconds(expiresAt, assertionGraceSeconds);
  // At least so long, however soon it ends: it counted a moment ago.
  const soonest = plusSeconds(real, assertionGraceSeconds);
  return { expires_at, real_until: instant(Math.max(realEndOf(expires_at, now, real), soonest)) };
}

/** The real moment from which a record no longer counts: as far from `real` as `end` is from `now`. */
export function realEndOf(end: Instant, now: Instant, real: Instant): Instant {
  return instant(real + (end - now));
}
