// Detects whether a keys directory has new published keys: one stat of `kid.txt` shows it (KEY-12).
import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { keyFiles } from './read-published-keys.ts';

export interface Stamp {
  readonly inode: number;
  readonly modified: number;
  readonly changed: number;
}

export function stampOf(directory: string): Stamp | undefined {
  let stats: Stats | undefined;
  try {
    stats = statSync(join(directory, keyFiles.kid), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
  return stats === undefined ? undefined : { inode: stats.ino, modified: stats.mtimeMs, changed: stats.ctimeMs };
}

export function sameStamp(one: Stamp, other: Stamp | undefined): boolean {
  return (
    other !== undefined && one.inode === other.inode && one.modified === other.modified && one.changed === other.changed
  );
}
