// Both files in one observation, under the directory lock (ACT-01, WRT-01). A directory that this process cannot write
// to is read without a lock: nobody who shares its rights can change it (WRT-04).

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
  /** How long to wait for the lock; 10 s unless a test says otherwise (WRT-02). */
  readonly lockDeadlineMilliseconds?: number;
  /** What counts as waited already, and where to say what was waited. */
  readonly lockWaits?: LockWaits;
}

export interface LockWaits {
  /** What the caller has waited for this lock before, behind others or by itself. */
  readonly chargedMilliseconds: number;
  /** The wait begins; it ends when the answer is called. */
  beginWait(): () => void;
}

/**
 * Runs `read` while the directory lock is held. `lock` is undefined where the directory cannot be written to,
 * and where there is none.
 * @throws ConfigurationUnavailableError when the lock is not had, ConfigurationRejectedError without a directory.
 */
export async function withDirectoryLock<Result>(
  directory: string | undefined,
  dependencies: DirectoryDependencies,
  read: (lock: DirectoryLock | undefined) => Result | Promise<Result>,
): Promise<Result> {
  // Nothing lies anywhere that somebody else could change.
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
