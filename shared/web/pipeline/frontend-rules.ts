// Rules that are fixed at the start: CORS, rate limit, trusted hop, cookie secret (ACT-17).
import type { IncomingMessage } from 'node:http';
import { type CorsPolicy, corsPolicy } from '#shared/engine/exchange/cors.ts';
import { forwardedHost, type RequestOrigin, requestOrigin } from '#shared/engine/exchange/origin.ts';
import { parseRate, type RateLimit } from '#shared/engine/exchange/rate-limit.ts';
import type { StartValues } from '#shared/engine/exchange/start-values.ts';
import { connectionOf } from './relayed-connection.ts';

/** The values that a front end keeps from the configuration its stack started with. */
export interface FrontendRules {
  readonly cors: CorsPolicy;
  /** undefined: rate limiting is off. */
  readonly rate: RateLimit | undefined;
  /** session.secret_key, or undefined: the store's generated secret. */
  readonly declaredCookieSecret: string | undefined;
  originOf(message: IncomingMessage, relayed: boolean): RequestOrigin;
  addressOf(message: IncomingMessage, relayed: boolean): string | undefined;
  /** Also undefined while forwarded headers are not trusted. */
  forwardedHostOf(message: IncomingMessage): string | undefined;
}

export function frontendRules(atStart: StartValues): FrontendRules {
  const { trustForwarded, corsOrigins, rate, cookieSecret } = atStart;
  const originOf = (message: IncomingMessage, relayed: boolean): RequestOrigin => {
    return requestOrigin(message.headers, connectionOf(message, relayed), trustForwarded);
  };
  return {
    cors: corsPolicy(corsOrigins, atStart),
    rate: rate === undefined ? undefined : parseRate(rate),
    declaredCookieSecret: cookieSecret,
    originOf,
    addressOf: (message, relayed) => originOf(message, relayed).clientAddress,
    forwardedHostOf: (message) => forwardedHost(message.headers, trustForwarded),
  };
}
