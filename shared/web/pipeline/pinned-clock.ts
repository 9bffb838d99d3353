// The clock by which one request goes from beginning to end (TIM-09).

import type { Namespace } from '#shared/engine/exchange/namespace.ts';
import type { MovableClock } from '#shared/model/domain/movable-clock.ts';

/** Whoever needs the clock of a request first settles what it says for all who come later, so that no request mixes two (TIM-09). */
export class PinnedClock {
  readonly #namespace: Namespace;
  #seen: MovableClock | undefined;

  constructor(namespace: Namespace) {
    this.#namespace = namespace;
  }

  /** The clock as of the last look at the store: for stages behind one that has looked for this request, as for the configuration. */
  cached(): MovableClock {
    this.#seen ??= this.#namespace.clockOfRequest();
    return this.#seen;
  }

  /** The clock after a look at the store: for stages that come before any such look. A promise only where the store is waited for. */
  refresh(): MovableClock | Promise<MovableClock> {
    if (this.#seen !== undefined) return this.#seen;
    const looking = this.#namespace.store.clock.refresh();
    return looking instanceof Promise ? looking.then(() => this.cached()) : this.cached();
  }
}
