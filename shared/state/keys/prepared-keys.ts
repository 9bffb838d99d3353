// Keys generated before they are needed, because an RSA key takes longer than everything else in a creation. The first
// is generated only after the first request, so that a stack without sandboxes has no cost. None is generated during a
// series of requests: the requester then generates its key at its first use, and does not wait behind prepared keys.

const preparedMax = 4;
const quietMilliseconds = 250;

export class PreparedKeys<Key> {
  readonly #draw: () => Promise<Key>;
  readonly #ready: Key[] = [];
  #quiet: NodeJS.Timeout | undefined;
  #drawing = false;

  constructor(draw: () => Promise<Key>) {
    this.#draw = draw;
  }

  /** Returns a prepared key at once, if there is one. Further keys are prepared after a pause of requests. */
  takeReady(): Key | undefined {
    this.#prepareSoon();
    return this.#ready.shift();
  }

  /** A prepared key, or a new one. */
  async take(): Promise<Key> {
    return this.takeReady() ?? this.#draw();
  }

  #prepareSoon(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => void this.#fill(), quietMilliseconds);
    this.#quiet.unref();
  }

  /** One after the other, because signing needs the thread pool, too. */
  async #fill(): Promise<void> {
    if (this.#drawing || this.#ready.length >= preparedMax) return;
    this.#drawing = true;
    try {
      this.#ready.push(await this.#draw());
      this.#prepareSoon();
    } catch {
      // The next requester generates a key itself, and gets the error.
    } finally {
      this.#drawing = false;
    }
  }
}
