// The only file that uses the driver, the npm package `pg`, and only a small part of its interface.

import * as z from 'zod';
import { messageOf } from '#shared/base/error-text.ts';
import { storeDeadlineMilliseconds } from '#shared/model/runtime-store/store-deadline.ts';
import { BatchMessage, ParsedStatements } from './batch-message.ts';
import {
  type Answer,
  type Connect,
  type Connection,
  ConnectionLostError,
  endedWhenLate,
  sqlState,
} from './connection.ts';
import { quoted } from './schema/prepare-schema.ts';

interface DriverResult {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

interface DriverClient {
  connect(): Promise<unknown>;
  query(text: string): Promise<DriverResult | DriverResult[]>;
  /** Accepts a message that sends itself and receives the responses. */
  query(message: BatchMessage): unknown;
  end(): Promise<void>;
  on(event: 'error' | 'end', listener: () => void): unknown;
  readonly connection?: { readonly stream?: { destroy(): void } };
}

export interface DriverOptions {
  readonly host: string;
  readonly port?: number | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly database?: string | undefined;
  readonly ssl?: object | false | undefined;
}

export interface Driver {
  readonly Client: new (
    options: DriverOptions & {
      readonly application_name: string;
      readonly connectionTimeoutMillis: number;
      readonly keepAlive: boolean;
      readonly keepAliveInitialDelayMillis: number;
    },
  ) => DriverClient;
  readonly types: { getTypeParser(oid: number, format?: string): (text: string) => unknown };
}

const bigintOid = 20;
/** The longest wait until a server has received the end of a session. */
const goodbyeMilliseconds = 2_000;

interface DriverPlace {
  /** Tried in this order. The first server that takes writes is used (PGS-35). */
  readonly servers: readonly DriverOptions[];
  readonly schema: string;
  /** Shown in the server's list of sessions (PGS-39). */
  readonly applicationName: string;
}

/**
 * Both sides detect a vanished peer within 30 s (PGS-26). The server does after 10 s of silence and three probes, 5 s
 * apart, or 25 s after an unacknowledged message. This side does after 10 s and ten probes, one second apart, which are
 * Node.js's values.
 */
const silenceSeconds = 10;
const keepalives = [
  `SET tcp_keepalives_idle = ${silenceSeconds}`,
  'SET tcp_keepalives_interval = 5',
  'SET tcp_keepalives_count = 3',
  'SET tcp_user_timeout = 25000',
];

/**
 * Overrides the settings of the role and the database: names are found in our schema, and no wait is longer than a
 * request's.
 */
function settings(schema: string): string {
  const timeout = storeDeadlineMilliseconds;
  return [
    `SET search_path = pg_catalog, ${quoted(schema)}, pg_temp`,
    `SET statement_timeout = ${timeout}`,
    `SET idle_in_transaction_session_timeout = ${timeout}`,
    "SET client_encoding = 'UTF8'",
    // This applies to a transaction that one message makes.
    "SET default_transaction_isolation = 'read committed'",
    ...keepalives,
  ].join('; ');
}

/** The server responds but takes no writes. */
export class StandbyError extends ConnectionLostError {}

/** The server cannot prove its identity, or is unencrypted where encryption is required (PGS-04). */
export class UntrustedServerError extends ConnectionLostError {}

// Node.js's codes for certificate and handshake errors. The driver has no codes for them.
const untrusted = /CERT|SIGNATURE|ISSUER|^ERR_TLS|^ERR_SSL|^EPROTO$/;
const isUntrusted = (error: unknown) =>
  hasCode(error) ? untrusted.test(error.code) : messageOf(error).includes('does not support SSL');

const standbyRow = z.object({ is_read_only: z.boolean() });
const standbyQuery = `SELECT pg_catalog.pg_is_in_recovery() OR pg_catalog.current_setting('transaction_read_only')::boolean AS is_read_only`;

export function connectWith(driver: Driver, { servers, schema, applicationName }: DriverPlace): Connect {
  // The 64-bit values are times, counts and places. All of them are exact as JavaScript numbers.
  const readValue = (oid: number, text: string) =>
    oid === bigintOid ? Number(text) : driver.types.getTypeParser(oid, 'text')(text);
  const connectTo = async (options: DriverOptions, timeoutMilliseconds: number) => {
    const client = new driver.Client({
      ...options,
      application_name: applicationName,
      connectionTimeoutMillis: timeoutMilliseconds,
      keepAlive: true,
      keepAliveInitialDelayMillis: silenceSeconds * 1000,
    });
    let isOpen = true;
    const lost = () => {
      isOpen = false;
    };
    client.on('error', lost);
    client.on('end', lost);
    const parsed = new ParsedStatements();
    const ask = async <Answered>(send: () => Promise<Answered>): Promise<Answered> => {
      if (!isOpen) throw new ConnectionLostError('The connection to PostgreSQL is closed.');
      try {
        return await send();
      } catch (error) {
        // The driver's own error for a connection that ends has no code.
        if (!isOpen || !hasCode(error)) throw new ConnectionLostError(messageOf(error), { cause: error });
        throw error;
      }
    };
    const connection: Connection = {
      server: `${options.host}:${options.port}`,
      send: (statements) =>
        ask(() => {
          const message = new BatchMessage(statements, parsed, readValue);
          client.query(message);
          return message.answered;
        }),
      runText: async (text) => [await ask(() => client.query(text))].flat().map(answerOf),
      isOpen: () => isOpen,
      drop: () => {
        isOpen = false;
        client.connection?.stream?.destroy();
      },
      close: async () => {
        isOpen = false;
        await endedWhenLate(connection, goodbyeMilliseconds, () => client.end()).catch(() => undefined);
      },
    };
    try {
      const [found] = await endedWhenLate(connection, timeoutMilliseconds, async () => {
        await client.connect();
        return connection.runText(`${standbyQuery}; ${settings(schema)}`);
      });
      if (standbyRow.parse(found?.rows[0]).is_read_only) throw new StandbyError('The server is a standby.');
    } catch (error) {
      connection.drop();
      if (isUntrusted(error)) throw new UntrustedServerError(messageOf(error), { cause: error });
      throw hasCode(error) || error instanceof StandbyError
        ? error
        : new ConnectionLostError(messageOf(error), { cause: error });
    }
    return connection;
  };
  return async (timeoutMilliseconds) => {
    const failures: unknown[] = [];
    for (const server of servers) {
      try {
        return await connectTo(server, Math.max(Math.floor(timeoutMilliseconds / servers.length), 1));
      } catch (error) {
        failures.push(error);
      }
    }
    throw tellingMost(failures);
  };
}

/**
 * An error that a server sent says more than a missing response. A standby is not conclusive while another server may
 * be the primary and has not started yet (PGS-06).
 */
function tellingMost(failures: readonly unknown[]): unknown {
  const withState = failures.find((failure) => sqlState(failure) !== undefined);
  const notThere = failures.findLast((failure) => !(failure instanceof StandbyError));
  return withState ?? notThere ?? failures.at(-1) ?? new ConnectionLostError('No server is configured.');
}

function answerOf(result: DriverResult | undefined): Answer {
  return { rows: result?.rows ?? [], count: result?.rowCount ?? 0 };
}

function hasCode(error: unknown): error is { readonly code: string } {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}
