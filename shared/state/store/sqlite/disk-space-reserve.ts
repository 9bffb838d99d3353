// A file of some MiB that does nothing but take room, so that there is some for what frees more: on a full disk SQLite
// cannot even delete, because it writes a log first. Whoever needs it takes the file away, and it comes back as soon as
// there is room. All processes of a store share one.
import { closeSync, existsSync, fchmodSync, openSync, renameSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface DiskSpaceReserve {
  /** Gives the room up. */
  release(): void;
  /** Takes it again, if there is enough beside it. */
  restore(): void;
}

const reserveBytes = 4 * 1024 * 1024;

/** For a store in the memory of its process. */
export const noDiskSpaceReserve: DiskSpaceReserve = { release: () => undefined, restore: () => undefined };

export function openDiskSpaceReserve(path: string): DiskSpaceReserve {
  const reserve: DiskSpaceReserve = {
    release: () => rmSync(path, { force: true }),
    restore: () => {
      if (!existsSync(path) && freeBytes(dirname(path)) >= reserveBytes) fill(path);
    },
  };
  // A small disk keeps its room for the store.
  if (freeBytes(dirname(path)) >= 4 * reserveBytes) reserve.restore();
  return reserve;
}

/** Written out, because a file that is merely long takes no room; under its name only once it is whole. */
function fill(path: string): void {
  const partial = `${path}.${process.pid}`;
  try {
    const descriptor = openSync(partial, 'w', 0o600);
    try {
      // Whatever the umask takes away, whoever comes next must be able to give the room back (STO-04).
      fchmodSync(descriptor, 0o600);
      const block = Buffer.alloc(256 * 1024, 0x5a);
      for (let written = 0; written < reserveBytes; written += block.length) writeSync(descriptor, block);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, path);
  } catch {
    // Somebody else took the room in between: then there is no reserve until there is room.
    rmSync(partial, { force: true });
  }
}

/** What the file system does not tell counts as much. */
export function freeBytes(directory: string): number {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory);
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
