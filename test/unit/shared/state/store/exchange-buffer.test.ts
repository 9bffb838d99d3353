// When a busy process writes its exchanges: together with commits of events, or separately when those become rare.
import { expect } from 'chai';
import { pino } from 'pino';
import type { Monotonic } from '#shared/base/clock.ts';
import type { NamespaceKey } from '#shared/state/store/namespace-id.ts';
import type { StoreDatabase } from '#shared/state/store/sqlite/database.ts';
import { ExchangeBuffer } from '#shared/state/store/sqlite/exchanges/exchange-buffer.ts';
import type { ExchangeLog } from '#shared/state/store/sqlite/exchanges/exchange-log.ts';
import { until } from '#test/support/stack.ts';
import { verifies } from '#test/support/verifies.ts';
import { newExchange } from '../../../../contract/parts/exchanges.ts';

describe('exchanges that wait for a commit', () => {
  let milliseconds: number;
  let buffer: ExchangeBuffer;
  /** What the database received, in order. */
  let calls: string[];
  /** Why it writes nothing. */
  let failure: Error | undefined;
  /** The log lines of this test only, because a buffer of an earlier test may still retry. */
  let lines: readonly string[];

  beforeEach(() => {
    const logged: string[] = [];
    lines = logged;
    milliseconds = 0;
    calls = [];
    failure = undefined;
    const log: Partial<ExchangeLog> = {
      put: (_ns, exchanges) => void calls.push(`${exchanges.length} at ${milliseconds}`),
      hold: () => void calls.push(`held at ${milliseconds}`),
      letGo: () => void calls.push('let go'),
    };
    const database: Partial<StoreDatabase> = { tryWrite: (work) => (failure === undefined ? work() : fail(failure)) };
    buffer = new ExchangeBuffer({
      database: database as StoreDatabase,
      log: log as ExchangeLog,
      stopwatch: { read: () => milliseconds as Monotonic, since: (start) => milliseconds - start },
      realNow: () => milliseconds,
      holder: 'this process',
      logger: pino({ level: 'warn' }, { write: (line) => void logged.push(line) }),
    });
  });

  const add = () => buffer.add('' as NamespaceKey, newExchange());

  /** A request whose event is committed at that millisecond. */
  function commitAt(moment: number): void {
    milliseconds = moment;
    add();
    const going = buffer.joinCommit();
    going?.write();
    going?.committed();
  }

  verifies('REC-09', 'are written with one commit in many while commits follow each other closely', () => {
    for (let moment = 0; moment <= 160; moment += 2) commitAt(moment);
    expect(calls).to.deep.equal([
      '1 at 0',
      'held at 2',
      '39 at 78',
      'let go',
      'held at 80',
      '39 at 156',
      'let go',
      'held at 158',
    ]);
  });

  verifies('REC-09', 'are written with the next commit if commits are rare', () => {
    for (const moment of [0, 20, 40]) commitAt(moment);
    expect(calls).to.deep.equal(['1 at 0', '1 at 20', '1 at 40']);
  });

  verifies('REC-09', 'are written without a commit as soon as none is expected', async () => {
    for (const moment of [0, 1, 2]) commitAt(moment);
    milliseconds = 30;
    await until('the delayed exchanges are written', () => calls.length > 2);
    expect(calls).to.deep.equal(['1 at 0', 'held at 1', '2 at 30', 'let go']);
  });

  verifies('REC-11', 'are limited to the number that is written at once', () => {
    commitAt(0);
    commitAt(1);
    for (let each = 0; each < 300; each += 1) add();
    commitAt(2);
    commitAt(3);
    expect(calls).to.deep.equal(['1 at 0', 'held at 1', '200 at 2']);
    commitAt(90);
    expect(calls.slice(3)).to.deep.equal(['104 at 90', 'let go']);
  });

  it('without an event are written at once, or delayed under load and if equal ones may follow', () => {
    add();
    expect(buffer.announce(false)).to.equal(undefined);
    milliseconds = 2;
    for (let each = 0; each < 2; each += 1) {
      add();
      expect(buffer.announce(false)).to.equal(undefined);
    }
    commitAt(80);
    milliseconds = 200;
    add();
    expect(buffer.announce(true)).to.equal(undefined);
    expect(calls).to.deep.equal(['1 at 0', 'held at 2', '3 at 80', 'let go', 'held at 200']);
  });

  verifies('REC-12', 'without an event delay a request briefly while the database is busy, and only once', async () => {
    failure = Object.assign(new Error('the database is locked'), { code: 'ERR_SQLITE_ERROR', errcode: 5 });
    add();
    const announced = buffer.announce(false);
    expect(announced).to.be.instanceOf(Promise);
    milliseconds = 200;
    await announced;
    add();
    expect(buffer.announce(false)).to.equal(undefined);
    failure = undefined;
    commitAt(220);
    add();
    milliseconds = 240;
    expect(buffer.announce(false)).to.equal(undefined);
    expect(calls).to.deep.equal(['3 at 220', '1 at 240']);
  });

  verifies(
    'REC-12',
    'that could not join a commit are written without one, however soon the next is expected',
    async () => {
      commitAt(0);
      milliseconds = 20;
      add();
      const failingCommit = () => buffer.joinCommit()?.rolledBack(new Error('the disk is gone'));
      failingCommit();
      const commits = setInterval(failingCommit, 5);
      await until('the exchange is written', () => calls.length > 1).finally(() => clearInterval(commits));
      expect(calls).to.deep.equal(['1 at 0', '1 at 20']);
    },
  );

  verifies('REC-12', 'that cannot be written are counted as lost, and later ones are written', async () => {
    failure = new Error('the disk is gone');
    add();
    add();
    await until('both are lost', () => buffer.lostOf('' as NamespaceKey) === 2);
    failure = undefined;
    commitAt(30);
    expect(calls).to.deep.equal(['1 at 30']);
    expect(buffer.lostOf('' as NamespaceKey)).to.equal(0);
  });

  verifies('REC-12', 'that cannot be written for long are logged once a minute, for any cause', async () => {
    failure = new Error('the disk is full');
    const loseOne = async () => {
      const before = buffer.lostOf('' as NamespaceKey);
      add();
      await until('it is lost', () => buffer.lostOf('' as NamespaceKey) === before + 1);
    };
    for (let each = 0; each < 3; each += 1) await loseOne();
    expect(lines).to.have.length(1);
    milliseconds = 60_000;
    for (let each = 0; each < 2; each += 1) await loseOne();
    expect(lines).to.have.length(2);
  });
});

function fail(failure: Error): never {
  throw failure;
}
