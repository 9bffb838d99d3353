// Entries that an audit in SQLite briefly stores beyond its limit. They are not readable, and never many.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openConnection } from '#shared/state/store/sqlite/engine.ts';
import { event } from '#test/contract/store-under-test.ts';
import { openTestStore, temporaryDirectory } from '#test/support/open-test-store.ts';
import { verifies } from '#test/support/verifies.ts';

/** This number of usual entries is far below the limit of bytes. */
const bound = 100;

describe('the surplus of an audit', () => {
  verifies('AUD-05', 'is not readable, and is deleted before it reaches 64 entries', async () => {
    const directory = temporaryDirectory();
    const opened = await openTestStore({ kind: 'sqlite', path: join(directory, 'runtime.db') });
    const file = openConnection(join(directory, 'runtime-audit.db'), { readonly: true });
    try {
      const id = { name: 'ci', instanceId: 'one' };
      await opened.namespaces.begin(id, { auditEntriesMax: bound });
      const { audit } = opened.namespaces.of(id);
      const rows = () => file.prepare('SELECT seq FROM events').all().length;
      let most = 0;
      for (let number = 1; number <= 300; number += 1) {
        await audit.record(event('login', { details: { number } }));
        most = Math.max(most, rows());
        const read = await audit.read({ limit: -1 });
        expect(read).to.have.length(Math.min(number, bound));
        expect(read.at(-1)?.details.number).to.equal(number);
      }
      expect(most).to.be.within(bound + 1, bound + 64);
    } finally {
      file.close();
      await opened.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
