// The one clock of a request (TIM-09).
import type { MovableClock } from '#shared/domain/movable-clock.ts';
import type { Namespace } from '../namespace.ts';

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

  /** For those who come before that, or have no need of it. A promise only where the store has to be waited for. */
  looked(): MovableClock | Promise<MovableClock> {
    if (this.#seen !== undefined) return this.#seen;
    const looking = this.#namespace.store.clock.look();
    return looking instanceof Promise ? looking.then(() => this.asSeen()) : this.asSeen();
  }
}
