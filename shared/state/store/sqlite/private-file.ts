// Files that nobody else reads, whatever the umask (STO-04).
import { closeSync, fchmodSync, openSync } from 'node:fs';

/** @throws when there is a file already */
export function makePrivateEmptyFile(path: string): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}
