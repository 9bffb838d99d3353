// The requirements for a server. An unusable one is rejected before anything is created (PGS-07, PGS-08).
import * as z from 'zod';
import { storeDeadlineMilliseconds } from '#shared/model/runtime-store/store-deadline.ts';
import { StoreRefusedError } from '../store-refused.ts';
import { type Connect, type Connection, endedWhenLate } from './connection.ts';

const versionLeast = 130_000;

const serverRow = z.object({ version: z.number(), encoding: z.string(), pid: z.number() });
const serverQuery = `SELECT pg_catalog.current_setting('server_version_num')::integer AS version, pg_catalog.pg_backend_pid() AS pid,
  pg_catalog.pg_encoding_to_char(encoding) AS encoding FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()`;

/** Closes the connection in the end. @throws StoreRefusedError */
export async function requireUsableServer(connection: Connection, connect: Connect): Promise<void> {
  try {
    const { version, encoding, pid } = await askServer(connection);
    if (version < versionLeast) {
      throw new StoreRefusedError(
        `runtime.url: the server is PostgreSQL ${Math.floor(version / 10_000)}, but 13 or newer is required.`,
      );
    }
    if (encoding !== 'UTF8') {
      throw new StoreRefusedError(`runtime.url: the database has the encoding ${encoding}. Use a database with UTF8.`);
    }
    // Two open sessions must be two server processes, unless a proxy lends one session to both.
    const other = await connect(storeDeadlineMilliseconds);
    try {
      if ((await askServer(other)).pid !== pid) return;
    } finally {
      await other.close();
    }
    throw new StoreRefusedError(
      'runtime.url: a connection pooler shares sessions between clients, but this program requires its own sessions. Name the server itself, or set the pooler to session pooling.',
    );
  } finally {
    await connection.close();
  }
}

async function askServer(connection: Connection) {
  const [found] = await endedWhenLate(connection, storeDeadlineMilliseconds, () => connection.runText(serverQuery));
  return serverRow.parse(found?.rows[0]);
}
