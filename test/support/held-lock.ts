// The lock of a directory as another process holds and refreshes it.
import { mkdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const refreshedAfterMilliseconds = 500;

/** Returns a function that releases it. */
export function holdLock(directory: string): () => void {
  const lock = join(directory, '.lock');
  mkdirSync(lock);
  return keepLock(lock);
}

/** The time of a new lock. It is in the future, so that no process considers it stale between two refreshes. */
export function keepLock(lock: string): () => void {
  let seconds = 4e9;
  const refresh = () => {
    seconds += 1;
    utimesSync(lock, seconds, seconds);
  };
  refresh();
  const timer = setInterval(refresh, refreshedAfterMilliseconds);
  return () => {
    clearInterval(timer);
    rmSync(lock, { recursive: true, force: true });
  };
}
