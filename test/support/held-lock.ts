// Holds the lock of a directory as another process would, and refreshes it.
import { mkdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const refreshedAfterMilliseconds = 500;

/** Returns a function that releases the lock. */
export function holdLock(directory: string): () => void {
  const lock = join(directory, '.lock');
  mkdirSync(lock);
  return keepLock(lock);
}

/** Refreshes a new lock. Its time is in the future, so that no process treats it as stale between two refreshes. */
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
