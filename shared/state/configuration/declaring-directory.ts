// Which configuration directory declares: by place and inode, so that a directory copied elsewhere is another one (CLU-13).
import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';

/**
 * undefined without a directory: nothing is declared from files then. `machine`, where others share the store: their
 * directories may lie at the same place.
 */
export function declarerOf(directory: string | undefined, machine = ''): string | undefined {
  if (directory === undefined) return undefined;
  const { dev, ino } = statSync(directory, { bigint: true });
  return createHash('sha256')
    .update(`${machine}${dev}:${ino}:${realpathSync(directory)}`)
    .digest('hex');
}
