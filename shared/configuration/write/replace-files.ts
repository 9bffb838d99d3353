// The last steps of a write: the new files are finished and on disk beside the old ones, then one synchronous stretch
// looks once more at lock and revisions and renames (WRT-06, WRT-07, WRT-13 to WRT-15). A kill at any instant leaves the
// old file or the new one whole; what it may leave besides is a temporary file that the next write removes.
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Randomness } from '#shared/random.ts';
import { type FileReading, readConfigurationFile } from '../load/read-files.ts';

export interface FileReplacement {
  /** Absolute path in the configuration directory. */
  readonly path: string;
  readonly text: string;
  /** What the change is based on. */
  readonly base: FileReading;
}

/** A finished file that waits for its rename. */
interface PreparedFile {
  readonly replacement: FileReplacement;
  /** The file itself, when the path is a symbolic link to it. */
  readonly target: string;
  readonly next: string;
  /** The previous version, waiting to become `.bak`; undefined when there was none. */
  readonly previous: string | undefined;
}

export interface PreparedFiles {
  /**
   * Renames all of them in one synchronous stretch, or none: `mayGoOn` is asked in it, after the files were found as
   * they were. false: somebody else changed one, or `mayGoOn` answered false.
   */
  replace(mayGoOn: () => boolean): boolean;
  /** Removes what was not renamed. */
  discard(): void;
}

const temporaryMark = '.writing-';

/** Writes the new files and the copies of the old ones beside them and waits until the disk has them. */
export async function prepareFiles(
  replacements: readonly FileReplacement[],
  random: Randomness,
): Promise<PreparedFiles> {
  const prepared: PreparedFile[] = [];
  const made: string[] = [];
  const discard = () => {
    for (const path of made) rmSync(path, { force: true });
  };
  try {
    for (const replacement of replacements) {
      const target = existsSync(replacement.path) ? realpathSync(replacement.path) : replacement.path;
      removeLeftovers(target);
      const name = `${target}${temporaryMark}${random.token(6)}`;
      const previous =
        replacement.base.state === 'read' ? `${replacement.path}${temporaryMark}${random.token(6)}` : undefined;
      made.push(name);
      await writeDurably(name, replacement.text, target);
      if (previous !== undefined && replacement.base.state === 'read') {
        made.push(previous);
        await writeDurably(previous, replacement.base.text, target);
      }
      prepared.push({ replacement, target, next: name, previous });
    }
  } catch (error) {
    discard();
    throw error;
  }
  return { replace: (mayGoOn) => replaceNow(prepared, mayGoOn), discard };
}

function replaceNow(files: readonly PreparedFile[], mayGoOn: () => boolean): boolean {
  const untouched = files.every(({ replacement }) => isAsBefore(replacement));
  if (!untouched || !mayGoOn()) return false;
  for (const { replacement, previous } of files) {
    if (previous !== undefined) renameSync(previous, `${replacement.path}.bak`);
  }
  for (const { next, target } of files) renameSync(next, target);
  for (const directory of new Set(
    files.flatMap(({ target, replacement }) => [dirname(target), dirname(replacement.path)]),
  )) {
    syncDirectory(directory);
  }
  return true;
}

function isAsBefore({ path, base }: FileReplacement): boolean {
  const now = readConfigurationFile(path);
  if (now.state !== 'read' || base.state !== 'read') return now.state === base.state;
  return now.revision === base.revision;
}

/** Permissions and, where allowed, the owner are those of the file to be replaced (WRT-13). */
async function writeDurably(path: string, text: string, like: string): Promise<void> {
  const stats = statSync(like, { throwIfNoEntry: false });
  const handle = await open(path, 'wx', stats === undefined ? 0o666 : stats.mode & 0o777);
  try {
    writeFileSync(handle.fd, text);
    if (stats !== undefined) {
      try {
        fchownSync(handle.fd, stats.uid, stats.gid);
      } catch {
        // Only root may give files away; the content counts more than the owner.
      }
      fchmodSync(handle.fd, stats.mode & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A rename is on disk once its directory is. */
function syncDirectory(directory: string): void {
  // Windows has no such call.
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** What writers left that were killed: the lock is ours, so nobody is using them. */
function removeLeftovers(target: string): void {
  const prefix = `${basename(target)}${temporaryMark}`;
  for (const name of readdirSync(dirname(target))) {
    if (name.startsWith(prefix)) rmSync(join(dirname(target), name), { force: true });
  }
}
