// One lock for all readers and writers of a directory, in any process: the configuration directory (WRT-01 to WRT-04)
// and the keys directory (KEY-13, KEY-22). It is the directory `.lock` inside, made and kept fresh by proper-lockfile.
//
// What can go wrong, and what happens then:
// - The holder is killed: nobody refreshes the lock, and after `staleMilliseconds` (well inside the waiting time of
//   10 s) the next one takes it over. Nothing needs to be removed by hand. Where its time lies ahead of this machine's clock,
//   which was set back or is another machine's, whoever waits takes it over that has seen no refresh for as long.
// - The holder is frozen (SIGSTOP, suspended machine, blocked event loop) for longer than that: the lock is taken over
//   while it believes to hold it. Age is no proof of death, so a holder asks `stillHeld()` in the same synchronous
//   stretch as its last step, and writers also compare the file's revision there. On release a lock that meanwhile
//   belongs to somebody else is left alone.
// - Two waiters find the same stale lock: the removal looks again at what it removes, so the slower one leaves the
//   faster one's fresh lock in place. Between that look and the removal nothing of this process runs; the window that
//   remains between two processes is covered by `stillHeld()`.
// - The directory cannot hold a lock: the kinds below say why, and a reader may go on without one where nothing can
//   be written anyway (`not_writable`).

import fs, { type BigIntStats, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { lock as lockFile } from 'proper-lockfile';
import { type Monotonic, type Stopwatch, systemClock } from '#shared/base/clock.ts';
import { errorCode } from '#shared/base/error-text.ts';

type DirectoryLockFailure =
  /** Somebody else held it for the whole waiting time. */
  | 'lock_timeout'
  /** The filesystem knows no such locks. */
  | 'lock_unsupported'
  /** `.lock` cannot exist there: the directory is missing, or something else bears the name. */
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
  /** Synchronous look at the lock itself: false once it was taken over. Ask it right before a step that cannot be undone. */
  stillHeld(): boolean;
  /** Never throws; a lock that was lost meanwhile is left to its new holder. */
  release(): Promise<void>;
}

interface DirectoryLockDependencies {
  readonly stopwatch: Stopwatch;
  /** How long to wait, in milliseconds; 10 s unless a test says otherwise (WRT-02). */
  readonly deadlineMilliseconds?: number;
  /** How time passes between two tries; a test makes it pass by itself. */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

export const directoryLockDeadlineMilliseconds = 10_000;
const staleMilliseconds = 4_000;
const held = new Set<LockDirectoryGuard>();

/**
 * From now on the end of this process removes the locks it still holds, so that nobody waits until they are stale. For
 * processes that are ours alone: proper-lockfile's own handlers, which it installs in any process that loads it, are left
 * out of the build (API-33).
 */
export function removeLocksAtExit(): void {
  process.once('exit', () => {
    for (const guard of held) {
      try {
        guard.abandon();
      } catch {
        // Whoever waits takes it over once it is stale.
      }
    }
  });
}

const refreshMilliseconds = 1_000;
/** proper-lockfile begins with the next full second and 5 ms, to learn how exact the times of this filesystem are. */
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
      // ENOENT: the lock was removed between two looks at it, unless the directory itself is missing.
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
  // Before the lock is made: the process may be told to end between that and the answer.
  held.add(guard);
  let releaseFile: () => Promise<void>;
  try {
    releaseFile = await lockFile(directory, {
      lockfilePath: path,
      stale: staleMilliseconds,
      update: refreshMilliseconds,
      retries: 0,
      // The path is absolute, and the lock itself excludes whoever came by another one.
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
        // Lost or removed meanwhile: there is nothing of ours left to release.
      }
      held.delete(guard);
    },
  };
}

/** What a waiter has seen of somebody else's lock, by its own stopwatch: no clock is compared with another. */
class LockSight {
  readonly #stopwatch: Stopwatch;
  #last: { readonly stamp: string; readonly since: Monotonic } | undefined;

  constructor(stopwatch: Stopwatch) {
    this.#stopwatch = stopwatch;
  }

  /** Whether nobody has refreshed it for so long that its holder is gone. */
  isStale(stamp: string | undefined): boolean {
    if (stamp !== undefined && stamp === this.#last?.stamp) {
      return this.#stopwatch.since(this.#last.since) > staleMilliseconds;
    }
    this.#last = stamp === undefined ? undefined : { stamp, since: this.#stopwatch.read() };
    return false;
  }
}

/**
 * The file operations proper-lockfile uses, with two second looks that it does not take itself: a stale lock is removed
 * only while it is the one that was judged stale, and our own only while it is ours.
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
      // In one stretch with the look at what was made: after a freeze in between, the lock that lies there may be the next
      // holder's, made where ours was taken for stale.
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
        // The library goes by the time that the lock bears.
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

  /** Removes the lock while it is ours. */
  abandon(): void {
    if (this.isOurs()) fs.rmdirSync(this.#path);
  }

  isOurs(): boolean {
    return this.#ours !== undefined && identity(this.#path) === this.#ours;
  }
}

/** No identity of any directory. */
const lost = 'lost';

function asError(error: unknown, message: string): Error {
  return error instanceof Error ? error : new Error(message, { cause: error });
}

/** Tells one lock directory from another of the same name: inode numbers alone are reused at once. */
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
