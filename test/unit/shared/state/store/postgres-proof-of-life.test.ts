// The session that proves a worker's life, made anew while the worker ends.
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import type { Connect, Connection } from '#shared/state/store/postgres/connection.ts';
import { ConnectionPool } from '#shared/state/store/postgres/connection-pool.ts';
import { PostgresDatabase } from '#shared/state/store/postgres/database.ts';
import { openOwners } from '#shared/state/store/postgres/proof-of-life.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the proof of life of a worker', () => {
  verifies('PGS-29', 'leaves no session behind that comes only when all is closed', async () => {
    const there = new Set<Connection>();
    const waiting: (() => void)[] = [];
    const connect: Connect = async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      const end = () => {
        there.delete(connection);
      };
      const connection: Connection = {
        server: 'h',
        send: async () => [],
        runText: async () => [],
        ...{ isOpen: () => there.has(connection), drop: end, close: async () => end() },
      };
      there.add(connection);
      return connection;
    };
    const database = new PostgresDatabase(new ConnectionPool(connect, 1, systemStopwatch), 's', systemStopwatch);
    const opening = openOwners(connect, database, 's', systemRandomness);
    waiting.shift()?.();
    const owners = await opening;
    // The server ends the session, and whoever asks for the name begins another one.
    for (const session of there) session.drop();
    const asked = owners.self().then(
      () => undefined,
      (error: unknown) => error,
    );
    await owners.close();
    waiting.shift()?.();
    expect(await asked).to.be.instanceOf(RuntimeStoreUnavailableError);
    expect([...there]).to.deep.equal([]);
  });
});
