// Proof of life: a worker has a dedicated session, which holds an advisory lock of the worker's name (PGS-25). The
// server releases the lock when the session ends for any reason, and keeps it while the worker is merely stopped. No
// heartbeat and no clock is involved, so a live owner is never considered dead. A dead one leaves nothing behind
// (PGS-29).
import * as z from 'zod';
import type { Randomness } from '#shared/base/random.ts';
import { type Connect, type Connection, ConnectionLostError, endedWhenLate } from './connection.ts';
import { asUnavailable, lockKey, type PostgresDatabase } from './database.ts';
import { query } from './statement.ts';

export interface Owners {
  /**
   * Returns the name of this worker. It is a new one after the session was lost (PGS-28).
   * @throws RuntimeStoreUnavailableError
   */
  self(): Promise<string>;
  /** The name as of the last operation. */
  readonly lastSelf: string;
  /**
   * Notes that a session leads to that server. A proof of life on another server, which takes no more writes, is not
   * valid (PGS-35).
   */
  meet(server: string): void;
  /** Returns the key of the lock that proves the life of that owner. */
  lifeOf(owner: string): string;
  /** Returns the owners among these that are proved dead. */
  dead(owners: readonly string[]): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

const connectMilliseconds = 5_000;

// The end of the statement's transaction releases a lock that was acquired. Simultaneous checks share it.
const isFree = query('SELECT pg_try_advisory_xact_lock_shared(@key::bigint) AS free', z.object({ free: z.boolean() }));

export async function openOwners(
  connect: Connect,
  database: PostgresDatabase,
  schema: string,
  random: Randomness,
  connectAtStart = connect,
): Promise<Owners> {
  const keyOf = (owner: string) => lockKey(schema, `owner ${owner}`).toString();
  const begin = async (connectNow: Connect) => {
    const session = await connectNow(connectMilliseconds);
    const name = random.token(16);
    try {
      // Alone in the session and outside of any transaction, so that the session holds the lock until it ends.
      const lock = `SET idle_in_transaction_session_timeout = 0; SELECT pg_advisory_lock(${keyOf(name)})`;
      await endedWhenLate(session, connectMilliseconds, () => session.runText(lock));
    } catch (error) {
      session.drop();
      throw error;
    }
    return { session, name };
  };
  let life: { readonly session: Connection; readonly name: string } = await begin(connectAtStart);
  let renewal: Promise<string> | undefined;
  let isClosed = false;
  const renew = async () => {
    try {
      const next = await begin(connect);
      if (isClosed) {
        next.session.drop();
        throw new ConnectionLostError('The store is closed.');
      }
      life = next;
    } catch (error) {
      database.onUnavailable(error);
      throw asUnavailable(error);
    }
    return life.name;
  };
  return {
    get lastSelf() {
      return life.name;
    },
    self: async () => {
      if (life.session.isOpen()) return life.name;
      renewal ??= renew().finally(() => {
        renewal = undefined;
      });
      return renewal;
    },
    meet: (server) => {
      if (life.session.server !== server) life.session.drop();
    },
    lifeOf: keyOf,
    dead: async (owners) => {
      const gone = new Set<string>();
      for (const owner of new Set(owners)) {
        if (owner === life.name && life.session.isOpen()) continue;
        const found = await database.read((on) => isFree.get(on, { key: keyOf(owner) }));
        if (found?.free === true) gone.add(owner);
      }
      return gone;
    },
    close: async () => {
      isClosed = true;
      await life.session.close();
    },
  };
}
