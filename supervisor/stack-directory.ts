// The private directory of one stack (mode 0700): its sockets and, with `runtime.store: memory`, its store, which is why
// it lies in memory where the machine offers that and has room. It is gone when the stack has ended; what a stack left
// behind whose processes were all killed at once is removed by the next start, once the kernel proves that none of them
// lives (SUP-14).
import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#shared/base/clock.ts';
import { holdStackDirectory, type StackLease, stackDirectoryUse } from '#shared/process/worker/stack-lease.ts';

const namePrefix = 'test-idp-stack-';
/** Between making a directory and marking it as used lie microseconds; an unmarked one this old belongs to nobody. */
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
    const remedy = 'let TMPDIR name another directory';
    return new Error(`${base}: the private directory of the stack cannot be made there (${why}); ${remedy}`, { cause });
  };
  if (!fitsSockets(base)) throw refused(`longer than ${baseBytesMax} bytes`);
  try {
    return mkdtempSync(join(base, namePrefix));
  } catch (error) {
    throw refused(error instanceof Error && 'code' in error ? String(error.code) : 'unknown error', error);
  }
}

/** With less room than this a store would be full before its stack has done much; a container's /dev/shm has 64 MiB. */
const roomBytesMin = 256 * 1024 * 1024;

/**
 * The path of a Unix socket has 104 bytes at most (108 on Linux), and of what is longer the kernel takes the beginning; the
 * name of the directory and that of a socket in it take 38 of them.
 */
const baseBytesMax = 104 - 38;

function fitsSockets(base: string): boolean {
  return Buffer.byteLength(base) <= baseBytesMax;
}

/** The first with room to speak of: memory is small in many a container. None has: the last, which says so itself. */
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

/** Removes what dead stacks of this user left behind; never fails, since a leftover must not keep a stack from starting. */
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
        // Another user's directory, or another start was faster.
      }
    }
  }
}

/** Where stacks put their directories, the best first; all are looked through for leftovers. */
function baseDirectories(): readonly [string, ...string[]] {
  // What TMPDIR names may be missing, full or too long; then the place of old is better than none.
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
