// One after the other: work that must not overlap within a process waits for its turn, in the order it came. Work that
// has its turn and asks for another one would wait for itself for ever: it is refused at once.
//
// Work that waits behind other work that waits for the directory lock waits for that lock as well: that time counts as its
// own, so that it gives up as long after it came as if it had come alone.
import type { Monotonic, Stopwatch } from '#shared/base/clock.ts';
import { AsyncScope } from './async-scope.ts';
import type { LockWaits } from './observe-directory.ts';

export class SerialQueue implements LockWaits {
  #last: Promise<unknown> = Promise.resolve();
  readonly #stopwatch: Stopwatch;
  /** What all work so far has waited for the lock. */
  #waitedMilliseconds = 0;
  /** The moment since which the work that has its turn waits for the lock. */
  #waitingSince: Monotonic | undefined;
  readonly #enclosing = new AsyncScope<{ readonly waitedBefore: number }>();

  readonly #afterEach: () => Promise<void>;

  /** `afterEach` is part of each turn, however that ended, and never rejects. */
  constructor(stopwatch: Stopwatch, afterEach: () => Promise<void> = async () => {}) {
    this.#stopwatch = stopwatch;
    this.#afterEach = afterEach;
  }

  /** The caller is part of the work that has its turn. */
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
    if (this.isRunningCaller) return Promise.reject(new Error('Work that has its turn cannot wait for another one.'));
    const asked = { waitedBefore: this.#waited() };
    const turn = this.#last.then(() => this.#enclosing.run(asked, () => work().finally(this.#afterEach)));
    this.#last = turn.catch(() => {});
    return turn;
  }
}
