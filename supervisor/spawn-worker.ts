// Starts the process of one worker and wraps it: sends orders, checks reports, and reports how it ended. Standard
// output is reserved for the stack's ready line, so a worker's standard output goes to standard error.
import { fork, type SendHandle } from 'node:child_process';
import { join } from 'node:path';
import type { Order, Report, WorkerName } from '#shared/process/worker/mailbox.ts';
import { readReport } from './read-report.ts';

/** As in shared/process/worker/open-mailbox.ts, which the supervisor does not load. */
const workerEnvironmentName = 'TEST_IDP_WORKER';

export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Orders to a process that has just died are lost silently. Its exit is reported separately. */
  order(order: Order, handle?: object): void;
  /** Immediately, even if the process is stopped by a signal. */
  kill(): void;
}

export interface WorkerListeners {
  onReport(report: Report): void;
  /** `how`: text for people, such as `exit code 1` or `killed by SIGKILL`. Called once. */
  onEnd(how: string): void;
}

/**
 * Tools are not called thousands of times a second. The memory that a smaller young generation saves is worth more than
 * the extra time for garbage collection. The front ends would lose a tenth of their time (docs/performance.md).
 */
const furtherArguments: Partial<Record<WorkerName, readonly string[]>> = { mcp: ['--max-semi-space-size=1'] };

/**
 * `directory`: the directory of the built workers (`worker-oidc.js` and so on). `environment` is added to this
 * process's environment.
 */
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
  // It could not be started, or a message could not be sent. 'exit' follows only if the process ever ran.
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
