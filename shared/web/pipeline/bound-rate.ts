// The rate of /token and /register, while a limit is in force. It bounds POST alone: what the path answers to
// other methods is not counted (HDR-14, HDR-15).
import { refuseBeyondRate } from '#shared/engine/exchange/rate-limit.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import type { Exchange, FrontendParts } from './exchange.ts';

/** The refusal of a request that is one too many. */
export async function boundRate(
  route: Route,
  { message, namespace, clock }: Exchange,
  { rules, relayed }: FrontendParts,
): Promise<Reply | undefined> {
  if (route.rateBucket === undefined || rules.rate === undefined || message.method !== 'POST') return undefined;
  const address = rules.addressOf(message, relayed) ?? 'unknown';
  const bucket = `${route.rateBucket}:${address}`;
  return refuseBeyondRate(namespace.store.rateCounters, rules.rate, bucket, (await clock.looked()).now());
}
