// The life of one child under the supervisor: started, watched by heartbeat, replaced when it ends, drained at the end.
// It does not know what the child does.
import type { Stopwatch } from '#shared/base/clock.ts';
import type { StackFailure, StartRefusal } from '#shared/base/start-refusal.ts';
import type { Order, Report } from '#shared/process/worker/mailbox.ts';
import type { ChildSpec } from './child-specs.ts';
import {
  decideRestart,
  healthyAfterMilliseconds,
  pauseAfterSilence,
  pauseBeforeMending,
  periodMilliseconds,
  restartsMax,
} from './restart-intensity.ts';
import type { WorkerListeners, WorkerProcess } from './spawn-worker.ts';
import type { StackLog } from './stack-log.ts';

const pingMilliseconds = 1_000;
/** A worker is killed after this many consecutive pings without a response: it did not respond for 10 s (SUP-08). */
const missedPingsMax = 10;

/** For a worker that must end at once, which takes one turn of its event loop. */
const atOnceMilliseconds = 300;

export interface Directive {
  readonly order: Order;
  readonly handle?: object;
}

interface ChildDependencies {
  spawn(spec: ChildSpec, listeners: WorkerListeners): WorkerProcess;
  /** The first orders to a new process of this child. */
  firstDirectives(spec: ChildSpec): readonly Directive[];
  /** Everything but `pong`. */
  onReport(spec: ChildSpec, report: Report): void;
  /** The stack cannot continue. `reason` names the worker (SUP-07). */
  onGivenUp(failure: StackFailure): void;
  readonly stopwatch: Stopwatch;
  readonly log: StackLog;
}

export interface Child {
  readonly spec: ChildSpec;
  /** Resolves when it is ready for the first time, with its report. */
  readonly firstReady: Promise<{ readonly path: string }>;
  start(): void;
  /** Sends to the running process, if there is one. */
  send(directive: Directive): void;
  /** Requests a drain and resolves when the process has ended. It is ended at once after `graceMilliseconds`. */
  drain(graceMilliseconds: number): Promise<void>;
  /** Orders the process to exit at once, so that it also ends its running commands. If it does not exit, it is killed. */
  end(): void;
}

