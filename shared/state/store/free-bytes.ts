import { statfsSync } from 'node:fs';

/** The free space at an existing directory, in bytes. When the file system reports nothing, it counts as unlimited. */
export function freeBytes(directory: string): number {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory);
    // Some file systems report no blocks at all.
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
