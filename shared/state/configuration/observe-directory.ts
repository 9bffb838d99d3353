// Reads both files in one observation, under the directory lock (ACT-01, WRT-01). A directory that this process cannot
// write to is read without a lock, because no process with the same rights can change it (WRT-04).

import type { Stopwatch } from '#shared/base/clock.ts';
import {
  acquireDirectoryLock,
  type DirectoryLock,
  DirectoryLockError,
  directoryLockDeadlineMilliseconds,
} from '#shared/base/locking/directory-lock.ts';
import { ConfigurationRejectedError, ConfigurationUnavailableError } from './active-configuration.ts';
import { problemOfDirectory } from './load/read-files.ts';

export interface DirectoryDependencies {
  readonly stopwatch: Stopwatch;
  /** The limit of the wait for the lock; 10 s unless a test sets it (WRT-02). */
  readonly lockDeadlineMilliseconds?: number;
  /** The time already waited, and where to report a wait. */
  readonly lockWaits?: LockWaits;
}

export interface LockWaits {
  /** How long the caller has already waited for this lock, directly or behind other work. */
  readonly chargedMilliseconds: number;
  /** Starts a wait, which ends when the returned function is called. */
  beginWait(): () => void;
}

/**
 * Runs `read` while holding the directory lock. `lock` is undefined for a directory that cannot be written to, and
 * without a directory.
 * @throws ConfigurationUnavailableError when the lock is not acquired, ConfigurationRejectedError when the directory
 * does not exist.
 */
export async function withDirectoryLock<Result>(
  directory: string | undefined,
  dependencies: DirectoryDependencies,
  read: (lock: DirectoryLock | undefined) => Result | Promise<Result>,
): Promise<Result> {
  // There are no files that another process could change.
  if (directory === undefined) return await read(undefined);
  const problem = problemOfDirectory(directory);
  if (problem !== undefined) throw new ConfigurationRejectedError('invalid', `${directory} ${problem}`);
  const lock = await lockForReading(directory, dependencies);
  try {
    return await read(lock);
  } finally {
    await lock?.release();
  }
}

async function lockForReading(
  directory: string,
  { stopwatch, lockDeadlineMilliseconds = directoryLockDeadlineMilliseconds, lockWaits }: DirectoryDependencies,
): Promise<DirectoryLock | undefined> {
  const deadlineMilliseconds = lockDeadlineMilliseconds - (lockWaits?.chargedMilliseconds ?? 0);
  const endWait = lockWaits?.beginWait();
  try {
    return await acquireDirectoryLock(directory, { stopwatch, deadlineMilliseconds });
  } catch (error) {
    if (!(error instanceof DirectoryLockError)) throw error;
    if (error.kind === 'not_writable') return undefined;
    const kind = error.kind === 'lock_timeout' ? 'lock_timeout' : 'lock_unsupported';
    throw new ConfigurationUnavailableError(kind, { cause: error });
  } finally {
    endWait?.();
  }
}
