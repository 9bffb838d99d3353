// Decides about a run in which tests failed (test/README.md). Each file with a failure runs three more times, alone. A
// permanent fault is never forgiven, and one that appears in half of all runs is forgiven once in eight. A rare fault would
// be missed by a single run anyway, but hundreds of such tests would fail every run. There is no retry if more tests failed
// than can be coincidence, or if the run ended for another reason. Slow files run fewer times, at least once, so that CI
// ends in time.
import * as z from 'zod';

export const timesAskedAgain = 3;
const failuresMax = 3;

/** A line of the list that `failures-reporter.cjs` writes. A hook outside of any suite names no file. */
const failureModel = z.object({ file: z.string().optional(), title: z.string(), message: z.string() });

export type Failure = z.output<typeof failureModel>;

/**
 * An entry of `test/failed-once.json`: a test that once failed and then passed. The entry is removed when its cause is
 * fixed.
 */
const failedOnceModel = z.strictObject({
  file: z.string(),
  title: z.string(),
  /** The date of the failure: `2026-11-29`. */
  on: z.string(),
  /** The cause, as far as known. */
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
  /** Mocha's exit code: the number of failures. */
  readonly exitCode: number;
  /** Whether all tests of the file pass, alone. */
  readonly passes: (file: string, time: number) => boolean;
  /** Whether no file should run a second or third time any more. */
  readonly isLate: () => boolean;
}

/**
 * Why the run counts as failed, or undefined. undefined means that each file passed every retry, and that none of its
 * tests failed in an earlier run.
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
