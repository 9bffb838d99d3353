// An instance in the process of the test. One port serves the OIDC and SAML frontends, the web UI and the REST API. Its
// services are opened as in any worker. It uses no other process, thread or file (API-08).
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

/** How long a stop waits for requests in flight (API-29). */
const graceMilliseconds = 1_000;

/** Restores the state after the start. Requests in flight finish on the previous services. */
export interface RunningInstance extends LifeCycle {
  /** Without a trailing slash. */
  readonly url: string;
}

/** The services and front ends behind the socket. A reset replaces them as a whole. */
interface OpenedInstance {
  handle(request: IncomingMessage, response: ServerResponse): void;
  beginDrain(): void;
  /** Resolves when nothing is in flight in it. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** @throws AddressError, ConfigurationRejectedError, StoreRefusedError. Nothing is left open then */
export async function runInProcess(
  prepared: Prepared,
  pair: Promise<KeyPair> | undefined,
  givenUp: AbortSignal,
): Promise<RunningInstance> {
  const { start, options } = prepared;
  const log = silentUnlessAsked(options.log);
  let instance = await openInstance(prepared, log, pair, givenUp);
  const server = createServer({ keepAliveTimeout: idleMillisecondsMax }, (request, response) =>
    instance.handle(request, response),
  );
  // An instance that was not stopped does not keep the process alive (API-32).
  server.unref();
  server.on('connection', (socket) => socket.unref());
  let url: string;
  try {
    givenUp.throwIfAborted();
    const { host = '127.0.0.1', port = 0 } = start;
    url = baseUrlOf(await listenHere(server, { host, port }, addressRemedies));
  } catch (error) {
    await instance.close();
    throw error;
  }
  const life = lifeCycle({
    async reset(ended) {
      const previous = instance;
      instance = await openInstance({ ...prepared, start: { ...start, tokenMark: anotherLife() } }, log, pair, ended);
      previous.beginDrain();
      await previous.idle();
      await previous.close();
    },
    async stop(resets) {
      instance.beginDrain();
      // No new connections from here on, neither for this instance nor for one that a reset opens.
      await drain(server);
      await resets;
      await instance.close();
    },
  });
  return { url, ...life };
}

async function openInstance(
  { start, loaded }: Pick<Prepared, 'start' | 'loaded'>,
  log: Logger,
  pair: Promise<KeyPair> | undefined,
  givenUp: AbortSignal,
): Promise<OpenedInstance> {
  let first = pair;
  const { services, close } = await openServices({
    // An instance in this process uses plain HTTP, even if the configuration enables TLS.
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
  const idle = deferred<void>();
  let draining = false;
  const settle = () => {
    if (draining && inFlight === 0) idle.resolve();
  };
  return {
    handle(request, response) {
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
    async idle() {
      const late = setTimeout(idle.resolve, graceMilliseconds);
      await idle.promise;
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
