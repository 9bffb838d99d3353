// The life of every worker: receive the start parameters, boot, announce ready, reply to pings, drain, close, end with
// an exit code. The same worker runs under a supervisor (with a mailbox) or alone (the command line starts it in its
// own process). Its boot function does not know which. This module knows no protocol and no store (SUP-07 to SUP-10).

import { rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:tls';
import { systemStopwatch } from '#shared/base/clock.ts';
import { messageOf } from '#shared/base/error-text.ts';
import { removeLocksAtExit } from '#shared/base/locking/directory-lock.ts';
import { isMendable, startRefusalOf } from '#shared/base/start-refusal.ts';
import { beyondLoopback } from './beyond-loopback.ts';
import { deferred } from './deferred.ts';
import { drainServer } from './drain-server.ts';
import { listenHere } from './listen-here.ts';
import type { DeclaredPlace, WorkerName, WorkerStart } from './mailbox.ts';
import { type Mailbox, openMailbox } from './open-mailbox.ts';
import { OpenResources } from './open-resources.ts';
import { reportProgressToSupervisor } from './report-progress-to-supervisor.ts';
import { holdStackDirectory } from './stack-lease.ts';
import { baseUrlOf, type TcpAddress } from './tcp-address.ts';

/** Requests in flight get this long after SIGTERM or SIGINT (SUP-09). */
const drainGraceMilliseconds = 10_000;
/** Orphans end "within seconds" (SUP-10). */
const orphanGraceMilliseconds = 3_000;

/** Closing gets at least this long, even when requests have used up the grace time. */
const closingMillisecondsMin = 500;

/** The context of a booting worker. */
export interface WorkerContext {
  readonly name: WorkerName;
  readonly start: WorkerStart;
  /**
   * Reports the configured address and store to the supervisor. Call it as soon as the files are read, before store and
   * keys are opened, so that the socket is bound meanwhile. Does nothing alone.
   */
  declare(place: DeclaredPlace): void;
  /**
   * Makes the server listen: on the supervisor's socket, on the stack's private socket (SAML under a supervisor), or,
   * alone, on the given address. Call it when the worker can respond. runWorker drains the server at the end. The log
   * gets a warning when other machines can reach it.
   * @throws AddressError in one line naming the address
   */
  listen(server: Server, address: TcpAddress, log: { warn(message: string): void }): Promise<void>;
  /** Registers how a resource of the boot is closed: called when the boot does not complete. */
  opened(close: () => Promise<void>): void;
  /** Ends this worker as SIGTERM does: for MCP over stdio, when the editor closes the pipe. */
  stop(): void;
  /**
   * Ends this worker and its stack with exit code 1 and one line for a person: neither this process nor a replacement
   * can go on. Requests in flight still get their response.
   */
  giveUp(reason: string): void;
}

/** A worker that has booted. */
interface RunningWorker {
  /** The suffix of the base URL in the ready line, such as `/mcp`. Default: none. */
  readonly path?: string;
  /** The file of the authority that certifies it, where there is one. */
  readonly caFile?: string | undefined;
  /**
   * Called when draining begins, before requests in flight are awaited: ends streams, which would not end on their own.
   */
  drain?(): void | Promise<void>;
  /** Closes the store, the audit and all other open resources. Pending work gets `millisecondsLeft`. */
  close(millisecondsLeft: number): Promise<void>;
}

/**
 * Opens everything the worker needs. When it throws, the start ends with exit code 1 and prints the error's message as
 * one line. So the message names file, key and remedy.
 */
export type BootWorker = (context: WorkerContext) => Promise<RunningWorker>;

/** What the command line gives to a worker that runs alone. */
interface AloneOptions {
  readonly start: WorkerStart;
  /** Called once the worker serves requests. `url` is undefined when it has no address (MCP over stdio). */
  readonly onReady: (url: string | undefined, caFile: string | undefined) => void;
}

/**
 * The last statement of a services/<name>/main.ts. It runs the worker when a supervisor started this process for it. It
 * does nothing when the command line only imported the file for its boot function.
 */
export async function runUnderSupervisor(name: WorkerName, boot: BootWorker): Promise<void> {
  const mailbox = openMailbox(name);
  if (mailbox === undefined) return;
  process.exit(await run(name, boot, { mailbox }));
}

/** Runs a worker alone until it is stopped. Returns the exit code. */
export function runWorker(name: WorkerName, boot: BootWorker, alone: AloneOptions): Promise<number> {
  return run(name, boot, { alone });
}

type StartedBy =
  | { readonly mailbox: Mailbox; readonly alone?: never }
  | { readonly alone: AloneOptions; readonly mailbox?: never };

async function run(name: WorkerName, boot: BootWorker, { mailbox, alone }: StartedBy): Promise<number> {
  // A write beyond a limit on file sizes must fail as that write, not end the process.
  process.on('SIGXFSZ', () => {});
  removeLocksAtExit();
  const ending = listenForTheEnd(mailbox);
  if (mailbox !== undefined) reportProgressToSupervisor(() => mailbox.report({ type: 'pong' }), systemStopwatch);
  const servers: Server[] = [];
  let url: string | undefined;
  const unfinished = new OpenResources();
  let running: RunningWorker | undefined;
  /** Alone: why it ends. Under a supervisor, the supervisor prints the reason. */
  let givenUp: string | undefined;
  const start = alone?.start ?? (await mailbox?.start());
  if (start === undefined) return 0;
  try {
    const lease = start.stack === undefined ? undefined : await holdStackDirectory(start.stack.directory);
    const context: WorkerContext = {
      name,
      start,
      declare: (place) => mailbox?.report({ type: 'declared', ...place }),
      async listen(server, address, log) {
        if (mailbox !== undefined && name === 'saml' && start.stack !== undefined) {
          // A killed predecessor left its socket file. The relay keeps its connections open and must never write to one
          // that is being closed as idle.
          rmSync(start.stack.samlSocket, { force: true });
          server.keepAliveTimeout = 0;
          await listenHere(server, { path: start.stack.samlSocket });
        } else if (mailbox !== undefined) {
          await listenHere(server, await mailbox.socket());
        } else {
          url = baseUrlOf(await listenHere(server, address), server instanceof TlsServer ? 'https' : 'http');
          const warning = beyondLoopback(address.host);
          if (warning !== undefined) log.warn(warning);
        }
        servers.push(server);
      },
      opened: (close) => unfinished.add(close),
      stop: () => ending.begin({ grace: drainGraceMilliseconds, orphaned: false }),
      giveUp(reason) {
        // The supervisor then drains all of its workers, including this one.
        if (mailbox !== undefined) {
          return mailbox.report({ type: 'fatal', reason: oneLine(reason), refusal: 'start_failed', forGood: true });
        }
        givenUp = reason;
        ending.begin({ grace: drainGraceMilliseconds, orphaned: false });
      },
    };
    running = await Promise.race([boot(context), ending.whileBooting()]);
    if (running !== undefined) {
      mailbox?.report({ type: 'ready', path: running.path ?? '' });
      alone?.onReady(url === undefined ? undefined : url + (running.path ?? ''), running.caFile);
    }
    const { grace, orphaned } = await ending.begun;
    if (givenUp !== undefined) process.stderr.write(`test-idp ${name}: ${oneLine(givenUp)}\n`);
    const began = systemStopwatch.read();
    await running?.drain?.();
    await Promise.all(servers.map((server) => drainServer(server, grace)));
    await (running ?? unfinished).close(Math.max(closingMillisecondsMin, grace - systemStopwatch.since(began)));
    if (orphaned) await lease?.releaseAndRemoveIfLast();
    else await lease?.release();
    return givenUp === undefined ? 0 : 1;
  } catch (error) {
    const reason = oneLine(error);
    // The error that stopped the boot is more useful than a failed close.
    if (running === undefined) await unfinished.close().catch(() => {});
    if (mailbox === undefined) process.stderr.write(`test-idp ${name}: ${reason}\n`);
    else {
      const mendable = isMendable(error) ? { mendable: true as const } : {};
      await mailbox.reportLast({ type: 'fatal', reason, refusal: startRefusalOf(error), ...mendable });
    }
    return 1;
  }
}

interface End {
  /** Milliseconds that requests in flight still get. */
  readonly grace: number;
  readonly orphaned: boolean;
}

function listenForTheEnd(mailbox: Mailbox | undefined) {
  const { promise: ended, resolve: begin } = deferred<End>();
  if (mailbox === undefined) {
    let signals = 0;
    const onSignal = () => {
      signals += 1;
      if (signals > 1) process.exit(1);
      begin({ grace: drainGraceMilliseconds, orphaned: false });
    };
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  } else {
    // Ctrl-C reaches the whole process group, and only the supervisor knows in which order its workers may end.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => mailbox.report({ type: 'asked_to_leave' }));
    mailbox.onDrain(() => begin({ grace: drainGraceMilliseconds, orphaned: false }));
    mailbox.onSupervisorGone(() => begin({ grace: orphanGraceMilliseconds, orphaned: true }));
  }
  return {
    begin,
    begun: ended,
    /** A worker that is stopped while it boots does not finish booting. */
    whileBooting: () => ended.then(() => undefined),
  };
}

/** The first line of an error, for a person. The details belong in the log. */
function oneLine(error: unknown): string {
  const message = messageOf(error);
  return message.replaceAll(/\s*\n\s*/g, ' ').trim();
}
