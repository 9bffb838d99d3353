// Finds the files of a store. Checks that none of them is in the configuration directory (STO-02, STO-03), and that
// there is space for them. Only names and places: sqlite/ checks the content of the files.
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { freeBytes } from './free-bytes.ts';
import { StoreRefusedError } from './store-refused.ts';

export interface StoreFiles {
  readonly runtime: string;
  readonly audit: string;
  /** Directory of the processes that use the store. */
  readonly owners: string;
}

/** `X.db` has the companions `X-audit.db` and the directory `X-owners`. */
export function storeFilesOf(runtimePath: string): StoreFiles {
  const extension = extname(runtimePath);
  const stem = join(dirname(runtimePath), basename(runtimePath, extension));
  return { runtime: runtimePath, audit: `${stem}-audit${extension}`, owners: `${stem}-owners` };
}

export function stackStoreFiles(directory: string): StoreFiles {
  return storeFilesOf(join(directory, 'runtime.db'));
}

const linksFollowedMax = 40;

/** Returns the canonical path: links are followed, also those whose target does not exist yet. */
function truePath(path: string, linksLeft = linksFollowedMax): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const parent = dirname(absolute);
  if (parent === absolute) return absolute;
  const place = join(truePath(parent, linksLeft), basename(absolute));
  return isLink(place) && linksLeft > 0 ? truePath(resolve(dirname(place), readlinkSync(place)), linksLeft - 1) : place;
}

/**
 * A path that cannot be read counts as no link. Opening it reports the reason (a file where a directory should be,
 * STO-05).
 */
function isLink(place: string): boolean {
  try {
    return lstatSync(place).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Whether the path is the directory or inside it, by their spelling: `..runtime.db` is an ordinary name. */
export function isInsideDirectory(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** @throws StoreRefusedError when a file of the store is, or is inside, the configuration directory */
export function refuseInsideConfiguration(files: StoreFiles, configurationDirectory: string): void {
  const directory = truePath(configurationDirectory);
  for (const path of [files.runtime, files.audit, files.owners]) {
    if (!isInsideDirectory(directory, truePath(path))) continue;
    throw new StoreRefusedError(
      `runtime.path: ${path} is in the configuration directory ${configurationDirectory}. Name a file outside it.`,
    );
  }
}

const mebibyte = 1024 * 1024;

/** Space for store, audit, and the files that SQLite keeps beside them while they are open. */
const roomNeededBytes = mebibyte;
/** A store that ends with its stack cannot be moved later. The 64 MiB that many containers have are too few. */
const roomOfStackBytes = 96 * mebibyte;

/**
 * Detects a full disk before anything is created on it. A limit that the file system does not report (a quota) shows
 * later, as an error of the first write.
 * @throws StoreRefusedError
 */
export function refuseFullDisk({ runtime }: StoreFiles): void {
  if (roomAt(runtime) >= roomNeededBytes) return;
  throw new StoreRefusedError(
    `runtime.path: the disk of ${runtime} is full. Free space, or name a file on another disk.`,
  );
}

/** The same check, before a stack creates the store in its private directory. @throws StoreRefusedError */
export function refuseSmallDisk({ runtime }: StoreFiles): void {
  const room = roomAt(runtime);
  if (room >= roomOfStackBytes) return;
  const found = `${dirname(runtime)} has ${Math.floor(room / mebibyte)} MiB of free space`;
  const remedy = 'Set TMPDIR to a directory with more space, or set `runtime.store: sqlite` with `runtime.path`';
  throw new StoreRefusedError(
    `runtime.store: ${found}, but a store in memory needs ${roomOfStackBytes / mebibyte}. ${remedy}.`,
  );
}

function roomAt(runtime: string): number {
  let place = dirname(truePath(runtime));
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  return freeBytes(place);
}
