// The last steps of a write. The new files are finished and on disk beside the old ones. Then one synchronous step
// checks lock and revisions again and renames (WRT-06, WRT-07, WRT-13 to WRT-15). A kill at any time leaves the
// complete old file or the complete new one. It may also leave a temporary file, which the next write removes. A lock
// that expires cannot stop a process that is frozen between that check and the rename, two system calls apart.

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
  /** The version that the change is based on. */
  readonly base: FileReading;
}

/** A finished file that waits for its rename. */
interface PreparedFile {
  readonly replacement: FileReplacement;
  /** The file itself, when the path is a symbolic link to it. */
  readonly target: string;
  readonly next: string;
  /** The previous version, to become `.bak`; undefined when there was none. */
  readonly previous: string | undefined;
  /**
   * A second copy of the previous version, beside the target, to be renamed back; undefined: not needed, or there was
   * no file.
   */
  readonly former: string | undefined;
}

interface PreparedFiles {
  /**
   * Renames all of them in one synchronous step, or none. It checks the lock after it has found the files unchanged.
   * false: another process changed one, or holds the lock now.
   * @throws PartlyReplacedError
   */
  replace(): boolean;
  /**
   * The same, but the result can be kept or reverted: the previous versions become `.bak` when it is kept. If another
   * process changed one of several files, none stays replaced.
   */
  replaceForNow(): Replaced | undefined;
  /** Removes the files that were not renamed. */
  discard(): void;
}

/** Replaced files, until they are kept or restored. */
interface Replaced {
  commit(): void;
  /**
   * Restores each file that still has the written content, unless another process removed its former version as a
   * leftover.
   */
  rollBack(): void;
}

const temporaryMark = '.writing-';

/**
 * Writes the new files and the copies of the old ones beside them, and waits until they are on disk. Leftovers of
 * killed writers in `directory` are removed first, as long as `lockHeld` returns true: without the lock, such a file
 * belongs to the next holder.
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

/** One file was already replaced when another could not be, because another process has changed it since. */
export class PartlyReplacedError extends Error {}

/** A writer that was frozen and has lost the lock may have removed our finished files as leftovers. */
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

/** false: another process took over the lock right after it was checked, and removed the waiting files as leftovers. */
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
    // Checked again right before each rename that counts: a process can be frozen anywhere.
    if (!mayReplace(files.slice(index), lockHeld) || !renamedUnlessTaken(() => renameSync(next, target))) {
      if (index === 0) return false;
      throw new PartlyReplacedError(
        `${target} changed in the meantime and was not written. The other file was written.`,
      );
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
  const rollBack = () => {
    for (const { replacement, target, former } of replaced.splice(0)) {
      // If another program changed the file since, its content stays.
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
        rollBack();
        return undefined;
      }
      replaced.push(file);
      onStep('file_renamed');
    }
    syncDirectoriesOf(files);
  } catch (error) {
    rollBack();
    throw error;
  }
  onStep('directory_synced');
  const commit = () => {
    // The declaration is active, even without a copy of the previous version.
    for (const file of files) renamedUnlessTaken(() => renameBackups([file], () => {}));
    onStep('backup_renamed');
  };
  return { commit, rollBack };
}

/** Whether this process may replace both files, tried with an empty file; takes no lock. */
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
        // Only root may change the owner of a file, and the content matters more.
      }
      fchmodSync(handle.fd, stats.mode & 0o7777);
    }
    onWritten();
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Filesystems without such a call on a directory return one of these, and nothing more can be done. */
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

/** Leftovers of killed writers, for either file: while this process holds the lock, they are unused. */
function removeLeftovers(directory: string, lockHeld: () => boolean): void {
  const paths = Object.values(configurationFileNames).map((name) => join(directory, name));
  for (const path of new Set(paths.flatMap((each) => [each, targetOf(each)]))) {
    const prefix = `${basename(path)}${temporaryMark}`;
    for (const name of readdirSync(dirname(path))) {
      if (name.startsWith(prefix) && lockHeld()) rmSync(join(dirname(path), name), { force: true });
    }
  }
}
