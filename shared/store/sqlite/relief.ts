// What is done when a database has no room: what is over goes at once instead of a few rows at a time, and the log gives
// its room back. The reserve makes that possible on a full disk, and is restored before anybody adds anything.
import type { Monotonic, Stopwatch } from '#shared/clock.ts';
import type { Reserve } from './reserve.ts';

/** The database that has none. */
interface Crowded {
  tryWrite<Result>(work: () => Result): Result;
  returnLog(): void;
}

export interface Relief {
  /** Makes what room there is to make; not again before the pause is over, since an attempt costs more than a refusal. */
  tryOnce(): void;
  /** Runs what frees room, with the reserve for it. */
  withReserve<Result>(work: () => Result): Result;
}

export function openRelief(
  database: Crowded,
  reserve: Reserve,
  stopwatch: Stopwatch,
  sweep: () => void,
  pauseMilliseconds: number,
): Relief {
  let last: Monotonic | undefined;
  const withReserve = <Result>(work: () => Result): Result => {
    reserve.release();
    try {
      return work();
    } finally {
      database.returnLog();
      reserve.restore();
    }
  };
  return {
    tryOnce: () => {
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
