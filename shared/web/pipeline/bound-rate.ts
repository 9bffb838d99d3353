// The rate limit of /token and /register, while one is active. It limits POST alone: other methods on the path are not
// counted (HDR-14, HDR-15).
import { type RateLimit, refuseBeyondRate } from '#shared/engine/exchange/rate-limit.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { RoutedExchange } from './exchange.ts';

/** Rejects a request beyond the limit. */
export function boundRate(exchange: RoutedExchange): Promise<Reply | undefined> | undefined {
  const { route, message, frontend } = exchange;
  const { rate } = frontend.rules;
  if (route.rateBucket === undefined || rate === undefined || message.method !== 'POST') return undefined;
  return count(route.rateBucket, rate, exchange);
}

async function count(
  rateBucket: string,
  rate: RateLimit,
  { message, namespace, clock, frontend: { rules, relayed } }: RoutedExchange,
): Promise<Reply | undefined> {
  const address = rules.addressOf(message, relayed) ?? 'unknown';
  const bucket = `${rateBucket}:${address}`;
  return refuseBeyondRate(namespace.store.rateCounters, rate, bucket, (await clock.refresh()).now());
}
