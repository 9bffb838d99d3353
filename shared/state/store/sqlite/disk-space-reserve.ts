// A file of some MiB that only reserves space, for operations that free more: on a full disk SQLite cannot even delete,
// because it writes a log first. The process that needs the space deletes the file. It is created again as soon as
// there is space. All processes of a store share one file.
import { closeSync, existsSync, fchmodSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { freeBytes } from '../free-bytes.ts';

export interface DiskSpaceReserve {
  /** Frees the reserved space. */
  release(): void;
  /** Reserves it again, if enough space is left beside it. */
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
  // On a small disk all space is left for the store.
  if (freeBytes(dirname(path)) >= 4 * reserveBytes) reserve.restore();
  return reserve;
}

/** Writes the bytes, because a sparse file reserves no space. The file gets its name only once it is complete. */
function fill(path: string): void {
  const partial = `${path}.${process.pid}`;
  try {
    const descriptor = openSync(partial, 'w', 0o600);
    try {
      // Whatever the umask removes, every process must be able to free the space (STO-04).
      fchmodSync(descriptor, 0o600);
      const block = Buffer.alloc(256 * 1024, 0x5a);
      for (let written = 0; written < reserveBytes; written += block.length) writeSync(descriptor, block);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, path);
  } catch {
    // Other data has taken the space meanwhile: then there is no reserve until space is free.
    rmSync(partial, { force: true });
  }
}
