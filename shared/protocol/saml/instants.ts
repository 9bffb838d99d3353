// Times in SAML documents (SAML core §1.3.3): read as UTC if they have no time zone, written in UTC, whole seconds, `Z`
// (SAM-47).
import { type Instant, instant, plusSeconds } from '#shared/base/clock.ts';

/** The one time of a document. Every "now" in it, and every time relative to now, derives from this. */
export function documentMoment(now: Instant): Instant {
  return instant(Math.floor(now / 1000) * 1000);
}

export function samlInstant(moment: Instant): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`;
}

export function samlInstantAfter(moment: Instant, seconds: number): string {
  return samlInstant(plusSeconds(moment, seconds));
}

/**
 * Parses an xs:dateTime. Without a time zone it is UTC, regardless of the machine's time zone. undefined: not
 * a valid time.
 */
export function readSamlInstant(written: string | undefined): Instant | undefined {
  if (written === undefined || !/^\d{4}-\d\d-\d\dT/.test(written)) return undefined;
  const moment = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(written) ? written : `${written}Z`);
  return Number.isNaN(moment) ? undefined : instant(moment);
}
