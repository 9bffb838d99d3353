// Where the files of a store lie, that none of them lies in the configuration directory (STO-02, STO-03), and that there
// is room for them. Names and places only; what is in the files is judged in sqlite/.
import { existsSync, lstatSync, readlinkSync, realpathSync, type StatsFs, statfsSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { StoreRefusedError } from './store-refused.ts';

export interface StoreFiles {
  readonly runtime: string;
  readonly audit: string;
  /** Directory of the processes that use the store. */
  readonly owners: string;
}

/** `X.db` goes with `X-audit.db` and the directory `X-owners`. */
export function storeFilesOf(runtimePath: string): StoreFiles {
  const extension = extname(runtimePath);
  const stem = join(dirname(runtimePath), basename(runtimePath, extension));
  return { runtime: runtimePath, audit: `${stem}-audit${extension}`, owners: `${stem}-owners` };
}

export function stackStoreFiles(directory: string): StoreFiles {
  return storeFilesOf(join(directory, 'runtime.db'));
}

const linksFollowedMax = 40;

/** The one spelling of a place: links are followed, also those whose target does not exist yet. */
function truePath(path: string, linksLeft = linksFollowedMax): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const parent = dirname(absolute);
  if (parent === absolute) return absolute;
  const place = join(truePath(parent, linksLeft), basename(absolute));
  return isLink(place) && linksLeft > 0 ? truePath(resolve(dirname(place), readlinkSync(place)), linksLeft - 1) : place;
}

/** What cannot be looked at is none here: who opens it says why it cannot be (a file where a directory should be, STO-05). */
function isLink(place: string): boolean {
  try {
    return lstatSync(place).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Whether the path is the directory or lies below it, as both are spelled: `..runtime.db` is a name like another. */
export function liesWithin(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** @throws StoreRefusedError when a file of the store is, or lies in, the configuration directory. */
export function refuseInsideConfiguration(files: StoreFiles, configurationDirectory: string): void {
  const directory = truePath(configurationDirectory);
  for (const path of [files.runtime, files.audit, files.owners]) {
    if (!liesWithin(directory, truePath(path))) continue;
    throw new StoreRefusedError(
      `runtime.path: ${path} lies in the configuration directory ${configurationDirectory}; name a file elsewhere.`,
    );
  }
}

const mebibyte = 1024 * 1024;

/** Store, audit, and what SQLite keeps beside them while they are open. */
const roomNeededBytes = mebibyte;
/** A store that lives with its stack has no other place to go once it runs; the 64 MiB of many a container are too few. */
const roomOfStackBytes = 96 * mebibyte;

/**
 * A full disk is found out before anything is made on it. What the file system does not tell (a quota) shows later, as
 * an error of the first write.
 * @throws StoreRefusedError
 */
export function refuseFullDisk({ runtime }: StoreFiles): void {
  if (roomAt(runtime) >= roomNeededBytes) return;
  throw new StoreRefusedError(`runtime.path: the disk of ${runtime} is full; make room or name a file elsewhere.`);
}

/** The same check, before a stack makes the store that it keeps in its private directory. @throws StoreRefusedError */
export function refuseSmallDisk({ runtime }: StoreFiles): void {
  const room = roomAt(runtime);
  if (room >= roomOfStackBytes) return;
  const found = `${dirname(runtime)} has ${Math.floor(room / mebibyte)} MiB of room`;
  const remedy = 'let TMPDIR name a directory with more, or set `runtime.store: sqlite` with `runtime.path`';
  throw new StoreRefusedError(
    `runtime.store: ${found}, and a store in memory needs ${roomOfStackBytes / mebibyte}; ${remedy}.`,
  );
}

/** What the file system does not tell counts as much. */
function roomAt(runtime: string): number {
  let place = dirname(truePath(runtime));
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  let room: StatsFs;
  try {
    room = statfsSync(place);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  // Some file systems count no blocks at all.
  return room.blocks === 0 ? Number.POSITIVE_INFINITY : room.bavail * room.bsize;
}
