// The last stage before the answer is sent: while the clock of the namespace is moved, every answer says what time it is there, static files
// excepted, and every page shows it (TIM-24, TIM-26).

import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import { type ClockState, describeClock, isMoved } from '#shared/model/domain/movable-clock.ts';
import { withClockBanner } from '#shared/web/pages/clock-banner.tsx';
import type { Exchange } from './exchange.ts';

const clockHeader = 'X-Test-Idp-Clock';

/** Tells the clock of the request; to be used where the request has asked for it, or `clock.looked()` was. */
export function tellClock(reply: Reply, { clock }: Exchange): Reply {
  const { state, real } = clock.asSeen();
  const told: ClockState = reply.clock ?? state;
  if (!isMoved(told)) return reply;
  const description = describeClock(told, real());
  const { 'Content-Type': mediaType } = reply.headers;
  const isPage = typeof mediaType === 'string' && mediaType.startsWith('text/html') && typeof reply.body === 'string';
  return {
    ...withHeaders(reply, { [clockHeader]: description.now }),
    ...(isPage ? { body: withClockBanner(String(reply.body), description) } : {}),
  };
}
