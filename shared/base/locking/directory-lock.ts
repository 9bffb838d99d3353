// One lock for all readers and writers of a directory, in any process: the configuration directory (WRT-01 to WRT-04)
// and the keys directory (KEY-13, KEY-22). The lock is the directory `.lock` inside, created and refreshed by
// proper-lockfile.
//
// Failure cases:
// - The holder is killed. The lock is no longer refreshed, and after `staleMilliseconds` the next waiter takes it over.
//   That is well within the waiting time of 10 s. The user does not have to remove anything. The lock's time may be
//   ahead of this machine's clock, because the clock was set back or belongs to another machine. Then a waiter takes
//   the lock over once it has seen no refresh for the same duration.
// - The holder is frozen (SIGSTOP, suspended machine, blocked event loop) for longer than that. The lock is taken over
//   although the holder still believes that it holds it. Age does not prove that the holder is dead. So a holder calls
//   `stillHeld()` in the same synchronous block as its last step, and writers also compare the file's revision there.
//   On release, a lock that now belongs to another holder is left in place.
// - Two waiters find the same stale lock. The removal checks the lock again, so the slower waiter leaves the faster
//   waiter's new lock in place. Nothing else in this process runs between that check and the removal. `stillHeld()`
//   covers the remaining window between two processes.
// - The directory cannot hold a lock. The kinds below give the reason. A reader may continue without a lock where
//   nothing can be written anyway (`not_writable`).

