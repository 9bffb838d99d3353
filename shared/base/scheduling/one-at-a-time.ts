// Work that holds much memory while it goes on, such as all that a recorder kept: one after the other in a process.

let last: Promise<unknown> = Promise.resolve();

/** Begins `work` when all that was given before has ended, in whichever way. */
export function oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = last.then(work, work);
  last = done.catch(() => undefined);
  return done;
}
