// A hook that never ends: a shell with a child, which write their pids and then wait.
import { existsSync, readFileSync } from 'node:fs';
import { isAlive, until } from './stack.ts';

export interface LingeringHook {
  readonly command: string;
  /** The pids of the shell and its child, once both run. */
  started(): Promise<readonly number[]>;
}

/** `trace`: a file that does not exist yet. */
export function lingeringHook(trace: string): LingeringHook {
  return {
    command: `sleep 600 & echo "$$ $! ." > '${trace}'; wait`,
    started: () =>
      until('the hook runs', () => {
        const text = existsSync(trace) ? readFileSync(trace, 'utf8') : '';
        return text.endsWith('.\n') && text.split(' ').slice(0, 2).map(Number);
      }),
  };
}

/** Fails if one of them still runs, and ends it, so that a failed test leaves nothing behind. */
export async function allEnded(pids: readonly number[]): Promise<void> {
  try {
    await until('the hook has ended', () => pids.every((pid) => !isAlive(pid)), 5_000);
  } finally {
    for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
  }
}
