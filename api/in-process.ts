// An instance within the process of the test: the OIDC and the SAML frontend with the web UI and the REST API on one
// port, over services that are opened as any worker opens them. No process, no thread, no file (API-08).
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { oidcFrontend } from '#services/oidc/frontend.ts';
import { belongsToSaml } from '#services/oidc/saml-relay.ts';
import { samlFrontend } from '#services/saml/frontend.ts';
import { generateRsaKeyPair, type KeyPair } from '#shared/keys/rsa-key-pair.ts';
import { createLogger, type Logger } from '#shared/logger.ts';
import { deferred } from '#shared/worker/deferred.ts';
import { drainServer } from '#shared/worker/drain-server.ts';
import { baseUrlOf, idleMillisecondsMax, listenHere } from '#shared/worker/listen-here.ts';
import { openServices } from '#shared/worker/open-process-services.ts';
import type { Prepared } from './start-options.ts';

/** Requests in flight get this long (API-29). */
const graceMilliseconds = 1_000;

export interface RunningInstance {
  /** Without a trailing slash. */
  readonly url: string;
  /** Everything as it was after the start; what is in flight is answered by what was before. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Everything behind the door, which is exchanged as a whole. */
interface House {
  take(request: IncomingMessage, response: ServerResponse): void;
  beginDrain(): void;
  /** Resolves when nothing is in flight in it. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** @throws AddressError, ConfigurationRejectedError, StoreRefusedError; then nothing is left open */
export async function runInProcess(
  { start, options }: Prepared,
  pair: Promise<KeyPair> | undefined,
  givenUp: AbortSignal,
): Promise<RunningInstance> {
  const log = silentUnlessAsked(options.log);
  const open = () => openHouse(start, log, pair, givenUp);
  let house = await open();
  const server = createServer({ keepAliveTimeout: idleMillisecondsMax }, (request, response) =>
    house.take(request, response),
  );
  // Nobody is kept running by an instance that was forgotten (API-32).
  server.unref();
  server.on('connection', (socket) => socket.unref());
  let url: string;
  try {
    givenUp.throwIfAborted();
    const { host = '127.0.0.1', port = 0 } = start;
    url = baseUrlOf(await listenHere(server, { host, port }));
  } catch (error) {
    await house.close();
    throw error;
  }
  return {
    url,
    async reset() {
      const former = house;
      house = await open();
      former.beginDrain();
      await former.quiet();
      await former.close();
    },
    async stop() {
      house.beginDrain();
      await drain(server);
      await house.close();
    },
  };
}

async function openHouse(
  start: Prepared['start'],
  log: Logger,
  pair: Promise<KeyPair> | undefined,
  givenUp: AbortSignal,
): Promise<House> {
  let first = pair;
  const { services, close } = await openServices({
    // What is in this process speaks plain HTTP, whatever a configuration says of TLS.
    start: { ...start, tls: 'off', runBeforeLoadHook: start.configDirectory !== undefined },
    log,
    keysInMemory: pair !== undefined,
    givenUp,
    drawKeyPair: () => {
      const drawn = first ?? generateRsaKeyPair();
      first = undefined;
      return drawn;
    },
  });
  const saml = samlFrontend(services, { relayed: false });
  const oidc = oidcFrontend(services, (path, request, response) => {
    if (!belongsToSaml(path)) return false;
    saml.listener(request, response);
    return true;
  });
  let inFlight = 0;
  const quiet = deferred<void>();
  let draining = false;
  const settle = () => {
    if (draining && inFlight === 0) quiet.resolve();
  };
  return {
    take(request, response) {
      inFlight += 1;
      response.once('close', () => {
        inFlight -= 1;
        settle();
      });
      oidc.listener(request, response);
    },
    beginDrain() {
      draining = true;
      oidc.beginDrain();
      saml.beginDrain();
      settle();
    },
    async quiet() {
      const late = setTimeout(quiet.resolve, graceMilliseconds);
      await quiet.promise;
      clearTimeout(late);
    },
    close: () => close(graceMilliseconds),
  };
}

function drain(server: Server): Promise<void> {
  return drainServer(server, graceMilliseconds, 0);
}

const nowhere = new Writable({ write: (_line, _encoding, written) => written() });

function silentUnlessAsked(level: Prepared['options']['log']): Logger {
  return createLogger({ name: 'test-idp', level, pretty: level === 'silent' ? nowhere : undefined });
}
