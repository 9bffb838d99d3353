// `--ready-file PATH`: a file that exists only while the program serves (PKG-24). It is created by renaming, so it is
// always complete. The file of an earlier run is deleted before this one starts, so that it is not mistaken for the
// current one.

import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorCode, messageOf } from '#shared/base/error-text.ts';

export interface ReadyFile {
  write(text: string): void;
  /** Does nothing if another process has written the file since. */
  remove(): void;
}

/** undefined when no path was given. @throws Error in one line when the file cannot be made there */
export function openReadyFile(option: string | undefined): ReadyFile | undefined {
  if (option === undefined) return undefined;
  const path = resolve(option);
  const unfinished = `${path}.${process.pid}.new`;
  try {
    if (option === '') throw new Error('an empty name');
    const present = lstatSync(path, { throwIfNoEntry: false });
    if (present !== undefined && !present.isFile() && !present.isSymbolicLink())
      throw new Error('it is not a regular file');
    writeFileSync(unfinished, '');
    rmSync(unfinished);
    rmSync(path, { force: true });
  } catch (error) {
    throw refused(path, error);
  }
  let written: string | undefined;
  return {
    write(text) {
      try {
        writeFileSync(unfinished, text);
        renameSync(unfinished, path);
      } catch (error) {
        rmSync(unfinished, { force: true });
        throw refused(path, error);
      }
      written = text;
    },
    remove() {
      if (written === undefined) return;
      try {
        if (readFileSync(path, 'utf8') === written) rmSync(path);
      } catch {
        // It is already deleted.
      }
    },
  };
}

function refused(path: string, error: unknown): Error {
  const reason = errorCode(error) ?? messageOf(error);
  return new Error(
    `--ready-file: ${path} cannot be written (${reason}). Name a file in a directory that you can write to.`,
  );
}
