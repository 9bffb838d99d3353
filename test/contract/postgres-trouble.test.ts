// A PostgreSQL server that responds with errors: its disk is full, a privilege is missing, a statement was cancelled.
// Each causes a 503 for the caller, and one log line per minute.
import { chownSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { pino } from 'pino';
import type { Stopwatch } from '#shared/base/clock.ts';
import { systemStopwatch } from '#shared/base/clock.ts';
import { openPostgresLocation } from '#shared/state/store/postgres/open-postgres-location.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { type PostgresServer, testStoreDependencies, usePostgres } from '#test/support/postgres-server.ts';
import { SmallDisk } from '#test/support/small-disk.ts';
import { verifies } from '#test/support/verifies.ts';
import { newExchange } from './parts/exchanges.ts';
import { at, code } from './store-under-test.ts';

const minute = 60_000;

describe('a PostgreSQL server that responds with errors', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  usePostgres((started) => {
    server = started;
  });

  /** A store with a clock that a test moves, and its log. */
  const openLogged = async (schema: string, user = server.user) => {
    let skip = { from: systemStopwatch.read(), milliseconds: 0 };
    const stopwatch: Stopwatch = {
      read: systemStopwatch.read,
      since: (start) => systemStopwatch.since(start) + (start < skip.from ? skip.milliseconds : 0),
    };
    const lines: { readonly sqlstate?: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
    const location = {
      kind: 'postgres',
      url: server.url('postgres', user),
      schema,
      poolSize: 2,
      directory: '',
    } as const;
    const opened = await openPostgresLocation(location, { ...testStoreDependencies(), log, stopwatch });
    return {
      ...opened,
      /** The codes of the logged problems. */
      logged: () => lines.flatMap((line) => (line.sqlstate === undefined ? [] : [line.sqlstate])),
      log: () => JSON.stringify(lines),
      skip: (milliseconds: number) => {
        skip = { from: systemStopwatch.read(), milliseconds };
      },
    };
  };
  const trouble = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof RuntimeStoreUnavailableError))
      throw new Error(`expected an unavailable store, got ${String(error)}`);
    return error.trouble;
  };

  verifies('PGS-36', 'is reported if a privilege was revoked, and works again once it is granted', async () => {
    await server.ask('CREATE ROLE deprived LOGIN; CREATE SCHEMA deprived AUTHORIZATION deprived');
    const { store, logged, log, skip, close } = await openLogged('deprived', 'deprived');
    await server.ask('REVOKE ALL ON ALL TABLES IN SCHEMA deprived FROM deprived');
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await trouble(store.codes.issue(code('c1'), at(0)))).to.equal('refused');
    }
    expect(logged()).to.deep.equal(['42501']);
    expect(log())
      .to.contain('permission denied')
      .and.to.not.match(/SELECT|INSERT|\$1/);
    skip(minute);
    await trouble(store.codes.issue(code('c1'), at(0)));
    expect(logged(), 'a minute later').to.deep.equal(['42501', '42501']);
    await server.ask('GRANT ALL ON ALL TABLES IN SCHEMA deprived TO deprived');
    expect(await store.codes.issue(code('c1'), at(0))).to.equal('issued');
    await close();
  });

  for (const [what, taken, given] of [
    ['the schema may not be used', 'REVOKE USAGE ON SCHEMA', 'GRANT USAGE ON SCHEMA'],
    ['the schema is gone', 'ALTER SCHEMA away RENAME TO moved', 'ALTER SCHEMA moved RENAME TO away'],
  ] as const) {
    verifies('PGS-36', `is reported if ${what}, and works again afterwards`, async () => {
      const words = (sql: string) =>
        sql.startsWith('ALTER') ? sql : `${sql} away ${sql.startsWith('G') ? 'TO' : 'FROM'} away`;
      await server.ask('DROP SCHEMA IF EXISTS away CASCADE; DROP ROLE IF EXISTS away');
      await server.ask('CREATE ROLE away LOGIN; CREATE SCHEMA away AUTHORIZATION away');
      const { store, audit, logged, close } = await openLogged('away', 'away');
      await server.ask(words(taken));
      for (let attempt = 0; attempt < 3; attempt += 1) {
        expect(await trouble(store.codes.issue(code('c1'), at(0)))).to.equal('refused');
        expect(await trouble(store.generations.newest())).to.equal('refused');
        expect(await trouble(audit.read({ limit: 1 }))).to.equal('refused');
        expect(await store.condition.troubles()).to.deep.equal([{ part: 'runtime store', trouble: 'refused' }]);
        store.exchanges.add(newExchange());
        await store.exchanges.written();
      }
      expect(logged()).to.deep.equal(['42P01']);
      await server.ask(words(given));
      expect(await store.codes.issue(code('c1'), at(0))).to.equal('issued');
      expect(await store.condition.troubles()).to.deep.equal([]);
      await close();
    });
  }

  verifies(
    ['PGS-36', 'REC-12'],
    'is reported once if the table of the recorder is missing, and everything else works',
    async () => {
      const { store, logged, log, close } = await openLogged('no_exchanges');
      await server.ask('DROP TABLE no_exchanges.exchanges CASCADE');
      for (let attempt = 0; attempt < 5; attempt += 1) {
        store.exchanges.add(newExchange());
        await store.exchanges.written();
      }
      expect(logged()).to.deep.equal(['42P01']);
      expect(log()).to.not.contain('exchanges could not be recorded');
      expect(await store.codes.issue(code('c1'), at(0))).to.equal('issued');
      await close();
    },
  );

  verifies(['PGS-36', 'CLU-26'], 'is not ready while writes are rejected', async () => {
    await server.ask('CREATE ROLE reader LOGIN; CREATE SCHEMA reader AUTHORIZATION reader');
    const { store, close } = await openLogged('reader', 'reader');
    expect(await store.condition.troubles()).to.deep.equal([]);
    for (const tables of ['ALL TABLES IN SCHEMA reader', 'reader.codes']) {
      await server.ask(`REVOKE INSERT ON ${tables} FROM reader`);
      expect(await store.condition.troubles()).to.deep.equal([{ part: 'runtime store', trouble: 'refused' }]);
      await server.ask(`GRANT INSERT ON ${tables} TO reader`);
      expect(await store.condition.troubles()).to.deep.equal([]);
    }
    await close();
  });

  verifies(
    ['PGS-36', 'REC-12'],
    'is reported only once for the recorder, which constantly has more to write',
    async () => {
      await server.ask('CREATE ROLE unrecorded LOGIN; CREATE SCHEMA unrecorded AUTHORIZATION unrecorded');
      const { store, logged, log, close } = await openLogged('unrecorded', 'unrecorded');
      await server.ask('REVOKE ALL ON ALL TABLES IN SCHEMA unrecorded FROM unrecorded');
      for (let attempt = 0; attempt < 5; attempt += 1) {
        store.exchanges.add(newExchange());
        await store.exchanges.written();
      }
      expect(logged()).to.deep.equal(['42501']);
      expect(log()).to.not.contain('exchanges could not be recorded');
      await server.ask('GRANT ALL ON ALL TABLES IN SCHEMA unrecorded TO unrecorded');
      expect((await store.exchanges.state()).lost).to.equal(5);
      await close();
    },
  );

  verifies('PGS-36', 'is reported if a statement was cancelled', async () => {
    const { store, logged, close } = await openLogged('cancelled');
    const blocker = new pg.Client({ host: server.socketDirectory, user: server.user, database: 'postgres' });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE cancelled.codes IN ACCESS EXCLUSIVE MODE');
    const issuing = trouble(store.codes.issue(code('c1'), at(0)));
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND application_name LIKE 'test-idp %'`;
    while ((await server.ask(cancel)).length === 0) await pause(10);
    expect(await issuing).to.equal('busy');
    expect(logged()).to.deep.equal(['57014']);
    await blocker.end();
    expect(await store.codes.issue(code('c1'), at(0))).to.equal('issued');
    await close();
  });

  verifies('PGS-36', 'is reported if its disk is full, and the rejected write left nothing', async function () {
    const disk = new SmallDisk();
    disk.mountOrSkip(this);
    try {
      const { uid, gid } = server.rights;
      chownSync(disk.path, uid, gid);
      const { store, logged, close } = await openLogged('disk_full');
      await server.ask(`CREATE TABLESPACE small LOCATION '${disk.path}'`);
      await server.ask('ALTER TABLE disk_full.codes SET TABLESPACE small');
      disk.fill();
      let issued = 0;
      // What fits into existing pages is written nevertheless.
      const fill = async () => {
        for (; ; issued += 1) await store.codes.issue(code(`c${issued}`), at(0));
      };
      expect(await trouble(fill())).to.equal('full');
      expect(await trouble(store.codes.issue(code('more'), at(0)))).to.equal('full');
      expect(logged()).to.deep.equal(['53100']);
      expect(await store.condition.troubles()).to.deep.equal([{ part: 'runtime store', trouble: 'full' }]);
      disk.empty();
      expect(await store.codes.find('more', at(1))).to.equal(undefined);
      expect(await store.codes.issue(code(`c${issued}`), at(0))).to.equal('issued');
      await close();
      await server.ask('DROP SCHEMA disk_full CASCADE');
      await server.ask('DROP TABLESPACE small');
    } finally {
      disk.remove();
    }
  });
});
