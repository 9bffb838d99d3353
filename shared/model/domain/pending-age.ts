// The age of a record that waits for a user, or of a used assertion, by two clocks: the namespace's, which a tester
// moves, and the machine's. Only records that are young by both count toward the limit of their kind. So moving a clock
// forward and back does not fill the limit (TIM-20).
import { type Instant, instant, plusSeconds } from '#shared/base/clock.ts';

/**
 * A used assertion or proof is stored this much longer than it is valid, because verifiers tolerate inaccurate clocks.
 */
const assertionGraceSeconds = 300;

/** The end of storage of a use, by the namespace's clock and by real time. */
export function memoryOfAssertion(expiresAt: Instant, now: Instant, real: Instant) {
  const expires_at = plusSeconds(expiresAt, assertionGraceSeconds);
  // At least this long, however soon it expires: it was valid a moment ago.
  const soonest = plusSeconds(real, assertionGraceSeconds);
  return { expires_at, real_until: instant(Math.max(realEndOf(expires_at, now, real), soonest)) };
}

/** The real time from which a record no longer counts: as far from `real` as `end` is from `now`. */
export function realEndOf(end: Instant, now: Instant, real: Instant): Instant {
  return instant(real + (end - now));
}
