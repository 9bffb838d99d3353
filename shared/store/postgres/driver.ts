// The one file that knows the driver, the npm package `pg`, through the little of it that is used.
import * as z from 'zod';
import {
  type Answer,
  type Connect,
  type Connection,
  ConnectionLostError,
  type PreparedText,
  sqlState,
} from './connection.ts';
import { storeDeadlineMilliseconds } from './database.ts';
import { quoted } from './schema.ts';

interface DriverResult {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

interface DriverClient {
  connect(): Promise<unknown>;
  query(asked: string | { text: string; name?: string; values: unknown[] }): Promise<DriverResult | DriverResult[]>;
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
      readonly types: { getTypeParser(oid: number, format?: string): unknown };
    },
  ) => DriverClient;
  readonly types: { getTypeParser(oid: number, format?: string): unknown };
}

const bigintOid = 20;

export interface DriverPlace {
  /** Tried in this order; the first that takes writes is used (PGS-35). */
  readonly servers: readonly DriverOptions[];
  readonly schema: string;
  /** Shown to whoever looks at the server's sessions (PGS-39). */
  readonly applicationName: string;
}

/** Whatever the role or database says: names are found in our schema, and nothing is waited for longer than a request. */
function settings(schema: string): string {
  const timeout = storeDeadlineMilliseconds;
  return [
    `SET search_path = pg_catalog, ${quoted(schema)}, pg_temp`,
    `SET statement_timeout = ${timeout}`,
    `SET idle_in_transaction_session_timeout = ${timeout}`,
    "SET client_encoding = 'UTF8'",
  ].join('; ');
}

/** It answers, and takes no writes. */
export class StandbyError extends ConnectionLostError {}

const standbyRow = z.object({ pg_is_in_recovery: z.boolean() });

export function connectWith(driver: Driver, { servers, schema, applicationName }: DriverPlace): Connect {
  const types = {
    // Our numbers of 64 bits are times, counts and places: all of them are exact as numbers.
    getTypeParser: (oid: number, format?: string) =>
      oid === bigintOid && format !== 'binary' ? Number : driver.types.getTypeParser(oid, format),
  };
  const connectTo = async (options: DriverOptions, timeoutMilliseconds: number) => {
    const client = new driver.Client({
      ...options,
      application_name: applicationName,
      connectionTimeoutMillis: timeoutMilliseconds,
      keepAlive: true,
      types,
    });
    let isOpen = true;
    const lost = () => {
      isOpen = false;
    };
    client.on('error', lost);
    client.on('end', lost);
    const ask = async (asked: Parameters<DriverClient['query']>[0]) => {
      if (!isOpen) throw new ConnectionLostError('The connection to PostgreSQL is closed.');
      try {
        return await client.query(asked);
      } catch (error) {
        // The driver's own error for a connection that ends has no code.
        if (!isOpen || !hasCode(error)) throw new ConnectionLostError(messageOf(error), { cause: error });
        throw error;
      }
    };
    const connection: Connection = {
      ask: async ({ text, name, values }: PreparedText) => {
        const answer = await ask({ text, values: [...values], ...(name === undefined ? {} : { name }) });
        return answerOf(Array.isArray(answer) ? answer[0] : answer);
      },
      say: async (text) => [await ask(text)].flat().map(answerOf),
      isOpen: () => isOpen,
      drop: () => {
        isOpen = false;
        client.connection?.stream?.destroy();
      },
      close: async () => {
        isOpen = false;
        await client.end().catch(() => undefined);
      },
    };
    try {
      await client.connect();
      const [found] = await connection.say(`SELECT pg_catalog.pg_is_in_recovery(); ${settings(schema)}`);
      if (standbyRow.parse(found?.rows[0]).pg_is_in_recovery) throw new StandbyError('The server is a standby.');
    } catch (error) {
      connection.drop();
      throw hasCode(error) || error instanceof StandbyError
        ? error
        : new ConnectionLostError(messageOf(error), { cause: error });
    }
    return connection;
  };
  return async (timeoutMilliseconds) => {
    let failure: unknown = new ConnectionLostError('No server is named.');
    for (const server of servers) {
      try {
        return await connectTo(server, Math.max(Math.floor(timeoutMilliseconds / servers.length), 1));
      } catch (error) {
        // What a server said tells more than that another one said nothing.
        if (sqlState(failure) === undefined) failure = error;
      }
    }
    throw failure;
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function answerOf(result: DriverResult | undefined): Answer {
  return { rows: result?.rows ?? [], count: result?.rowCount ?? 0 };
}

function hasCode(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}
