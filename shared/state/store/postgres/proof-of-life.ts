// Proof of life: a worker keeps one session for itself, and in it an advisory lock of its name (PGS-25). The server gives the
// lock up when the session ends, however that comes about, and keeps it while the worker is merely stopped; no heartbeat
// and no clock is involved, so a live owner is never taken for dead. Nothing is left behind by a dead one (PGS-29).
import * as z from 'zod';
import type { Randomness } from '#shared/base/random.ts';
import { type Connect, type Connection, ConnectionLostError, endedWhenLate } from './connection.ts';
import { asUnavailable, lockKey, type PostgresDatabase } from './database.ts';
import { query } from './statement.ts';

export interface Owners {
  /** The name of this worker; another one after it lost its session (PGS-28). @throws RuntimeStoreUnavailableError */
  self(): Promise<string>;
  /** The name as of the last operation. */
  readonly lastSelf: string;
  /** A session leads to that server: a life that is known to another one, which takes no writes any more, is no proof (PGS-35). */
  meet(server: string): void;
  /** The key of the lock that proves the life of that owner. */
  lifeOf(owner: string): string;
  /** Answers the owners among these that are proved dead. */
  dead(owners: readonly string[]): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

const connectMilliseconds = 5_000;

// A lock that could be had is given back by the end of the statement's transaction; those who ask at once share it.
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
      // Alone in the session, and outside of any transaction: whatever the session goes through, it holds the lock.
      const lock = `SET idle_in_transaction_session_timeout = 0; SELECT pg_advisory_lock(${keyOf(name)})`;
      await endedWhenLate(session, connectMilliseconds, () => session.say(lock));
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
