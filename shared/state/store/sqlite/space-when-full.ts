// What happens when a database has no space left. At the bound of its file, all expired rows are deleted at once
// instead of a few at a time. On a disk that other data has filled, nothing is deleted for an addition. Only operations
// that free space get the reserve.
import type { Monotonic, Stopwatch } from '#shared/base/clock.ts';
import type { DiskSpaceReserve } from './disk-space-reserve.ts';

/** The database without space. */
interface Crowded {
  isAtBound(pagesWanted: number): boolean;
  tryWrite<Result>(work: () => Result): Result;
  returnLog(): void;
}

/** More pages than any single addition takes. */
const pagesOfLargest = 1024;

export interface SpaceWhenFull {
  /**
   * Frees the available space within the bound. Pauses between attempts, because an attempt costs more than a
   * rejection.
   */
  freeWhatIsOver(): void;
  /** Runs an operation that frees space, with the reserve available to it. */
  withReserve<Result>(work: () => Result): Result;
}

export function openSpaceWhenFull(
  database: Crowded,
  reserve: DiskSpaceReserve,
  stopwatch: Stopwatch,
  sweep: () => void,
  pauseMilliseconds: number,
): SpaceWhenFull {
  let last: Monotonic | undefined;
  const withReserve = <Result>(work: () => Result): Result => {
    reserve.release();
    try {
      const result = work();
      database.returnLog();
      return result;
    } finally {
      reserve.restore();
    }
  };
  return {
    freeWhatIsOver: () => {
      if (!database.isAtBound(pagesOfLargest)) return;
      if (last !== undefined && stopwatch.since(last) < pauseMilliseconds) return;
      last = stopwatch.read();
      withReserve(() => {
        try {
          database.tryWrite(sweep);
        } catch {
          // Nothing could be freed. The operation then reports it.
        }
      });
    },
    withReserve,
  };
}
