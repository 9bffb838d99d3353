// An instance within the process of the test: the OIDC and the SAML frontend with the web UI and the REST API on one
// port, over services that are opened as any worker opens them. No process, no thread, no file (API-08).
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { oidcFrontend } from '#services/oidc/frontend.ts';
import { belongsToSaml } from '#services/oidc/saml-relay.ts';
import { samlFrontend } from '#services/saml/frontend.ts';
import { createLogger, type Logger } from '#shared/base/logger.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { logSecrets } from '#shared/model/secrets/what-is-secret.ts';
import { deferred } from '#shared/process/worker/deferred.ts';
import { drainServer } from '#shared/process/worker/drain-server.ts';
import { idleMillisecondsMax, listenHere } from '#shared/process/worker/listen-here.ts';
import { type OpenedServices, openServices } from '#shared/process/worker/open-process-services.ts';
import { baseUrlOf } from '#shared/process/worker/tcp-address.ts';
import { generateKeyPair, type KeyPair } from '#shared/state/keys/key-pair.ts';
import { addressRemedies } from './address-remedies.ts';
import { anotherLife, type LifeCycle, lifeCycle } from './life-cycle.ts';
import type { Prepared } from './start-options.ts';

/** Requests in flight get this long (API-29). */
const graceMilliseconds = 1_000;

/** A reset makes everything as it was after the start; what is in flight is answered by what was before. */
export interface RunningInstance extends LifeCycle {
  /** Without a trailing slash. */
  readonly url: string;
}

/** Everything behind the door, which is exchanged as a whole. */
interface OpenedInstance {
  take(request: IncomingMessage, response: ServerResponse): void;
  beginDrain(): void;
  /** Resolves when nothing is in flight in it. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** @throws AddressError, ConfigurationRejectedError, StoreRefusedError; then nothing is left open */
export async function runInProcess(
  prepared: Prepared,
  pair: Promise<KeyPair> | undefined,
  givenUp: AbortSignal,
): Promise<RunningInstance> {
  const { start, options } = prepared;
  const log = silentUnlessAsked(options.log);
  let house = await openHouse(prepared, log, pair, givenUp);
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
    url = baseUrlOf(await listenHere(server, { host, port }, addressRemedies));
  } catch (error) {
    await house.close();
    throw error;
  }
  const life = lifeCycle({
    async reset(ended) {
      const former = house;
      house = await openHouse({ ...prepared, start: { ...start, tokenMark: anotherLife() } }, log, pair, ended);
      former.beginDrain();
      await former.quiet();
      await former.close();
    },
    async stop(resets) {
      house.beginDrain();
      // Nobody comes in any more, whichever house is there.
      await drain(server);
      await resets;
      await house.close();
    },
  });
  return { url, ...life };
}

async function openHouse(
  { start, loaded }: Pick<Prepared, 'start' | 'loaded'>,
  log: Logger,
  pair: Promise<KeyPair> | undefined,
  givenUp: AbortSignal,
): Promise<OpenedInstance> {
  let first = pair;
  const { services, close } = await openServices({
    // What is in this process speaks plain HTTP, whatever a configuration says of TLS.
    start: { ...start, tls: 'off', runBeforeLoadHook: start.configDirectory !== undefined },
    log,
    loaded,
    keysInMemory: pair !== undefined,
    givenUp,
    drawKeyPair: (algorithm) => {
      const drawn = first ?? generateKeyPair(algorithm);
      first = undefined;
      return drawn;
    },
  });
  try {
    return openedInstance(services, close);
  } catch (error) {
    await close(0);
    throw error;
  }
}

function openedInstance(services: ProcessServices, close: OpenedServices['close']): OpenedInstance {
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
  return createLogger({
    name: 'test-idp',
    level,
    pretty: level === 'silent' ? nowhere : undefined,
    secrets: logSecrets,
  });
}
