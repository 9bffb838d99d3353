// Moments as SAML documents write them: UTC, whole seconds, `Z` (SAML core §1.3.3, SAM-47).
import { type Instant, instant, plusSeconds } from '#shared/clock.ts';

/** The one moment of a document; everything in it that means now, or a distance from now, is made from this. */
export function documentMoment(now: Instant): Instant {
  return instant(Math.floor(now / 1000) * 1000);
}

export function samlInstant(moment: Instant): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`;
}

export function samlInstantAfter(moment: Instant, seconds: number): string {
  return samlInstant(plusSeconds(moment, seconds));
}
