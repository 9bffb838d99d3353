// The private directory of one stack (mode 0700): its sockets and, with `runtime.store: memory`, its store. That is why
// it is in memory if the machine offers that with enough space. It is deleted when the stack has ended. If all
// processes of a stack were killed at once, the next start deletes its directory, after the kernel proves that none of
// them runs (SUP-14).
import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#shared/base/clock.ts';
import { holdStackDirectory, type StackLease, stackDirectoryUse } from '#shared/process/worker/stack-lease.ts';

const namePrefix = 'test-idp-stack-';
/** Creating a directory and marking it as used are microseconds apart. An unmarked one of this age is not in use. */
const unmarkedMilliseconds = 60_000;

interface StackDirectory {
  readonly path: string;
  /** Unix socket of the SAML frontend. */
  readonly samlSocket: string;
  remove(): Promise<void>;
}

/** @throws Error in one line with the remedy */
export async function makeStackDirectory(bases = baseDirectories()): Promise<StackDirectory> {
  const path = makePrivateDirectory(bases);
  const removeFiles = () => rmSync(path, { recursive: true, force: true });
  let lease: StackLease;
  try {
    lease = await holdStackDirectory(path);
  } catch (error) {
    removeFiles();
    throw error;
  }
  return {
    path,
    samlSocket: join(path, 'saml.sock'),
    async remove() {
      await lease.release();
      removeFiles();
    },
  };
}

/** mkdtemp makes directories of mode 0700. */
function makePrivateDirectory(bases: readonly [string, ...string[]]): string {
  const base = chooseBase(bases, freeBytes);
  const refused = (why: string, cause?: unknown) => {
    const remedy = 'Set TMPDIR to another directory';
    return new Error(`the private directory of the stack cannot be created in ${base} (${why}). ${remedy}`, { cause });
  };
  if (!fitsSockets(base)) throw refused(`its path is longer than ${baseBytesMax} bytes`);
  try {
    return mkdtempSync(join(base, namePrefix));
  } catch (error) {
    throw refused(error instanceof Error && 'code' in error ? String(error.code) : 'unknown error', error);
  }
}

/** With less space a store would soon be full. A container's /dev/shm has 64 MiB. */
const roomBytesMin = 256 * 1024 * 1024;

/**
 * The path of a Unix socket has at most 104 bytes (108 on Linux), and the kernel cuts off the rest. The names of the
 * directory and of a socket in it take 38 bytes.
 */
const baseBytesMax = 104 - 38;

function fitsSockets(base: string): boolean {
  return Buffer.byteLength(base) <= baseBytesMax;
}

/**
 * The first with enough space, because memory is small in many containers. If none has enough, the last one, which
 * reports its own errors.
 */
export function chooseBase(bases: readonly [string, ...string[]], free: (base: string) => number): string {
  const usable = bases.filter(fitsSockets);
  return usable.find((base) => free(base) >= roomBytesMin) ?? usable.at(-1) ?? bases[0];
}

function freeBytes(base: string): number {
  try {
    const { bavail, bsize } = statfsSync(base);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/**
 * Deletes directories that dead stacks of this user left behind. Never fails, because a leftover must not prevent a
 * start.
 */
export async function removeDeadStackDirectories(
  clock: Clock,
  bases: readonly string[] = baseDirectories(),
): Promise<void> {
  for (const base of bases) {
    for (const name of readableNames(base)) {
      if (!name.startsWith(namePrefix)) continue;
      const path = join(base, name);
      try {
        const use = await stackDirectoryUse(path);
        const abandoned = use === 'unmarked' && clock.now() - statSync(path).mtimeMs > unmarkedMilliseconds;
        if (use === 'dead' || abandoned) rmSync(path, { recursive: true, force: true });
      } catch {
        // Another user's directory, or another start deleted it first.
      }
    }
  }
}

/** Where stacks create their directories, best first. All are searched for leftovers. */
function baseDirectories(): readonly [string, ...string[]] {
  // TMPDIR may be missing, full or too long. Then /tmp is better than none.
  const [first, ...others] = ['/dev/shm', tmpdir(), '/tmp'].filter(isWritableDirectory);
  return first === undefined ? [tmpdir()] : [first, ...others];
}

function isWritableDirectory(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function readableNames(base: string): readonly string[] {
  try {
    return readdirSync(base);
  } catch {
    return [];
  }
}
