// Open resources, closed in reverse order, because a later one may use an earlier one. The opener registers the close
// function together with the resource, so that a start that fails half-way leaves nothing open.

/** Pending work gets this much time. undefined: no limit but its own. */
type Close = (millisecondsLeft: number | undefined) => unknown;

export class OpenResources {
  readonly #closes: Close[] = [];

  add(close: Close): void {
    this.#closes.push(close);
  }

  /** Closes all resources, even when one of them fails. @throws the first error */
  async close(millisecondsLeft?: number): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closes.splice(0).reverse()) {
      try {
        await close(millisecondsLeft);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
