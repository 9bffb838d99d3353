// Runs work that uses much memory, such as a recorder's whole content, one task after the other in a process.

let last: Promise<unknown> = Promise.resolve();

/** Starts `work` when all previous work has ended, successfully or not. */
export function oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = last.then(work, work);
  last = done.catch(() => undefined);
  return done;
}
