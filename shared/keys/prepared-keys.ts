// Keys drawn before they are needed: an RSA key takes longer than everything else of a creation together. Nothing is drawn
// before the first one was asked for, so that a stack without sandboxes pays nothing.
import { generateRsaKeyPair, type KeyPair } from './rsa-key-pair.ts';

const preparedMax = 4;

export class PreparedKeys {
  readonly #draw: () => Promise<KeyPair>;
  readonly #ready: KeyPair[] = [];
  #drawing: Promise<void> | undefined;

  constructor(draw: () => Promise<KeyPair> = generateRsaKeyPair) {
    this.#draw = draw;
  }

  /** One that lies ready, at once; from now on some are prepared. */
  takeReady(): KeyPair | undefined {
    const taken = this.#ready.shift();
    this.prepare();
    return taken;
  }

  /** One that lies ready, or a new one. */
  async take(): Promise<KeyPair> {
    return this.takeReady() ?? this.#draw();
  }

  /** One after the other: signing needs the thread pool, too. */
  prepare(): void {
    this.#drawing ??= this.#fill().finally(() => {
      this.#drawing = undefined;
    });
  }

  async #fill(): Promise<void> {
    while (this.#ready.length < preparedMax) this.#ready.push(await this.#draw());
  }
}
