// Tells whoever waits for a call that it is still at work: a client that hears nothing gives up after a minute, and a save
// may wait for the lock of the directory and for hooks that take longer than that. Quick calls are not reported at all.

const secondsBetweenReports = 1;

export interface ProgressReport {
  /** Grows with every report, as MCP asks for; seconds since the call began. */
  readonly progress: number;
  readonly message: string;
}

/**
 * Answers what `call` answers and reports once a second until then. `waitsFor`: what the tool may be waiting for. A
 * report that cannot be delivered changes nothing for the call.
 */
export async function reportProgress<Result>(
  call: Promise<Result>,
  waitsFor: string | undefined,
  notify: (report: ProgressReport) => Promise<void>,
): Promise<Result> {
  let progress = 0;
  const timer = setInterval(() => {
    progress += secondsBetweenReports;
    const reason = waitsFor === undefined ? '' : `; it may be waiting for ${waitsFor}`;
    notify({ progress, message: `Still at work after ${progress} s${reason}.` }).catch(() => {});
  }, secondsBetweenReports * 1000);
  try {
    return await call;
  } finally {
    clearInterval(timer);
  }
}
