// Counts the calls in progress, so that a draining process finishes them: even if an editor exits during a save, the
// files are complete.

/** How long a process that is stopped waits for its calls and their responses (SUP-09). */
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

/** Waits for the remaining work, the grace time at most. */
export async function withinGrace(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMilliseconds);
  });
  await Promise.race([work, grace]);
  clearTimeout(timer);
}
