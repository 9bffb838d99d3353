// Of the operations of one process that name the same thing one goes on at a time, in the order of asking. The database would
// let them wait as well, but in an order of its own, and each with one of the few sessions.

/** A place in one or several queues. */
interface PlaceInQueues {
  /** Everybody before has gone; undefined: nobody was there. */
  readonly ready: Promise<unknown> | undefined;
  /** Whoever is next may go. */
  end(): void;
}

export class NamedQueues {
  readonly #last = new Map<string, Promise<unknown>>();

  /** In all queues at once, so that two never wait for each other. */
  take(names: readonly string[]): PlaceInQueues {
    if (names.length === 0) return { ready: undefined, end: () => undefined };
    const before = names.map((name) => this.#last.get(name)).filter((last) => last !== undefined);
    const ready = before.length === 0 ? undefined : Promise.all(before);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    // Who gave up waiting still keeps those behind waiting for those before.
    const over = ready === undefined ? ended : ready.then(() => ended);
    for (const name of names) this.#last.set(name, over);
    void over.then(() => {
      for (const name of names) if (this.#last.get(name) === over) this.#last.delete(name);
    });
    return { ready, end };
  }
}