export function superviseChild(spec: ChildSpec, dependencies: ChildDependencies): Child {
  const { spawn, firstDirectives, onReport, onGivenUp, stopwatch, log } = dependencies;
  let living: WorkerProcess | undefined;
  let stopHeartbeat = () => {};
  let pause: NodeJS.Timeout | undefined;
  let history: Parameters<typeof decideRestart>[0] = [];
  let silencesInARow = 0;
  let wasSilent = false;
  let unusableInARow = 0;
  let isWaitingForMending = false;
  let startedAt = stopwatch.read();
  let everReady = false;
  let lastReason: string | undefined;
  let lastRefusal: StartRefusal = 'start_failed';
  let stopping = false;
  let whenEnded = () => {};
  let announceReady: (report: { path: string }) => void = () => {};
  const firstReady = new Promise<{ path: string }>((resolve) => {
    announceReady = resolve;
  });

  function start(): void {
    if (stopping) return;
    let answered = () => {};
    const worker = spawn(spec, {
      onReport(report) {
        answered();
        if (report.type !== 'pong') handleReport(report);
      },
      onEnd: (how) => afterEnd(how),
    });
    living = worker;
    lastReason = undefined;
    lastRefusal = 'start_failed';
    wasSilent = false;
    isWaitingForMending = false;
    startedAt = stopwatch.read();
    for (const { order, handle } of firstDirectives(spec)) worker.order(order, handle);
    const heartbeat = watch(worker);
    answered = heartbeat.answered;
    stopHeartbeat = heartbeat.stop;
  }

  function handleReport(report: Report): void {
    if (report.type === 'ready') {
      if (everReady) log.info(`${spec.id} is ready again`);
      everReady = true;
      unusableInARow = 0;
      announceReady(report);
    } else if (report.type === 'fatal') {
      lastReason = report.reason;
      lastRefusal = report.refusal;
      isWaitingForMending = report.mendable === true;
      // A first start fails at once, because a person waits for the reason.
      if ((!everReady || report.forGood === true) && !stopping) {
        giveUp({ reason: `${spec.id}: ${report.reason}`, refusal: report.refusal });
      }
    } else if (report.type === 'asked_to_leave') {
      if (!stopping) living?.order({ type: 'drain' });
    }
    onReport(spec, report);
  }

  function afterEnd(how: string): void {
    stopHeartbeat();
    living = undefined;
    whenEnded();
    if (stopping) return;
    // Before the first ready report there is nothing to lose, and a person waits for the reason.
    if (wasSilent && everReady) {
      if (stopwatch.since(startedAt) >= healthyAfterMilliseconds) silencesInARow = 0;
      replace(how, pauseAfterSilence(silencesInARow));
      silencesInARow += 1;
      return;
    }
    // The service of its siblings and the data in the memory store are worth more than an early end.
    if (isWaitingForMending && everReady) {
      const pauseMilliseconds = pauseBeforeMending(unusableInARow);
      unusableInARow += 1;
      const next = `Fix the cause. The stack needs no restart: the next attempt follows in ${pauseMilliseconds} ms`;
      startLater(`${spec.id} cannot start: ${lastReason?.replace(/\.$/, '')}. ${next}`, pauseMilliseconds);
      return;
    }
    const decision = decideRestart(history, stopwatch.read());
    if (!decision.restart) {
      const why = lastReason === undefined ? how : `${how}: ${lastReason}`;
      const often = `${restartsMax + 1} times within ${periodMilliseconds / 1000} s`;
      giveUp({ reason: `${spec.id} ended ${often}, so the stack stops. Last end: ${why}`, refusal: lastRefusal });
      return;
    }
    history = decision.history;
    replace(how, decision.pauseMilliseconds);
  }

  function replace(how: string, pauseMilliseconds: number): void {
    startLater(`${spec.id} ended (${how}). Its replacement starts in ${pauseMilliseconds} ms`, pauseMilliseconds);
  }

  function startLater(reason: string, pauseMilliseconds: number): void {
    log.warn(reason);
    if (pauseMilliseconds === 0) start();
    else pause = setTimeout(start, pauseMilliseconds);
  }

  function giveUp(failure: StackFailure): void {
    stopping = true;
    onGivenUp(failure);
  }

  function watch(worker: WorkerProcess): { answered(): void; stop(): void } {
    // Counts ticks instead of time: a supervisor that was stopped for a while has missed its own ticks too.
    let missed = 0;
    const timer = setInterval(() => {
      if (missed >= missedPingsMax) {
        log.warn(
          `${spec.id} has not responded for ${(missedPingsMax * pingMilliseconds) / 1000} s, so the supervisor kills it`,
        );
        wasSilent = true;
        worker.kill();
        return;
      }
      missed += 1;
      worker.order({ type: 'ping' });
    }, pingMilliseconds);
    return {
      answered: () => {
        missed = 0;
      },
      stop: () => clearInterval(timer),
    };
  }

  function endAtOnce(worker: WorkerProcess): void {
    worker.order({ type: 'end' });
    setTimeout(() => {
      if (living === worker) worker.kill();
    }, atOnceMilliseconds);
  }

  return {
    spec,
    firstReady,
    start,
    send: ({ order, handle }) => living?.order(order, handle),
    async drain(graceMilliseconds) {
      stopping = true;
      clearTimeout(pause);
      const worker = living;
      if (worker === undefined) return;
      const force = setTimeout(() => endAtOnce(worker), graceMilliseconds);
      const ended = new Promise<void>((resolve) => {
        whenEnded = resolve;
      });
      worker.order({ type: 'drain' });
      await ended;
      clearTimeout(force);
    },
    end() {
      stopping = true;
      clearTimeout(pause);
      if (living !== undefined) endAtOnce(living);
    },
  };
}
