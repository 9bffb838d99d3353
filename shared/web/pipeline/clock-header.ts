// The clock in a reply. While the clock of the namespace is moved, every response except static files names the time
// there, and every page shows it (TIM-24, TIM-26).

import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import { type ClockState, describeClock, isMoved } from '#shared/model/domain/movable-clock.ts';
import { withClockBanner } from '#shared/web/pages/clock-banner.tsx';
import type { Exchange } from './exchange.ts';

const headerName = 'X-Test-Idp-Clock';

/** The reply with the clock of the request. Reads the clock if no earlier stage did. */
export function readClockHeader(reply: Reply, exchange: Exchange): Reply | Promise<Reply> {
  if (!exchange.tellsClock) return reply;
  const looked = exchange.clock.refresh();
  return looked instanceof Promise
    ? looked.then(() => withClockHeader(reply, exchange))
    : withClockHeader(reply, exchange);
}

/** The same for a request whose clock is known. */
export function withClockHeader(reply: Reply, { clock, tellsClock }: Exchange): Reply {
  if (!tellsClock) return reply;
  const { state, real } = clock.cached();
  const clockState: ClockState = reply.clock ?? state;
  if (!isMoved(clockState)) return reply;
  const description = describeClock(clockState, real());
  const { 'Content-Type': mediaType } = reply.headers;
  const isPage = typeof mediaType === 'string' && mediaType.startsWith('text/html') && typeof reply.body === 'string';
  return {
    ...withHeaders(reply, { [headerName]: description.now }),
    ...(isPage ? { body: withClockBanner(String(reply.body), description) } : {}),
  };
}
