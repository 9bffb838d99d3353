// Moments as SAML documents have them (SAML core §1.3.3): read as UTC where they name no time zone, written in UTC, whole
// seconds, `Z` (SAM-47).
import { type Instant, instant, plusSeconds } from '#shared/base/clock.ts';

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

/** The moment of an xs:dateTime, which is in UTC unless it says otherwise, whatever the time zone of the machine; undefined: none. */
export function readSamlInstant(written: string | undefined): Instant | undefined {
  if (written === undefined || !/^\d{4}-\d\d-\d\dT/.test(written)) return undefined;
  const moment = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(written) ? written : `${written}Z`);
  return Number.isNaN(moment) ? undefined : instant(moment);
}
