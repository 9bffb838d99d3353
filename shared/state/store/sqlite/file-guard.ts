// Detects that the open file is no longer the one at its path: it was deleted or replaced, and a process that opens the
// path now sees another store. Where other processes could do so, the old file is no longer used, so that there is one
// truth. Where none can, the stack continues with the file that it has.
import { statSync } from 'node:fs';
import type { Monotonic, Stopwatch } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';

export interface FileGuard {
  /** Returns whether the file is missing or replaced. Checked once a second. */
  isReplaced(): boolean;
  /** Whether a replaced file must no longer be used. */
  readonly refuses: boolean;
}

const pauseMilliseconds = 1000;

export function guardFile(
  path: string,
  { refuses, stopwatch, log }: { readonly refuses: boolean; readonly stopwatch: Stopwatch; readonly log: Logger },
): FileGuard {
  const own = identityOf(path);
  let looked: Monotonic = stopwatch.read();
  let isReplaced = false;
  const look = () => {
    if (isReplaced || stopwatch.since(looked) < pauseMilliseconds) return isReplaced;
    looked = stopwatch.read();
    isReplaced = identityOf(path) !== own;
    if (isReplaced) {
      const consequence = refuses
        ? 'This process no longer uses it'
        : 'This stack continues with its open files and does not replace workers';
      log.error({ path }, `a file of the runtime store was deleted or replaced. ${consequence}. Restart the stack`);
    }
    return isReplaced;
  };
  return { refuses, isReplaced: look };
}

function identityOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  } catch {
    return undefined;
  }
}
