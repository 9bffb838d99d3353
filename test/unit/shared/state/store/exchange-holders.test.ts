// Exchanges that a process puts off under load: for whom a reader in another process waits (REC-09).
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { auditSchema } from '#shared/state/store/sqlite/audit/audit-schema.ts';
import { StoreDatabase } from '#shared/state/store/sqlite/database.ts';
import { openInMemory } from '#shared/state/store/sqlite/database-file.ts';
import { exchangeLog } from '#shared/state/store/sqlite/exchanges/exchange-log.ts';
import { exchangeRows } from '#shared/state/store/sqlite/exchanges/exchange-rows.ts';
import { verifies } from '#test/support/verifies.ts';

describe('what a process puts off', () => {
  verifies(
    'REC-09',
    'is waited for until it is written or it has expired, and never what is put off after the question',
    () => {
      const database = new StoreDatabase(openInMemory(auditSchema), systemStopwatch);
      const log = exchangeLog(database, exchangeRows(database));
      const [asked, upTo] = [500, 1500];
      const isHeld = (now: number) => log.isHeld('the reader', now, upTo);
      expect(isHeld(asked)).to.equal(false);
      log.hold('another', 480, 1480);
      expect([isHeld(asked), isHeld(1479), isHeld(1480)]).to.deep.equal([true, true, false]);
      // Written, and the next ones put off at once.
      log.letGo('another');
      log.hold('another', 501, 1501);
      expect(isHeld(502)).to.equal(false);
      log.hold('the reader', 490, 1490);
      expect(isHeld(502)).to.equal(false);
      database.close();
    },
  );
});
