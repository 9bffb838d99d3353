// The last steps of a write: the new files are finished and on disk beside the old ones, then one synchronous stretch
// looks once more at lock and revisions and renames (WRT-06, WRT-07, WRT-13 to WRT-15). A kill at any instant leaves the
// old file or the new one whole; what it may leave besides is a temporary file that the next write removes. A process
// that is frozen between that look and the rename, two system calls apart, is the one that no lock by age can stop.

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
import { errorCode } from '#shared/base/error-text.ts';
import type { Randomness } from '#shared/base/random.ts';
import { configurationFileNames } from '../load/file-names.ts';
import { type FileReading, readConfigurationFile } from '../load/read-files.ts';
import type { WriteStepObserver } from './write-steps.ts';

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
  /** The previous version once more, beside the target, to be renamed back; undefined: never, or there was no file. */
  readonly former: string | undefined;
}

interface PreparedFiles {
  /**
   * Renames all of them in one synchronous stretch, or none: the lock is looked at in it, after the files were found as
   * they were. false: somebody else changed one, or has the lock now.
   * @throws PartlyReplacedError
   */
  replace(): boolean;
  /**
   * The same, to be kept or taken back: the previous versions become `.bak` when it is kept. Nothing stays replaced when
   * somebody else changed one of several.
   */
  replaceForNow(): Replaced | undefined;
  /** Removes what was not renamed. */
  discard(): void;
}

/** Files that were replaced, until it is known whether they stay so. */
interface Replaced {
  keep(): void;
  /** Puts each file back that still says what was written, as far as nobody took its former version for a leftover. */
  takeBack(): void;
}

const temporaryMark = '.writing-';

/**
 * Writes the new files and the copies of the old ones beside them and waits until the disk has them. What killed writers
 * left in `directory` goes first, as long as `lockHeld` says so: without the lock, such a file is the next holder's work.
 */
export async function prepareFiles(
  directory: string,
  replacements: readonly FileReplacement[],
  random: Randomness,
  lockHeld: () => boolean,
  {
    onStep = () => {},
    revocable = false,
  }: { readonly onStep?: WriteStepObserver | undefined; readonly revocable?: boolean } = {},
): Promise<PreparedFiles> {
  const prepared: PreparedFile[] = [];
  const made: string[] = [];
  const discard = () => {
    for (const path of made) rmSync(path, { force: true });
  };
  try {
    removeLeftovers(directory, lockHeld);
    for (const replacement of replacements) {
      const { path, text, base } = replacement;
      const target = targetOf(path);
      const temporary = (place: string) => {
        const name = `${place}${temporaryMark}${random.token(6)}`;
        made.push(name);
        return name;
      };
      const next = temporary(target);
      await writeDurably(next, text, target, () => onStep('next_version_written'));
      onStep('next_version_synced');
      const previous = base.state === 'read' ? temporary(path) : undefined;
      if (previous !== undefined && base.state === 'read') await writeDurably(previous, base.text, target);
      const former = revocable && base.state === 'read' ? temporary(target) : undefined;
      if (former !== undefined && base.state === 'read') await writeDurably(former, base.text, target);
      onStep('previous_version_synced');
      prepared.push({ replacement, target, next, previous, former });
    }
  } catch (error) {
    discard();
    throw error;
  }
  return {
    replace: () => replaceNow(prepared, lockHeld, onStep),
    replaceForNow: () => replaceForNow(prepared, lockHeld, onStep),
    discard,
  };
}

/** A file was replaced already when another could no longer be: somebody else has changed it since. */
export class PartlyReplacedError extends Error {}

/** A thawed writer that had just lost the lock may have taken our finished files for leftovers. */
function mayReplace(files: readonly PreparedFile[], lockHeld: () => boolean): boolean {
  return files.every(({ replacement, next }) => isAsBefore(replacement) && existsSync(next)) && lockHeld();
}

function backupsAreThere(files: readonly PreparedFile[]): boolean {
  return files.every(({ previous }) => previous === undefined || existsSync(previous));
}

function renameBackups(files: readonly PreparedFile[], onStep: WriteStepObserver): void {
  for (const { replacement, previous } of files) {
    if (previous !== undefined) renameSync(previous, `${replacement.path}.bak`);
  }
  onStep('backup_renamed');
}

