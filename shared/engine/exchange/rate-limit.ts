// The rate of /token and /register. The store counts it for all processes together (SUP-12). It is fixed at process
// start (ACT-17).
import type { Instant } from '#shared/base/clock.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import type { RateCounters } from '#shared/state/store/ports/index.ts';
import { refusalReply } from './refusal-reply.ts';
import { type Reply, withHeaders } from './reply.ts';

const windows: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600, day: 86400 };

export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** `<positive integer>/<second, minute, hour or day>`; undefined for anything else (CFG-K08). */
export function parseRate(text: string): RateLimit | undefined {
  const match = /^([1-9][0-9]{0,8})\/(second|minute|hour|day)$/.exec(text.trim());
  const windowSeconds = windows[match?.[2] ?? ''];
  return windowSeconds === undefined ? undefined : { limit: Number(match?.[1]), windowSeconds };
}

/**
 * Counts the request, and returns the rejection when it exceeds the rate (HDR-14). It carries no no-store headers
 * (HDR-02).
 */
export async function refuseBeyondRate(
  counters: RateCounters,
  rate: RateLimit,
  bucket: string,
  now: Instant,
): Promise<Reply | undefined> {
  const wait = await counters.count(bucket, rate.limit, rate.windowSeconds, now);
  if (wait === undefined) return undefined;
  const seconds = Math.max(1, Math.ceil(wait));
  const refusal = refusalReply(httpRefusals.rate_limit_exceeded, { ...rate, wait: seconds });
  return withHeaders(refusal, { 'Retry-After': String(seconds) });
}
