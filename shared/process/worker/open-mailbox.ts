// A worker's end of the mailbox: the IPC channel of a process that a supervisor forked. Every order is validated before
// use. Replying to pings needs only a free event loop. When pings wait in the queue of a busy loop, the worker reports
// its progress on its own (report-progress-to-supervisor.ts).

import { deferred } from './deferred.ts';
import { type Order, orderModel, type Report, type WorkerName, type WorkerStart } from './mailbox.ts';
import type { TcpAddress } from './tcp-address.ts';

/** The supervisor sets it in the environment of a worker. Its value is the worker's name. */
export const workerEnvironmentName = 'TEST_IDP_WORKER';

interface BoundSocket extends TcpAddress {
  readonly handle: object;
}

export interface Mailbox {
  /**
   * The first order. Never resolves when the supervisor ended before it could send the order: then this process ends.
   */
  start(): Promise<WorkerStart>;
  /** The listening socket and its address, once the supervisor passes it. */
  socket(): Promise<BoundSocket>;
  onDrain(listener: () => void): void;
  onSupervisorGone(listener: () => void): void;
  /** Best effort: no process receives the report when the supervisor has ended. */
  report(report: Report): void;
  /** Resolves when the message has left this process. */
  reportLast(report: Report): Promise<void>;
}

/** The mailbox, when a supervisor forked this process for the worker of that name. */
export function openMailbox(name: WorkerName): Mailbox | undefined {
  if (process.env[workerEnvironmentName] !== name || process.send === undefined) return undefined;
  // Child processes of this worker are not workers of the supervisor.
  delete process.env[workerEnvironmentName];
  const started = deferred<WorkerStart>();
  const socket = deferred<BoundSocket>();
  const drained = deferred<void>();
  const gone = deferred<void>();

  const report = (message: Report) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };
  const obey = (order: Order, handle: unknown) => {
    if (order.type === 'ping') report({ type: 'pong' });
    else if (order.type === 'start') started.resolve(order);
    else if (order.type === 'drain') drained.resolve();
    else if (order.type === 'end') process.exit(1);
    else if (typeof handle === 'object' && handle !== null) {
      socket.resolve({ handle, host: order.host, port: order.port });
    }
  };
  process.on('message', (message: unknown, handle: unknown) => obey(orderModel.parse(message), handle));
  process.on('disconnect', () => gone.resolve());

  return {
    start: () => started.promise,
    socket: () => socket.promise,
    onDrain: (listener) => void drained.promise.then(listener),
    onSupervisorGone: (listener) => void gone.promise.then(listener),
    report,
    reportLast: (message) =>
      new Promise((resolve) => {
        if (!process.connected || process.send === undefined) resolve();
        else process.send(message, undefined, undefined, () => resolve());
      }),
  };
}
