import { mock } from 'node:test';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import type { Connect, Connection } from '#shared/state/store/postgres/connection.ts';
import { ConnectionPool } from '#shared/state/store/postgres/connection-pool.ts';
import { verifies } from '#test/support/verifies.ts';

const moment = 1_000;

describe('the sessions of a worker', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  /** A server that counts who is connected. */
  const counting = () => {
    const there = new Set<Connection>();
    const connect: Connect = async () => {
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
    return { there, connect };
  };

  verifies('PGS-37', 'are as many as were allowed, whoever asks, also after some broke', async () => {
    const { there, connect } = counting();
    const sessions = new ConnectionPool(connect, 3, systemStopwatch);
    const taken: Connection[] = [];
    const asked = Array.from({ length: 20 }, async () => taken.push(await sessions.acquire(moment)));
    let most = 0;
    for (let given = 0; given < 20; given += 1) {
      await until(() => taken.length > 0);
      most = Math.max(most, there.size);
      const session = taken.shift();
      if (session === undefined) throw new Error('Nobody was given a session.');
      if (given % 4 === 3) sessions.drop(session);
      else sessions.release(session);
    }
    await Promise.all(asked);
    // The one that broke last is made anew by whoever comes next.
    expect([most, sessions.open, there.size]).to.deep.equal([3, 2, 2]);
  });

  verifies('PGS-39', 'are given back but for one after 30 s in which nobody asked', async () => {
    const { there, connect } = counting();
    const sessions = new ConnectionPool(connect, 4, systemStopwatch);
    const useAtOnce = async (many: number) => {
      const used = await Promise.all(Array.from({ length: many }, () => sessions.acquire(moment)));
      for (const session of used) sessions.release(session);
    };
    await useAtOnce(4);
    mock.timers.tick(29_000);
    await useAtOnce(2);
    expect(there.size, 'before the time is over').to.equal(4);
    mock.timers.tick(1_000);
    expect(there.size, 'those that were used meanwhile').to.equal(2);
    mock.timers.tick(29_000);
    expect([there.size, sessions.open], 'the first').to.deep.equal([1, 1]);
    mock.timers.tick(60_000);
    await useAtOnce(1);
    expect(there.size).to.equal(1);
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}
