// Operations of one process that name the same object run one at a time, in the order of their calls. The database
// would make them wait too, but in its own order, and each would hold one of the few sessions meanwhile.

/** The place of one operation in one or several queues. */
interface PlaceInQueues {
  /** Resolves when every earlier operation is done. undefined: there was none. */
  readonly ready: Promise<unknown> | undefined;
  /** Lets the next operation run. */
  end(): void;
}

export class NamedQueues {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Takes a place in all queues at once, so that two operations never deadlock. */
  enter(names: readonly string[]): PlaceInQueues {
    if (names.length === 0) return { ready: undefined, end: () => undefined };
    const before = names.map((name) => this.#last.get(name)).filter((last) => last !== undefined);
    const ready = before.length === 0 ? undefined : Promise.all(before);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    // After an operation times out, the operations behind it still wait for those before it.
    const over = ready === undefined ? ended : ready.then(() => ended);
    for (const name of names) this.#last.set(name, over);
    void over.then(() => {
      for (const name of names) if (this.#last.get(name) === over) this.#last.delete(name);
    });
    return { ready, end };
  }
}
