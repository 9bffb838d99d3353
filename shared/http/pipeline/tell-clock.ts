// The clock of a request, and the last stage: while the clock of the namespace is moved, every answer says what time it is
// there, static files excepted, and every page shows it (TIM-24, TIM-26).
import { type ClockState, describeClock, isMoved, type MovableClock } from '#shared/domain/movable-clock.ts';
import { withClockBanner } from '#shared/pages/clock-banner.tsx';
import type { Namespace } from '../namespace.ts';
import { type Reply, withHeaders } from '../reply.ts';
import type { Exchange } from './exchange.ts';

export const clockHeader = 'X-Test-Idp-Clock';

/** No request mixes two clocks: whoever asks first decides when the one of this request was seen (TIM-09). */
export class PinnedClock {
  readonly #namespace: Namespace;
  #seen: MovableClock | undefined;

  constructor(namespace: Namespace) {
    this.#namespace = namespace;
  }

  /** For those who have looked at the store for this request already, as for the configuration in force. */
  asSeen(): MovableClock {
    this.#seen ??= this.#namespace.clockOfRequest();
    return this.#seen;
  }

  /** For those who come before that, or have no need of it. */
  looked(): MovableClock {
    if (this.#seen === undefined) this.#namespace.store.clock.look();
    return this.asSeen();
  }
}

export function tellClock(reply: Reply, { clock }: Exchange): Reply {
  const { state, real } = clock.looked();
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
