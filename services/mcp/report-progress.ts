// Reports to the client that its call is still in progress. A client without reports gives up after a minute, and a
// save may wait longer for the lock of the directory and for hooks. Quick calls are not reported.

const secondsBetweenReports = 1;

export interface ProgressReport {
  /** Seconds since the call began. Grows with every report, as MCP requires. */
  readonly progress: number;
  readonly message: string;
}

/**
 * Returns the result of `call`, and reports once a second until then. `waitsFor`: what the tool may be waiting for. A
 * report that cannot be delivered does not affect the call.
 */
export async function reportProgress<Result>(
  call: Promise<Result>,
  waitsFor: string | undefined,
  notify: (report: ProgressReport) => Promise<void>,
): Promise<Result> {
  let progress = 0;
  const timer = setInterval(() => {
    progress += secondsBetweenReports;
    const reason = waitsFor === undefined ? '' : `, possibly waiting for ${waitsFor}`;
    notify({ progress, message: `Still running after ${progress} s${reason}.` }).catch(() => {});
  }, secondsBetweenReports * 1000);
  try {
    return await call;
  } finally {
    clearInterval(timer);
  }
}
