// Process 1: starts the workers of a stack, owns their sockets, keeps them running and ends them in order. It contains
// no protocol code, reads no request and loads no library (docs/architecture.md; contract section SUP).

import { join } from 'node:path';
import type { Clock, Stopwatch } from '#shared/base/clock.ts';
import { messageOf } from '#shared/base/error-text.ts';
import { type StackFailure, startRefusalOf } from '#shared/base/start-refusal.ts';
import { beyondLoopback } from '#shared/process/worker/beyond-loopback.ts';
import { deferred } from '#shared/process/worker/deferred.ts';
import type { Remedies } from '#shared/process/worker/listen-here.ts';
import type { DeclaredPlace, WorkerStart } from '#shared/process/worker/mailbox.ts';
import { baseUrlOf } from '#shared/process/worker/tcp-address.ts';
import { childSpecs } from './child-specs.ts';
import { bindSharedSocket, type SharedSocket } from './shared-socket.ts';
import { drainInOrder } from './shutdown-order.ts';
import { spawnWorker } from './spawn-worker.ts';
import { makeStackDirectory, removeDeadStackDirectories } from './stack-directory.ts';
import { createStackLog } from './stack-log.ts';
import { type Directive, superviseChild } from './supervise.ts';

interface StackOptions {
  /** The options of the command line. `stack` and `store` are added here. */
  readonly start: Omit<WorkerStart, 'stack' | 'store' | 'runBeforeLoadHook'>;
  readonly oidcWorkers: number;
  /** How the user can choose another address, if there is no command line. */
  readonly remedies?: Remedies;
  readonly mcpHost: string;
  /** 0: a free one. */
  readonly mcpPort: number;
  /** Runs a demonstration relying party and service provider beside it, on a free port of 127.0.0.1. */
  readonly demo?: boolean;
  /** The directory of the built workers. */
  readonly workerDirectory: string;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  /** Runs what must run once per stack, before any worker reads the configuration (HOK-04). */
  readonly beforeWorkers: (start: Omit<WorkerStart, 'stack' | 'store' | 'runBeforeLoadHook'>) => Promise<void>;
  readonly onReady: (ready: {
    readonly baseUrl: string;
    readonly mcpUrl: string;
    readonly caFile: string | undefined;
    readonly demoUrl: string | undefined;
  }) => void;
  /** Receives the reason why the stack could not continue. Standard error has the same line. */
  readonly onFailed?: (failure: StackFailure) => void;
}

