// How a process uses several servers: which failure decides a start, and what it caches of a server that another one
// has replaced.
import { expect } from 'chai';
import { openCachedState } from '#shared/state/store/postgres/cached-state.ts';
import { connectWith, type Driver, StandbyError } from '#shared/state/store/postgres/driver.ts';
import type { Runner } from '#shared/state/store/postgres/statement.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a start on several PostgreSQL servers', () => {
  /** The behaviour of a server depends on its name. */
  class Client {
    readonly #host: string;
    constructor({ host }: { readonly host: string }) {
      this.#host = host;
    }
    async connect(): Promise<void> {
      if (this.#host === 'down') throw Object.assign(new Error('nobody listens'), { code: 'ECONNREFUSED' });
      if (this.#host === 'refuses') throw Object.assign(new Error('who are you'), { code: '28P01' });
    }
    query(): never {
      return [{ rows: [{ is_read_only: true }], rowCount: 1 }] as never;
    }
    async end(): Promise<void> {}
    on(): void {}
  }
  const driver: Driver = { Client, types: { getTypeParser: () => String } };
  const failure = async (...hosts: readonly string[]): Promise<unknown> => {
    const servers = hosts.map((host) => ({ host, port: 5432 }));
    const connect = connectWith(driver, { servers, schema: 's', applicationName: 'a' });
    return connect(100).catch((error: unknown) => error);
  };

  verifies('PGS-06', 'fails because of a standby if every server is one, in any order', async () => {
    expect(await failure('standby')).to.be.instanceOf(StandbyError);
    expect(await failure('standby', 'standby')).to.be.instanceOf(StandbyError);
    for (const hosts of [
      ['down', 'standby'],
      ['standby', 'down'],
      ['standby', 'down', 'standby'],
    ]) {
      expect(await failure(...hosts), hosts.join())
        .to.be.instanceOf(Error)
        .and.have.property('code', 'ECONNREFUSED');
    }
    expect(await failure('down', 'refuses', 'standby')).to.have.property('code', '28P01');
  });
});

describe('the cache of a process for PostgreSQL', () => {
  const clock = (offset: number) => ({ clock_offset_milliseconds: offset, clock_frozen_at: null });
  /** A server, as its responses to the queries of the cache. */
  const serverOf = (name: string, clock_moves: number, offset: number): Runner => ({
    ask: async ({ text }) => {
      const counters = { clock_moves, fault_changes: 0, recorder_switches: 0, key_changes: 0 };
      const looked = { generations: { '': 1 }, ...counters, oldest_format: 1, server: name };
      const rows = /FROM head/.test(text)
        ? [looked]
        : /clock_offset/.test(text)
          ? [{ namespace: '', ...clock(offset) }]
          : /json_agg\(seq/.test(text)
            ? [{ seqs: [] }]
            : [];
      return { rows, count: rows.length };
    },
  });

  verifies(
    ['PGS-35', 'CLU-24'],
    'belongs to the server that is active now, even if that counted fewer changes',
    async () => {
      const state = openCachedState();
      const offset = async (server: Runner) => {
        await state.refresh(server, '');
        return JSON.stringify(state.clockOf(''));
      };
      const before = await offset(serverOf('one', 7, 1000));
      expect(before).to.include('1000');
      expect(await offset(serverOf('one', 6, 500)), 'an outdated response').to.equal(before);
      expect(await offset(serverOf('two', 5, 500))).to.include('500');
      expect(await offset(serverOf('two', 6, 250))).to.include('250');
    },
  );
});
