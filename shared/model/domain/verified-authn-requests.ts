// The signed redirect requests that one browser sent and that were verified, as digests, the newest last: so many, each for
// a while, which a hit renews (SAM-28, SAM-29).
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

/** What is remembered from now on; undefined: this one is not. */
export function recallAuthnRequest(remembered: Remembered, digest: string, now: Instant): Remembered | undefined {
  const isKnown = remembered.some((request) => request.digest === digest && now < request.until);
  if (!isKnown) return undefined;
  const until = plusSeconds(now, verifiedRequestSeconds);
  return remembered.map((request) => (request.digest === digest ? { digest, until } : request));
}

/** When nothing of it is remembered any more. */
export function endOfMemory(remembered: Remembered): Instant | undefined {
  return remembered.reduce<Instant | undefined>(
    (latest, { until }) => (latest === undefined || until > latest ? until : latest),
    undefined,
  );
}
