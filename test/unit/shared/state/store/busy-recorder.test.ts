// A recorder that cannot write delays no request (REC-12).
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openEmptyFileStore } from '#test/support/open-test-store.ts';
import { verifies } from '#test/support/verifies.ts';
import { newExchange } from '../../../../contract/parts/exchanges.ts';

describe('a recorder whose database is locked', () => {
  verifies('REC-12', 'accepts exchanges at once, stores as many as it may, and counts the rest', async () => {
    const { opened, location, remove } = await openEmptyFileStore('sqlite');
    const path = 'path' in location ? location.path : join('nowhere');
    const other = new Database(path.replace(/\.db$/, '-audit.db'));
    try {
      other.exec('BEGIN IMMEDIATE');
      const { exchanges } = opened.store;
      const start = performance.now();
      for (let number = 0; number < 2500; number += 1) {
        exchanges.add(newExchange());
      }
      expect(performance.now() - start, 'less than the wait for a writer').to.be.below(2_500);
      expect(await exchanges.state()).to.deep.include({ kept: 0, lost: 500 });
      other.exec('ROLLBACK');
      for (let kept = 0; kept < 2000; ) ({ kept } = await exchanges.state());
      expect(await exchanges.state()).to.deep.equal({ kept: 2000, bound: 10_000, dropped: 0, lost: 500 });
    } finally {
      other.close();
      await opened.close();
      remove();
    }
  });
});
