// The store that `runtime.url` names: waits for its server for a while, rejects an unusable one with the remedy, and
// opens it. The only module that loads the driver.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import pg from 'pg';
import { messageOf } from '#shared/base/error-text.ts';
import {
  isSocketDirectory,
  type PostgresAddress,
  type PostgresHost,
  readPostgresUrl,
  shownHost,
  sslModeOf,
} from '#shared/model/runtime-store/postgres-url.ts';
import { storeDeadlineMilliseconds } from '#shared/model/runtime-store/store-deadline.ts';
import type { PostgresLocation } from '#shared/model/runtime-store/store-location.ts';
import type { OpenedStore, OpenStoreDependencies } from '../opened-store.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import { StoreFileUnusableError, StoreRefusedError } from '../store-refused.ts';
import { type Connect, isBroken, sqlState } from './connection.ts';
import { connectWith, type DriverOptions, StandbyError, UntrustedServerError } from './driver.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import { requireUsableServer } from './usable-server.ts';

const keysInClear =
  'runtime.store: postgres: the database contains the signing keys unencrypted, readable for every user with access to it (docs/scale.md)';
/** How long a server that starts together with the stack may take to respond (PGS-06). */
const firstAnswerMilliseconds = 15_000;
const pauseMilliseconds = 200;

/** @throws StoreRefusedError, naming host, port and reason */
export async function openPostgresLocation(
  location: PostgresLocation,
  deps: OpenStoreDependencies,
  patienceMilliseconds = firstAnswerMilliseconds,
): Promise<Omit<OpenedStore, 'location'>> {
  const address = readPostgresUrl(location.url);
  if ('problem' in address) throw new StoreRefusedError(`runtime.url: ${address.problem}.`);
  const servers = address.hosts.map((host) => serverOf(address, host, location.directory));
  // A unique name for this worker: processes of two machines may have the same process id (PGS-39).
  const applicationName = `test-idp ${process.pid}-${deps.random.token(6)}`;
  const { schema, poolSize } = location;
  const connect = connectWith(pg, { servers, schema, applicationName });
  const connectAtStart = patiently(connect, deps, patienceMilliseconds);
  try {
    await requireUsableServer(await connectAtStart(storeDeadlineMilliseconds), connectAtStart);
    const opened = await openPostgresStore({ connect, connectAtStart, schema, poolSize }, deps);
    if (deps.mustExist !== true) deps.log.warn(keysInClear);
    return opened;
  } catch (error) {
    throw asRefused(error, address, schema);
  }
}

/**
 * Retries while no server responds. `patience` applies to each connection, because a start may wait for other processes
 * between two of them.
 */
function patiently(connect: Connect, { stopwatch, log, givenUp }: OpenStoreDependencies, patience: number): Connect {
  return async (timeoutMilliseconds) => {
    const start = stopwatch.read();
    for (;;) {
      givenUp?.throwIfAborted();
      try {
        return await connect(timeoutMilliseconds);
      } catch (error) {
        const isDecided = error instanceof StandbyError || error instanceof UntrustedServerError;
        const mayComeYet = isBroken(error) && !isDecided;
        if (!mayComeYet || stopwatch.since(start) >= patience) throw error;
        log.debug({ reason: reasonOf(error) }, 'PostgreSQL does not respond yet');
      }
      await pause(pauseMilliseconds);
    }
  };
}

function serverOf(address: PostgresAddress, host: PostgresHost, directory: string): DriverOptions {
  const { user, password, database } = address;
  return { ...host, user, password, database, ssl: tlsOf(address, host, directory) };
}

/** As in libpq: `require` does not verify the server's identity unless an authority is configured. */
function tlsOf(address: PostgresAddress, host: PostgresHost, directory: string): object | false {
  const mode = sslModeOf(address, host);
  if (mode === 'disable') return false;
  const { sslrootcert, sslcert, sslkey } = address.sslFiles;
  const file = (name: string, path: string | undefined) => {
    if (path === undefined) return undefined;
    const place = resolve(directory, path);
    try {
      return readFileSync(place, 'utf8');
    } catch {
      throw new StoreFileUnusableError(
        `runtime.url: ${name} ${place} cannot be read. Paths are relative to the configuration directory.`,
      );
    }
  };
  const ca = file('sslrootcert', sslrootcert);
  const own = { cert: file('sslcert', sslcert), key: file('sslkey', sslkey), passphrase: address.sslPassphrase };
  try {
    createSecureContext({ ca, ...own });
  } catch (error) {
    throw new StoreFileUnusableError(
      `runtime.url: sslrootcert, sslcert or sslkey is invalid (${reasonOf(error)}). Each must name a PEM file, and a key with a passphrase requires sslpassword.`,
    );
  }
  return {
    ca,
    ...own,
    rejectUnauthorized: mode !== 'require' || ca !== undefined,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

function asRefused(thrown: unknown, { hosts, user, database }: PostgresAddress, schema: string): unknown {
  if (thrown instanceof StoreRefusedError) return thrown;
  // The first query of the opened store fails like that of a request: the reason is in the error's cause.
  const isUnavailable = thrown instanceof RuntimeStoreUnavailableError && thrown.cause !== undefined;
  const error = isUnavailable ? thrown.cause : thrown;
  const place = hosts.map((host) => (isSocketDirectory(host.host) ? host.host : shownHost(host))).join(', ');
  const refused = (sentence: string) => new StoreRefusedError(`runtime.url: ${sentence}`, { cause: error });
  const reason = reasonOf(error);
  const state = sqlState(error);
  if (error instanceof StandbyError) {
    return refused(`PostgreSQL at ${place} is a standby, which rejects writes. Add its primary to runtime.url.`);
  }
  if (error instanceof UntrustedServerError) {
    const remedy =
      'Set sslrootcert to its authority and use the host name of its certificate, or choose another sslmode';
    return refused(`PostgreSQL at ${place} is not trusted (${reason}). ${remedy}.`);
  }
  if (state?.startsWith('28') === true) {
    return refused(`PostgreSQL at ${place} rejects the user ${user} (${reason}). Correct user and password.`);
  }
  if (state === '3D000')
    return refused(`PostgreSQL at ${place} has no database ${database}; create it, or name another.`);
  if (state === '42501') {
    const remedy = `GRANT CREATE ON DATABASE ${database} TO ${user}, or CREATE SCHEMA ${schema} AUTHORIZATION ${user}`;
    return refused(`the user ${user} lacks a privilege (${reason}). Let the user own or create the schema: ${remedy}.`);
  }
  if (state === '53300') {
    const remedy = 'Increase its max_connections, or decrease runtime.pool_size';
    return refused(`PostgreSQL at ${place} has no free connection (${reason}). ${remedy}.`);
  }
  if (state !== undefined && !isBroken(error)) {
    return refused(`PostgreSQL at ${place} rejects a statement of the start (${state}: ${reason}).`);
  }
  if (!isUnavailable && !isBroken(error)) return error;
  return refused(`PostgreSQL at ${place} does not respond (${reason}). Start it, or correct host and port.`);
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  return messageOf(error);
}
