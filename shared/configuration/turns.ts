// One after the other: work that must not overlap within a process waits for its turn, in the order it came. Work that
// has its turn and asks for another one would wait for itself for ever: it is refused at once.
import { WorkScope } from './work-scope.ts';

export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  readonly #scope = new WorkScope<true>();

  /** The caller is part of the work that has its turn. */
  get isMine(): boolean {
    return this.#scope.value === true;
  }

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.isMine) return Promise.reject(new Error('Work that has its turn cannot wait for another one.'));
    const turn = this.#last.then(() => this.#scope.run(true, work));
    this.#last = turn.catch(() => {});
    return turn;
  }
}
