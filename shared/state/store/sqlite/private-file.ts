// Files that no other user can read, with any umask (STO-04).
import { closeSync, fchmodSync, openSync } from 'node:fs';

/** @throws when the file already exists */
export function makePrivateEmptyFile(path: string): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}
