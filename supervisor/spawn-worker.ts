// Starts the process of one worker and wraps it: orders in, checked reports out, one word on how it ended. Standard
// output belongs to the ready line of the stack, so a worker's goes to standard error as well.
import { fork, type SendHandle } from 'node:child_process';
import { join } from 'node:path';
import type { Order, Report, WorkerName } from '#shared/process/worker/mailbox.ts';
import { readReport } from './read-report.ts';

/** As in shared/process/worker/open-mailbox.ts, which the supervisor does not load. */
const workerEnvironmentName = 'TEST_IDP_WORKER';

export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Orders to a process that has just died are lost without a sound: its exit is what counts. */
  order(order: Order, handle?: object): void;
  /** At once, also when it is stopped by a signal. */
  kill(): void;
}

export interface WorkerListeners {
  onReport(report: Report): void;
  /** `how`: for a person, such as `exit code 1` or `killed by SIGKILL`. Called once. */
  onEnd(how: string): void;
}

/**
 * Nobody calls tools by the thousand a second: what its start leaves in a young generation of the usual size is worth more
 * than the little time that collecting it more often takes. The frontends would pay a tenth of their time (docs/performance.md).
 */
const furtherArguments: Partial<Record<WorkerName, readonly string[]>> = { mcp: ['--max-semi-space-size=1'] };

/** `directory`: where the built workers lie (`worker-oidc.js` and so on); `environment` comes on top of our own. */
export function spawnWorker(
  worker: WorkerName,
  directory: string,
  listeners: WorkerListeners,
  environment: Readonly<Record<string, string>> = {},
): WorkerProcess {
  const child = fork(join(directory, `worker-${worker}.js`), [], {
    env: { ...process.env, ...environment, [workerEnvironmentName]: worker },
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [...process.execArgv, ...(furtherArguments[worker] ?? [])],
  });
  let ended = false;
  const end = (how: string) => {
    if (ended) return;
    ended = true;
    listeners.onEnd(how);
  };
  child.on('message', (message: unknown) => {
    const report = readReport(message);
    if (report !== undefined) listeners.onReport(report);
  });
  child.on('exit', (code, signal) => end(signal === null ? `exit code ${code}` : `killed by ${signal}`));
  // Could not be started, or could not be told something: 'exit' follows only if it ever ran.
  child.on('error', (error) => {
    if (child.pid === undefined) end(error.message);
  });
  return {
    pid: child.pid,
    order(order, handle) {
      if (child.connected) child.send(order, handle as SendHandle | undefined, {}, () => {});
    },
    kill: () => child.kill('SIGKILL'),
  };
}
