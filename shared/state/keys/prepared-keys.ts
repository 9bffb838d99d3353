// Keys drawn before they are needed: an RSA key takes longer than everything else of a creation together. Nothing is drawn
// before the first one was asked for, so that a stack without sandboxes pays nothing, and none while many are asked for in
// a row: who asks then gets its key at its first use, and nobody waits behind keys that are made ahead.

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

  /** One that lies ready, at once; some are prepared once nobody has asked for a while. */
  takeReady(): Key | undefined {
    this.#prepareSoon();
    return this.#ready.shift();
  }

  /** One that lies ready, or a new one. */
  async take(): Promise<Key> {
    return this.takeReady() ?? this.#draw();
  }

  #prepareSoon(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => void this.#fill(), quietMilliseconds);
    this.#quiet.unref();
  }

  /** One after the other: signing needs the thread pool, too. */
  async #fill(): Promise<void> {
    if (this.#drawing || this.#ready.length >= preparedMax) return;
    this.#drawing = true;
    try {
      this.#ready.push(await this.#draw());
      this.#prepareSoon();
    } catch {
      // The next one who asks draws one, and hears what is wrong.
    } finally {
      this.#drawing = false;
    }
  }
}
