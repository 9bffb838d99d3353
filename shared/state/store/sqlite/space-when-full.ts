// What is done when a database has no room. At the bound of its file, what is over goes at once instead of a few rows at a
// time. On a disk that others filled nothing is given up for somebody's addition: only what frees room gets the reserve.
import type { Monotonic, Stopwatch } from '#shared/base/clock.ts';
import type { DiskSpaceReserve } from './disk-space-reserve.ts';

/** The database that has none. */
interface Crowded {
  isAtBound(pagesWanted: number): boolean;
  tryWrite<Result>(work: () => Result): Result;
  returnLog(): void;
}

/** More than any one addition takes. */
const pagesOfLargest = 1024;

export interface SpaceWhenFull {
  /**
   * Makes what room there is to make within the bound; not again before the pause is over, since an attempt costs more
   * than a refusal.
   */
  freeWhatIsOver(): void;
  /** Runs what frees room, with the reserve for it. */
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
          // Then nothing could be freed: the operation says so itself.
        }
      });
    },
    withReserve,
  };
}
