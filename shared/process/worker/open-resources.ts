// What was opened one after the other, and is closed the other way round: what was opened later may use what was there
// before. Whoever opens says how it is closed in the same breath, so that an opening that fails half-way leaves nothing.

/** What is under way still gets so long; undefined: as long as it bounds itself. */
type Close = (millisecondsLeft: number | undefined) => unknown;

export class OpenResources {
  readonly #closes: Close[] = [];

  add(close: Close): void {
    this.#closes.push(close);
  }

  /** All of it, also where one of them fails. @throws what failed first */
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
