// What the log of exchanges deletes when its file is full: a number of exchanges, however many a block contains
// (REC-11).
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { auditSchema } from '#shared/state/store/sqlite/audit/audit-schema.ts';
import { StoreDatabase } from '#shared/state/store/sqlite/database.ts';
import { openInMemory } from '#shared/state/store/sqlite/database-file.ts';
import { type ExchangeLog, exchangeLog } from '#shared/state/store/sqlite/exchanges/exchange-log.ts';
import { type ExchangeRows, exchangeRows } from '#shared/state/store/sqlite/exchanges/exchange-rows.ts';
import { verifies } from '#test/support/verifies.ts';
import { newExchange } from '../../../../contract/parts/exchanges.ts';

const ns = 'default';

describe('a full log of exchanges', () => {
  let database: StoreDatabase;
  let rows: ExchangeRows;
  let log: ExchangeLog;

  beforeEach(() => {
    database = new StoreDatabase(openInMemory(auditSchema), systemStopwatch);
    rows = exchangeRows(database);
    log = exchangeLog(database, rows);
    rows.begin(ns, { entries: 10_000, bytes: 1024 * 1024 });
  });

  afterEach(() => database.close());

  const put = (blocks: number, exchangesInBlock: number) => {
    for (let block = 0; block < blocks; block += 1) {
      const exchanges = Array.from({ length: exchangesInBlock }, () => ({
        ...{ exchange: newExchange(), times: 1, answered: 0 },
      }));
      log.put(ns, exchanges, 0);
    }
  };

  const left = () => {
    while (log.record(0, 0));
    return rows.state(ns).kept;
  };

  const shrunk = () => ({ gaveWay: log.shrink(), dropped: rows.state(ns).dropped, left: left() });

  verifies('REC-11', 'deletes the oldest 250 in whole blocks, if few blocks contain many', () => {
    put(7, 60);
    expect(shrunk()).to.deep.equal({ gaveWay: true, dropped: 300, left: 120 });
  });

  it('deletes the oldest 250 if each has its own block', () => {
    put(260, 1);
    expect(shrunk()).to.deep.equal({ gaveWay: true, dropped: 250, left: 10 });
  });

  it('keeps less than that, so that other data is deleted first', () => {
    put(4, 62);
    expect(shrunk()).to.deep.equal({ gaveWay: false, dropped: 0, left: 248 });
  });
});
