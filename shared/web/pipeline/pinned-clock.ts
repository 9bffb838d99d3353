// The clock that one request uses from beginning to end (TIM-09).

import type { Namespace } from '#shared/engine/exchange/namespace.ts';
import type { MovableClock } from '#shared/model/domain/movable-clock.ts';

/** The first stage that needs the clock fixes its value for all later stages, so that no request mixes two (TIM-09). */
export class PinnedClock {
  readonly #namespace: Namespace;
  #seen: MovableClock | undefined;

  constructor(namespace: Namespace) {
    this.#namespace = namespace;
  }

  /**
   * The clock as of the last read of the store. For stages after one that has read the store for this request, for
   * example for the configuration.
   */
  cached(): MovableClock {
    this.#seen ??= this.#namespace.clockOfRequest();
    return this.#seen;
  }

  /**
   * The clock after reading the store. For stages before any such read. Returns a promise only when the store has to be
   * awaited.
   */
  refresh(): MovableClock | Promise<MovableClock> {
    if (this.#seen !== undefined) return this.#seen;
    const looking = this.#namespace.store.clock.refresh();
    return looking instanceof Promise ? looking.then(() => this.cached()) : this.cached();
  }
}
