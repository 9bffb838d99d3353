// The verified signed redirect requests of one browser, as digests, newest last. Limited in number and time, and a hit
// renews the time (SAM-28, SAM-29).
import { type Instant, plusSeconds } from '#shared/base/clock.ts';

export const verifiedRequestSeconds = 600;
const rememberedMax = 10;

export interface RememberedRequest {
  readonly digest: string;
  readonly until: Instant;
}

type Remembered = readonly RememberedRequest[];

export function rememberAuthnRequest(remembered: Remembered, digest: string, now: Instant): Remembered {
  const others = remembered.filter((request) => request.digest !== digest && now < request.until);
  return [...others, { digest, until: plusSeconds(now, verifiedRequestSeconds) }].slice(-rememberedMax);
}

/** The digests to store after this request. undefined: this request is not stored. */
export function recallAuthnRequest(remembered: Remembered, digest: string, now: Instant): Remembered | undefined {
  const isKnown = remembered.some((request) => request.digest === digest && now < request.until);
  if (!isKnown) return undefined;
  const until = plusSeconds(now, verifiedRequestSeconds);
  return remembered.map((request) => (request.digest === digest ? { digest, until } : request));
}

/** When the last stored digest expires. */
export function endOfMemory(remembered: Remembered): Instant | undefined {
  return remembered.reduce<Instant | undefined>(
    (latest, { until }) => (latest === undefined || until > latest ? until : latest),
    undefined,
  );
}