/** Runs a stack until a signal ends it or it cannot continue. Returns the exit code. */
export async function runStack(options: StackOptions): Promise<number> {
  const signals = nextSignal();
  const log = createStackLog(options.clock);
  if (options.start.logLevel !== undefined) log.setLevel(options.start.logLevel);
  const directory = await makeStackDirectory();
  const startedAt = options.clock.now();
  const failed = deferred<StackFailure>();
  const declared = deferred<DeclaredPlace>();
  const sockets = new Map<string, SharedSocket>();
  let place: Pick<WorkerStart, 'store' | 'host' | 'port' | 'tls' | 'demo' | 'logLevel' | 'atStart'> = {};
  /** The authority that the demonstration must trust, as any application must. */
  let authority: string | undefined;
  let ending = false;
  const { remarks = [], ...startOptions } = options.start;
  // Without a configuration directory this is the only place for keys, unless another was named.
  const embedded = startOptions.configDirectory === undefined ? { keysDirectory: join(directory.path, 'keys') } : {};
  const startOfWorkers = { ...embedded, ...startOptions };

  const specs = childSpecs(options.oidcWorkers, options);
  const workers = specs.length;
  const children = specs.map((spec) =>
    superviseChild(spec, {
      spawn({ worker }, listeners) {
        const trusting = worker === 'demo' && authority !== undefined ? { NODE_EXTRA_CA_CERTS: authority } : {};
        return spawnWorker(worker, options.workerDirectory, listeners, trusting);
      },
      firstDirectives: ({ id, worker }) => {
        const stack = { directory: directory.path, samlSocket: directory.samlSocket, startedAt, workers };
        const reportedBySibling = id !== specs[0]?.id;
        const start = { ...startOfWorkers, ...place, runBeforeLoadHook: false, reportedBySibling, stack };
        return [{ order: { type: 'start', ...start } }, ...socketDirective(worker)];
      },
      onReport(_spec, report) {
        if (report.type === 'declared') declared.resolve(report);
      },
      onGivenUp: failed.resolve,
      stopwatch: options.stopwatch,
      log,
    }),
  );

  function socketDirective(worker: string): readonly Directive[] {
    const socket = sockets.get(worker);
    return socket === undefined
      ? []
      : [{ order: { type: 'socket', host: socket.host, port: socket.port }, handle: socket.handle }];
  }

  async function bringUp(): Promise<void> {
    await options.beforeWorkers(startOfWorkers);
    const demoSocket = options.demo === true ? await bindSharedSocket('127.0.0.1', 0) : undefined;
    if (demoSocket !== undefined) {
      if (ending) return demoSocket.close();
      sockets.set('demo', demoSocket);
    }
    const demoUrl = demoSocket === undefined ? undefined : baseUrlOf(demoSocket);
    if (demoUrl !== undefined) place = { demo: { url: demoUrl } };
    const first = children.filter(({ spec }) => spec.starts === 'first');
    for (const child of first) child.start();
    const { host, port, store, tls, caFile, logLevel: declaredLevel, atStart } = await declared.promise;
    // All of this is fixed once. A replacement gets the same values, even if the files or the active configuration
    // have changed since (ACT-17).
    const logLevel = options.start.logLevel ?? declaredLevel;
    place = { ...place, host, port, store, tls, logLevel, atStart };
    authority = caFile;
    if (logLevel !== undefined) log.setLevel(logLevel);
    for (const { level, message } of remarks) log[level](message);
    const publicSocket = await bindSharedSocket(host, port, options.remedies);
    if (ending) return publicSocket.close();
    sockets.set('oidc', publicSocket);
    for (const warning of new Set([host, options.mcpHost].map(beyondLoopback))) {
      if (warning !== undefined) log.warn(warning);
    }
    for (const child of first) for (const directive of socketDirective(child.spec.worker)) child.send(directive);
    await Promise.all(first.map((child) => child.firstReady));

    const mcpSocket = await bindSharedSocket(options.mcpHost, options.mcpPort, { port: '--mcp-port' });
    if (ending) return mcpSocket.close();
    sockets.set('mcp', mcpSocket);
    const second = children.filter(({ spec }) => spec.starts === 'second');
    const baseUrl = baseUrlOf(publicSocket, tls === 'off' ? 'http' : 'https');
    if (demoUrl !== undefined) place = { ...place, demo: { url: demoUrl, baseUrl } };
    for (const child of second) child.start();
    await Promise.all(second.map((child) => child.firstReady));
    const mcp = await second.find(({ spec }) => spec.worker === 'mcp')?.firstReady;
    await removeDeadStackDirectories(options.clock);
    if (!ending) options.onReady({ baseUrl, mcpUrl: baseUrlOf(mcpSocket) + (mcp?.path ?? ''), caFile, demoUrl });
  }

  bringUp().catch((error: unknown) => failed.resolve({ reason: messageOf(error), refusal: startRefusalOf(error) }));
  const failure = await Promise.race([signals.first.then(() => undefined), failed.promise]);
  ending = true;
  if (failure !== undefined) {
    const reason = failure.reason.replaceAll(/\s*\n\s*/g, ' ');
    process.stderr.write(`test-idp: ${reason}\n`);
    options.onFailed?.({ ...failure, reason });
  }
  // No new connections from here on. The workers finish the open ones.
  for (const socket of sockets.values()) socket.close();
  const drained = drainInOrder(children);
  const atOnce = await Promise.race([drained.then(() => false), signals.second.then(() => true)]);
  if (atOnce) {
    for (const child of children) child.end();
    await drained;
  }
  await directory.remove();
  return failure === undefined && !atOnce ? 0 : 1;
}

/** The first SIGTERM or SIGINT requests an orderly end, the second an immediate one (SUP-09). */
function nextSignal(): { readonly first: Promise<void>; readonly second: Promise<void> } {
  const [first, second] = [deferred<void>(), deferred<void>()];
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    if (signals === 1) first.resolve();
    else second.resolve();
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return { first: first.promise, second: second.promise };
}
