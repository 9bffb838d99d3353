// The lock of a directory as another process holds it: one that refreshes it.
import { mkdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const refreshedAfterMilliseconds = 500;

/** Answers what gives it up. */
export function holdLock(directory: string): () => void {
  const lock = join(directory, '.lock');
  mkdirSync(lock);
  return keepLock(lock);
}

/** Of a lock that was just made. Its time lies ahead, so that nobody takes it for a leftover between two refreshes. */
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