import fs, { type BigIntStats, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { lock as lockFile } from 'proper-lockfile';
import { type Monotonic, type Stopwatch, systemClock } from '#shared/base/clock.ts';
import { errorCode } from '#shared/base/error-text.ts';

type DirectoryLockFailure =
  /** Another holder kept it for the whole waiting time. */
  | 'lock_timeout'
  /** The filesystem does not support such locks. */
  | 'lock_unsupported'
  /** `.lock` cannot exist there: the directory is missing, or something else has that name. */
  | 'lock_namespace_unavailable'
  /** No permission to write into the directory, or a filesystem mounted read-only. */
  | 'not_writable';

export class DirectoryLockError extends Error {
  readonly kind: DirectoryLockFailure;
  constructor(kind: DirectoryLockFailure, directory: string, options?: { cause?: unknown }) {
    super(`The directory ${directory} cannot be locked (${kind}).`, options);
    this.kind = kind;
  }
}

export interface DirectoryLock {
  /**
   * Checks the lock itself, synchronously. False once it was taken over. Call it right before a step that cannot be
   * undone.
   */
  stillHeld(): boolean;
  /** Never throws. A lock that was lost in the meantime is left to its new holder. */
  release(): Promise<void>;
}

interface DirectoryLockDependencies {
  readonly stopwatch: Stopwatch;
  /** How long to wait, in milliseconds. 10 s unless a test sets another value (WRT-02). */
  readonly deadlineMilliseconds?: number;
  /** Waits between two attempts. A test replaces it with a simulated wait. */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

export const directoryLockDeadlineMilliseconds = 10_000;
const staleMilliseconds = 4_000;
const held = new Set<LockDirectoryGuard>();

/**
 * After this call, the end of this process removes the locks that it still holds, so waiters need not wait until they
 * are stale. Only for the program's own processes. proper-lockfile installs its handlers in any process that loads it,
 * so the build leaves them out (API-33).
 */
export function removeLocksAtExit(): void {
  process.once('exit', () => {
    for (const guard of held) {
      try {
        guard.abandon();
      } catch {
        // A waiter takes the lock over once it is stale.
      }
    }
  });
}

const refreshMilliseconds = 1_000;
/** proper-lockfile starts with the next full second plus 5 ms, to detect the filesystem's time resolution. */
const setAheadMilliseconds = 1_100;
const longestPauseMilliseconds = 50;

/** @throws DirectoryLockError */
export async function acquireDirectoryLock(
  directory: string,
  dependencies: DirectoryLockDependencies,
): Promise<DirectoryLock> {
  const { stopwatch, deadlineMilliseconds = directoryLockDeadlineMilliseconds, pause = pauseFor } = dependencies;
  const start = stopwatch.read();
  const sight = new LockSight(stopwatch);
  for (let pauseMilliseconds = 1; ; pauseMilliseconds = Math.min(pauseMilliseconds * 2, longestPauseMilliseconds)) {
    try {
      return await tryLock(directory, stopwatch, sight);
    } catch (error) {
      const code = errorCode(error);
      // ENOENT: the lock was removed between two checks, unless the directory itself is missing.
      const passing = code === 'ELOCKED' || (code === 'ENOENT' && fs.existsSync(directory));
      if (!passing || occupiedByOther(join(directory, '.lock'))) {
        throw new DirectoryLockError(failureOf(code), directory, { cause: error });
      }
    }
    const left = deadlineMilliseconds - stopwatch.since(start);
    if (left <= 0) throw new DirectoryLockError('lock_timeout', directory);
    await pause(Math.min(pauseMilliseconds, left));
  }
}

async function tryLock(directory: string, stopwatch: Stopwatch, sight: LockSight): Promise<DirectoryLock> {
  const path = join(directory, '.lock');
  const guard = new LockDirectoryGuard(path, stopwatch, sight);
  let compromised = false;
  // Added before the lock is created, because the process may end before the lock call returns.
  held.add(guard);
  let releaseFile: () => Promise<void>;
  try {
    releaseFile = await lockFile(directory, {
      lockfilePath: path,
      stale: staleMilliseconds,
      update: refreshMilliseconds,
      retries: 0,
      // The path is absolute, and the lock itself excludes holders that use another path to the directory.
      realpath: false,
      fs: guard.fileSystem,
      onCompromised: () => {
        compromised = true;
      },
    });
  } catch (error) {
    held.delete(guard);
    throw error;
  }
  const stillHeld = () => !compromised && guard.isOurs();
  return {
    stillHeld,
    release: async () => {
      try {
        await releaseFile();
      } catch {
        // Lost or removed in the meantime, so there is nothing to release.
      }
      held.delete(guard);
    },
  };
}

/**
 * What a waiter has observed of another holder's lock. It uses only its own stopwatch, so no two clocks are compared.
 */
class LockSight {
  readonly #stopwatch: Stopwatch;
  #last: { readonly stamp: string; readonly since: Monotonic } | undefined;

  constructor(stopwatch: Stopwatch) {
    this.#stopwatch = stopwatch;
  }

  /** Whether the lock has not been refreshed for so long that its holder must have died. */
  isStale(stamp: string | undefined): boolean {
    if (stamp !== undefined && stamp === this.#last?.stamp) {
      return this.#stopwatch.since(this.#last.since) > staleMilliseconds;
    }
    this.#last = stamp === undefined ? undefined : { stamp, since: this.#stopwatch.read() };
    return false;
  }
}

/**
 * The file operations that proper-lockfile uses, with two extra checks. A stale lock is removed only while it is still
 * the one that was judged stale. This process's own lock is removed only while this process holds it.
 */
class LockDirectoryGuard {
  readonly #path: string;
  #judged: string | undefined;
  #ours: string | undefined;

  readonly #stopwatch: Stopwatch;
  readonly #sight: LockSight;

  constructor(path: string, stopwatch: Stopwatch, sight: LockSight) {
    this.#path = path;
    this.#stopwatch = stopwatch;
    this.#sight = sight;
  }

  readonly fileSystem = {
    realpath: fs.realpath,
    utimes: fs.utimes,
    mkdir: (path: string, done: (error: NodeJS.ErrnoException | null) => void) => {
      // Creates and checks in one synchronous block. After a freeze in between, `.lock` may already be the next
      // holder's, created after this process's lock was judged stale.
      const start = this.#stopwatch.read();
      try {
        fs.mkdirSync(path, { mode: 0o700 });
        const made = identity(path);
        this.#ours = this.#stopwatch.since(start) < staleMilliseconds ? made : lost;
      } catch (error) {
        done(asError(error, 'mkdir failed'));
        return;
      }
      done(null);
    },
    stat: (path: string, done: (error: NodeJS.ErrnoException | null, stats?: Stats) => void) => {
      fs.stat(path, (error, stats) => {
        this.#judged = error === null ? stamp(path) : undefined;
        // The library uses the modification time of the lock.
        const isLeft = this.#ours === undefined && this.#sight.isStale(this.#judged);
        if (stats && isLeft && stats.mtimeMs > systemClock.now() + setAheadMilliseconds) stats.mtime = new Date(0);
        done(error, stats);
      });
    },
    rmdir: (path: string, done: (error: NodeJS.ErrnoException | null) => void) => {
      let failure: NodeJS.ErrnoException | null = null;
      try {
        const mayGo = this.#ours === undefined ? stamp(path) === this.#judged : this.isOurs();
        if (mayGo) fs.rmdirSync(path);
      } catch (error) {
        failure = asError(error, 'rmdir failed');
      }
      done(failure);
    },
    rmdirSync: () => this.abandon(),
  };

  /** Removes the lock if this process still holds it. */
  abandon(): void {
    if (this.isOurs()) fs.rmdirSync(this.#path);
  }

  isOurs(): boolean {
    return this.#ours !== undefined && identity(this.#path) === this.#ours;
  }
}

/** Matches the identity of no directory. */
const lost = 'lost';

function asError(error: unknown, message: string): Error {
  return error instanceof Error ? error : new Error(message, { cause: error });
}

/**
 * Distinguishes lock directories of the same name. Inode numbers alone are not enough, because they are reused at once.
 */
function identity(path: string): string | undefined {
  const stats = look(path);
  return stats === undefined ? undefined : `${stats.ino}:${stats.birthtimeNs}`;
}

/** Identity and last refresh. */
function stamp(path: string): string | undefined {
  const stats = look(path);
  return stats === undefined ? undefined : `${stats.ino}:${stats.birthtimeNs}:${stats.mtimeNs}`;
}

function look(path: string): BigIntStats | undefined {
  return fs.statSync(path, { bigint: true, throwIfNoEntry: false });
}

function occupiedByOther(path: string): boolean {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isDirectory();
}

function failureOf(code: string | undefined): DirectoryLockFailure {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'not_writable';
    case 'ENOSYS':
    case 'ENOTSUP':
    case 'EOPNOTSUPP':
    case 'ENOLCK':
      return 'lock_unsupported';
    default:
      return 'lock_namespace_unavailable';
  }
}
