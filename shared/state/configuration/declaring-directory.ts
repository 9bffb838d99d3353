// Identifies the configuration directory that declares: by path and inode, so that a copied directory is another one
// (CLU-13).
import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';

/**
 * undefined without a directory: then nothing is declared from files. `machine`, where machines share the store: their
 * directories may have the same path.
 */
export function declarerOf(directory: string | undefined, machine = ''): string | undefined {
  if (directory === undefined) return undefined;
  const { dev, ino } = statSync(directory, { bigint: true });
  return createHash('sha256')
    .update(`${machine}${dev}:${ino}:${realpathSync(directory)}`)
    .digest('hex');
}
