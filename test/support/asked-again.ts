// What becomes of a run in which tests failed (test/README.md): its files are asked three times more, alone. A fault that
// always shows is never forgiven, one that shows in half of all runs once in eight; one that shows in a hundredth is not
// found by a single run either, but hundreds of such tests would stop each run. Not asked again is a run in which more
// failed than accidents come together, nor one that ended for another reason. Where files take long they are asked less
// often, and once at least, so that CI ends within its time.
import * as z from 'zod';

export const timesAskedAgain = 3;
const failuresMax = 3;

/** A line of the list that `failures-reporter.cjs` keeps; a hook outside of any suite names no file. */
const failureModel = z.object({ file: z.string().optional(), title: z.string(), message: z.string() });

export type Failure = z.output<typeof failureModel>;

/** An entry of `test/failed-once.json`: a test that once failed and then passed. It is removed with its cause. */
const failedOnceModel = z.strictObject({
  file: z.string(),
  title: z.string(),
  /** The day on which it failed: `2026-11-29`. */
  on: z.string(),
  /** Why, as far as it is known. */
  cause: z.string(),
});

export type FailedOnce = z.output<typeof failedOnceModel>;

export function readFailedOnce(text: string): readonly FailedOnce[] {
  return z.array(failedOnceModel).parse(JSON.parse(text));
}

export function readFailures(list: string): readonly Failure[] {
  return list
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => failureModel.parse(JSON.parse(line)));
}

interface FailedRun {
  /** Tests that failed once in an earlier run. */
  readonly failedBefore: readonly FailedOnce[];
  readonly failures: readonly Failure[];
  /** Mocha's: how many failed. */
  readonly exitCode: number;
  /** Whether all tests of the file pass, alone. */
  readonly passes: (file: string, time: number) => boolean;
  /** No file is asked a second or third time any more. */
  readonly isLate: () => boolean;
}

/**
 * Why the run counts as failed. undefined: each file passed as often as it was run again, and none of the tests failed in an
 * earlier run.
 */
export function whyItFailed({ failures, failedBefore, exitCode, passes, isLate }: FailedRun): string | undefined {
  if (failures.length === 0 || failures.length !== exitCode) {
    return `the run ended with ${exitCode}, and the failures of ${failures.length} tests are known`;
  }
  if (failures.length > failuresMax) return `${failures.length} tests failed: not asked again`;
  const again = failures.find(({ file, title }) =>
    failedBefore.some((earlier) => earlier.file === file && earlier.title === title),
  );
  if (again !== undefined)
    return `${again.file}: “${again.title}” failed in an earlier run, too (test/failed-once.json)`;
  for (const file of new Set(failures.map((failure) => failure.file))) {
    if (file === undefined) return 'a failure names no file';
    for (let time = 1; time <= timesAskedAgain && (time === 1 || !isLate()); time += 1) {
      if (!passes(file, time)) return `${file} failed again`;
    }
  }
}
