// Detects whether code runs inside a piece of work, across any number of awaits. Work that would wait for itself then
// fails at once instead of hanging.
import { AsyncLocalStorage } from 'node:async_hooks';

export class AsyncScope<Value> {
  readonly #storage = new AsyncLocalStorage<{ readonly value: Value; hasEnded: boolean }>();
  #underWay = 0;

  /** The value of the work that the caller is part of; undefined outside, and once that work has ended. */
  get value(): Value | undefined {
    const entry = this.#storage.getStore();
    return entry === undefined || entry.hasEnded ? undefined : entry.value;
  }

  async run<Result>(value: Value, work: () => Result | Promise<Result>): Promise<Result> {
    const entry = { value, hasEnded: false };
    this.#underWay += 1;
    try {
      return await this.#storage.run(entry, work);
    } finally {
      entry.hasEnded = true;
      this.#underWay -= 1;
      // While it is enabled, every promise of the process costs more, including those of each token request.
      if (this.#underWay === 0) this.#storage.disable();
    }
  }
}
