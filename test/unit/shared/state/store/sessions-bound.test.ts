// A namespace keeps 10000 sessions. The test inserts most of them directly, because that many logins take long.
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { sessionsMax } from '#shared/model/domain/session.ts';
import { logIn } from '#test/contract/parts/sessions.ts';
import { at } from '#test/contract/store-under-test.ts';
import { openEmptyFileStore } from '#test/support/open-test-store.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the sessions of a namespace', () => {
  verifies('SSO-10', 'number at most 10000, and the one longest unused is deleted', async () => {
    const { opened, location, remove } = await openEmptyFileStore('sqlite');
    if (!('path' in location)) throw new Error('a store in a file has a path');
    try {
      const { sessions } = opened.store;
      const limits = { lifetimeSeconds: 60, idleSeconds: 0 };
      await sessions.logIn(logIn('first', { cookie: 'first', limits }), at(0));
      await sessions.logIn(logIn('second', { cookie: 'second', limits }), at(0));
      const database = new Database(location.path);
      database
        .prepare(
          `INSERT INTO sessions (namespace, sid, cookie, username, last_used_at, use_number, forgotten_at, record)
           WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
           SELECT namespace, 's' || i, 'c' || i, username, last_used_at, i, forgotten_at, record
           FROM n, sessions WHERE sid = 'first'`,
        )
        .run(sessionsMax);
      database.close();
      const count = async () => (await sessions.list({}, limits, at(1))).length;
      expect(await count()).to.equal(sessionsMax);
      await sessions.use('first', at(1));
      await sessions.logIn(logIn('more', { cookie: 'more', limits }), at(1));
      expect(await count()).to.equal(sessionsMax);
      expect(await sessions.accounts('second', undefined, limits, at(1))).to.deep.equal([]);
      expect(await sessions.accounts('first', undefined, limits, at(1))).to.have.length(1);
    } finally {
      await opened.close();
      remove();
    }
  });
});
