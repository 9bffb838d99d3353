// Runs work that must not overlap within a process one after the other, in the order requested. Work that requests
// another turn would wait for itself, so that request fails at once.
//
// Work behind other work that waits for the directory lock waits for that lock as well. That time counts as its own, so
// that its limit runs from its own request.
import type { Monotonic, Stopwatch } from '#shared/base/clock.ts';
import { AsyncScope } from './async-scope.ts';
import type { LockWaits } from './observe-directory.ts';

export class SerialQueue implements LockWaits {
  #last: Promise<unknown> = Promise.resolve();
  readonly #stopwatch: Stopwatch;
  /** The total time that all work so far has waited for the lock. */
  #waitedMilliseconds = 0;
  /** The time since which the running work waits for the lock. */
  #waitingSince: Monotonic | undefined;
  readonly #enclosing = new AsyncScope<{ readonly waitedBefore: number }>();

  readonly #afterEach: () => Promise<void>;

  /** `afterEach` is part of each turn, whether it succeeds or fails, and never rejects. */
  constructor(stopwatch: Stopwatch, afterEach: () => Promise<void> = async () => {}) {
    this.#stopwatch = stopwatch;
    this.#afterEach = afterEach;
  }

  /** The caller is part of the running work. */
  get isRunningCaller(): boolean {
    return this.#enclosing.value !== undefined;
  }

  get chargedMilliseconds(): number {
    const mine = this.#enclosing.value;
    return mine === undefined ? 0 : this.#waited() - mine.waitedBefore;
  }

  beginWait(): () => void {
    if (!this.isRunningCaller) return () => {};
    this.#waitingSince = this.#stopwatch.read();
    return () => {
      this.#waitedMilliseconds = this.#waited();
      this.#waitingSince = undefined;
    };
  }

  #waited(): number {
    const now = this.#waitingSince === undefined ? 0 : this.#stopwatch.since(this.#waitingSince);
    return this.#waitedMilliseconds + now;
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.isRunningCaller)
      return Promise.reject(new Error('Running work in this queue cannot wait for further work in it.'));
    const request = { waitedBefore: this.#waited() };
    const turn = this.#last.then(() => this.#enclosing.run(request, () => work().finally(this.#afterEach)));
    this.#last = turn.catch(() => {});
    return turn;
  }
}
