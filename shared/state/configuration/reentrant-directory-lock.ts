// The directory lock within one process: nested work uses the lock that the outer work already holds.
import type { DirectoryLock } from '#shared/base/locking/directory-lock.ts';
import { AsyncScope } from './async-scope.ts';
import { type DirectoryDependencies, withDirectoryLock } from './observe-directory.ts';

export class ReentrantDirectoryLock {
  readonly #directory: string | undefined;
  readonly #dependencies: DirectoryDependencies;
  readonly #held = new AsyncScope<DirectoryLock | 'read-only'>();

  constructor(directory: string | undefined, dependencies: DirectoryDependencies) {
    this.#directory = directory;
    this.#dependencies = dependencies;
  }

  /** The caller is part of the work that holds the lock. */
  get isHeldByCaller(): boolean {
    return this.#held.value !== undefined;
  }

  /** `lock` is undefined where the directory cannot be written to. @throws as withDirectoryLock does */
  async locked<Result>(work: (lock: DirectoryLock | undefined) => Result | Promise<Result>): Promise<Result> {
    const held = this.#held.value;
    if (held !== undefined) return await work(held === 'read-only' ? undefined : held);
    return await withDirectoryLock(this.#directory, this.#dependencies, (lock) =>
      this.#held.run(lock ?? 'read-only', () => work(lock)),
    );
  }
}
