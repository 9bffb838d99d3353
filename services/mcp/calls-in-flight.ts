// Counts the calls that have begun and not ended, so that a draining process finishes them: an editor that goes away in
// the middle of a save leaves whole files behind.

/** A process that is asked to end waits so long for its calls and their answers (SUP-09). */
const graceMilliseconds = 10_000;

export class CallsInFlight {
  readonly #calls = new Set<Promise<unknown>>();

  async track<Result>(call: Promise<Result>): Promise<Result> {
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Resolves when no call is left. */
  async settled(): Promise<void> {
    while (this.#calls.size > 0) await Promise.allSettled(this.#calls);
  }
}

/** Waits for what is still to be done, the grace time at most. */
export async function withinGrace(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMilliseconds);
  });
  await Promise.race([work, grace]);
  clearTimeout(timer);
}