/** false: whoever took the lock over, right after it was looked at, has removed what waited here as a leftover. */
function renamedUnlessTaken(rename: () => void): boolean {
  try {
    rename();
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function syncDirectoriesOf(files: readonly PreparedFile[]): void {
  const places = files.flatMap(({ target, replacement }) => [dirname(target), dirname(replacement.path)]);
  for (const place of new Set(places)) syncDirectory(place);
}

function replaceNow(files: readonly PreparedFile[], lockHeld: () => boolean, onStep: WriteStepObserver): boolean {
  if (!mayReplace(files, lockHeld) || !backupsAreThere(files)) return false;
  if (!renamedUnlessTaken(() => renameBackups(files, onStep))) return false;
  for (const [index, { next, target }] of files.entries()) {
    // Asked again right before each rename that counts: a process can be frozen anywhere.
    if (!mayReplace(files.slice(index), lockHeld) || !renamedUnlessTaken(() => renameSync(next, target))) {
      if (index === 0) return false;
      throw new PartlyReplacedError(`${target} was changed meanwhile and stays; the other file is written`);
    }
    onStep('file_renamed');
  }
  syncDirectoriesOf(files);
  onStep('directory_synced');
  return true;
}

function replaceForNow(
  files: readonly PreparedFile[],
  lockHeld: () => boolean,
  onStep: WriteStepObserver,
): Replaced | undefined {
  const replaced: PreparedFile[] = [];
  const takeBack = () => {
    for (const { replacement, target, former } of replaced.splice(0)) {
      // A program that changed the file since knows what it should say.
      const now = readConfigurationFile(target);
      if (now.state !== 'read' || now.text !== replacement.text) continue;
      if (former === undefined) rmSync(target, { force: true });
      else renamedUnlessTaken(() => renameSync(former, target));
    }
    syncDirectoriesOf(files);
  };
  if (!backupsAreThere(files)) return undefined;
  try {
    for (const [index, file] of files.entries()) {
      if (!mayReplace(files.slice(index), lockHeld) || !renamedUnlessTaken(() => renameSync(file.next, file.target))) {
        takeBack();
        return undefined;
      }
      replaced.push(file);
      onStep('file_renamed');
    }
    syncDirectoriesOf(files);
  } catch (error) {
    takeBack();
    throw error;
  }
  onStep('directory_synced');
  const keep = () => {
    // What was declared is in force, also without the copy of what was before it.
    for (const file of files) renamedUnlessTaken(() => renameBackups([file], () => {}));
    onStep('backup_renamed');
  };
  return { keep, takeBack };
}

/** Whether this process may put files in the places of both, tried with an empty one; asks for no lock. */
export function mayReplaceFiles(directory: string, random: Randomness): boolean {
  const paths = Object.values(configurationFileNames).flatMap((name) => [
    join(directory, name),
    targetOf(join(directory, name)),
  ]);
  return [...new Set(paths)].every((path) => {
    const probe = `${path}${temporaryMark}${random.token(6)}`;
    try {
      closeSync(openSync(probe, 'wx'));
      rmSync(probe, { force: true });
      return true;
    } catch (error) {
      return !isForbidden(error);
    }
  });
}

/** No permission, or a filesystem that is mounted read-only. */
export function isForbidden(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '');
}

/** The file itself, when the path is a symbolic link to it. */
function targetOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function isAsBefore({ path, base }: FileReplacement): boolean {
  const now = readConfigurationFile(path);
  if (now.state !== 'read' || base.state !== 'read') return now.state === base.state;
  return now.revision === base.revision;
}

/** Permissions and, where allowed, the owner are those of the file to be replaced (WRT-13). */
async function writeDurably(path: string, text: string, like: string, onWritten = () => {}): Promise<void> {
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
    onWritten();
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Filesystems that know no such call on a directory answer with one of these; there is nothing more to be had then. */
const unsupportedCodes: ReadonlySet<string | undefined> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** A rename is on disk once its directory is. */
function syncDirectory(directory: string): void {
  // Windows has no such call.
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!unsupportedCodes.has(errorCode(error))) throw error;
  } finally {
    closeSync(handle);
  }
}

/** What writers left that were killed, of either file: while the lock is ours, nobody is using it. */
function removeLeftovers(directory: string, lockHeld: () => boolean): void {
  const paths = Object.values(configurationFileNames).map((name) => join(directory, name));
  for (const path of new Set(paths.flatMap((each) => [each, targetOf(each)]))) {
    const prefix = `${basename(path)}${temporaryMark}`;
    for (const name of readdirSync(dirname(path))) {
      if (name.startsWith(prefix) && lockHeld()) rmSync(join(dirname(path), name), { force: true });
    }
  }
}
