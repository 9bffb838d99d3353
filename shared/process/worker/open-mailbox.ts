// A worker's end of the mailbox: the IPC channel of a process that a supervisor forked for it. Every order is checked
// before it is believed. Answering pings needs nothing but a free event loop; one that is full of work, so that the pings
// wait in a queue behind it, says by itself that it goes on (signs-of-life.ts).

import { deferred } from './deferred.ts';
import { type Order, orderModel, type Report, type WorkerName, type WorkerStart } from './mailbox.ts';
import type { TcpAddress } from './tcp-address.ts';

/** Set by the supervisor in the environment of a worker; its value is the worker's name. */
export const workerEnvironmentName = 'TEST_IDP_WORKER';

interface BoundSocket extends TcpAddress {
  readonly handle: object;
}

export interface Mailbox {
  /** The first order. Never resolves when the supervisor is gone before it could send it: then this process ends. */
  start(): Promise<WorkerStart>;
  /** The listening socket and what it is bound to, once the supervisor hands it over. */
  door(): Promise<BoundSocket>;
  onDrain(listener: () => void): void;
  onSupervisorGone(listener: () => void): void;
  /** Best effort: nobody listens any more when the supervisor is gone. */
  report(report: Report): void;
  /** Resolves when the message has left this process. */
  reportLast(report: Report): Promise<void>;
}

/** The mailbox, when a supervisor forked this process for the worker of that name. */
export function openMailbox(name: WorkerName): Mailbox | undefined {
  if (process.env[workerEnvironmentName] !== name || process.send === undefined) return undefined;
  // Processes that this one might start are nobody's workers.
  delete process.env[workerEnvironmentName];
  const started = deferred<WorkerStart>();
  const door = deferred<BoundSocket>();
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
      door.resolve({ handle, host: order.host, port: order.port });
    }
  };
  process.on('message', (message: unknown, handle: unknown) => obey(orderModel.parse(message), handle));
  process.on('disconnect', () => gone.resolve());

  return {
    start: () => started.promise,
    door: () => door.promise,
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
