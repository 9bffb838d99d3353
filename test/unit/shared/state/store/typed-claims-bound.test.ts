// However many claims are typed, a namespace keeps those of 10000 logins. The others are put in from outside: typing so many
// takes long.
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { typedClaimsMax } from '#shared/model/domain/typed-claims.ts';
import { at } from '#test/contract/store-under-test.ts';
import { openEmptyFileStore } from '#test/support/open-test-store.ts';

describe('typed claims of a namespace', () => {
  it('are those of 10000 logins; the ones needed longest ago give way', async () => {
    const { opened, location, remove } = await openEmptyFileStore('sqlite');
    if (!('path' in location)) throw new Error('a store in a file has a path');
    try {
      const { typedClaims } = opened.store;
      const keep = (name: string) => typedClaims.save({ name, claims: { name } }, at(60));
      await keep('first');
      await keep('second');
      const database = new Database(location.path);
      database
        .prepare(
          `INSERT INTO typed_claims (namespace, name, kept_until, record)
           WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
           SELECT namespace, 'n' || i, kept_until, record FROM n, typed_claims WHERE name = 'first'`,
        )
        .run(typedClaimsMax);
      database.close();
      expect(await typedClaims.find('second')).to.deep.equal({ name: 'second' });
      // A use makes it the one needed last.
      await keep('first');
      await keep('more');
      expect(await typedClaims.find('second')).to.equal(undefined);
      for (const name of ['first', 'more']) expect(await typedClaims.find(name)).to.deep.equal({ name });
      expect(await typedClaims.find('n3')).to.deep.equal({ name: 'first' });
    } finally {
      await opened.close();
      remove();
    }
  });
});
