// Supervises one child, with plain objects as processes: which messages it gets, when it is replaced, and when the
// stack gives up.
import { mock } from 'node:test';
import { expect } from 'chai';
import { type Monotonic, type Stopwatch, systemStopwatch } from '#shared/base/clock.ts';
import type { StackFailure } from '#shared/base/start-refusal.ts';
import type { Order, Report } from '#shared/process/worker/mailbox.ts';
import type { WorkerListeners } from '#supervisor/spawn-worker.ts';
import { superviseChild } from '#supervisor/supervise.ts';
import { verifies } from '#test/support/verifies.ts';

interface FakeProcess {
  readonly orders: Order[];
  killed: boolean;
  report(report: Report): void;
  end(how: string): void;
}

function supervised(stopwatch: Stopwatch = systemStopwatch) {
  const processes: FakeProcess[] = [];
  const log: string[] = [];
  const givenUp: StackFailure[] = [];
  const child = superviseChild(
    { id: 'oidc', worker: 'oidc', starts: 'first', stops: 1 },
    {
      spawn(_spec, listeners: WorkerListeners) {
        const orders: Order[] = [];
        const fake: FakeProcess = {
          orders,
          killed: false,
          report: (report) => listeners.onReport(report),
          end: (how) => listeners.onEnd(how),
        };
        processes.push(fake);
        return {
          pid: processes.length,
          order: (order) => orders.push(order),
          kill: () => {
            fake.killed = true;
            // As the end of a real process is reported: after the call.
            setTimeout(() => listeners.onEnd('killed by SIGKILL'), 0);
          },
        };
      },
      firstDirectives: () => [{ order: { type: 'ping' } }],
      onReport: () => {},
      onGivenUp: (failure) => givenUp.push(failure),
      stopwatch,
      log: { info: (line) => log.push(line), warn: (line) => log.push(line), setLevel: () => {} },
    },
  );
  const latest = () => {
    const fake = processes.at(-1);
    if (fake === undefined) throw new Error('no process was started');
    return fake;
  };
  return { child, processes, latest, log, givenUp };
}

describe('a supervised child', () => {
  it('is replaced at once when it dies for the first time, and the replacement gets the same messages', () => {
    const { child, processes, latest, givenUp } = supervised();
    child.start();
    latest().report({ type: 'ready', path: '' });
    latest().end('killed by SIGKILL');
    expect(processes.map(({ orders }) => orders)).to.deep.equal([[{ type: 'ping' }], [{ type: 'ping' }]]);
    expect(givenUp).to.deep.equal([]);
    child.end();
  });

  it('ends the stack at once if it rejects the start', () => {
    const { child, latest, givenUp } = supervised();
    child.start();
    latest().report({ type: 'fatal', reason: 'the port is taken', refusal: 'address_in_use' });
    expect(givenUp).to.deep.equal([{ reason: 'oidc: the port is taken', refusal: 'address_in_use' }]);
    child.end();
  });

  verifies('CLU-05', 'ends the stack at once, even after long service, if no replacement could continue', () => {
    const { child, processes, latest, givenUp } = supervised();
    child.start();
    latest().report({ type: 'ready', path: '' });
    latest().report({ type: 'fatal', reason: 'the schema is newer', refusal: 'store_refused', forGood: true });
    latest().report({ type: 'fatal', reason: 'the schema is newer', refusal: 'store_refused', forGood: true });
    latest().end('exit code 1');
    expect(givenUp).to.deep.equal([{ reason: 'oidc: the schema is newer', refusal: 'store_refused' }]);
    expect(processes).to.have.length(1);
    child.end();
  });

  it('ends the stack at once if it cannot use a file at its first start', () => {
    const { child, latest, givenUp } = supervised();
    child.start();
    latest().report({ type: 'fatal', reason: 'key.pem cannot be read.', refusal: 'start_failed', mendable: true });
    expect(givenUp).to.deep.equal([{ reason: 'oidc: key.pem cannot be read.', refusal: 'start_failed' }]);
    child.end();
  });

  it('ends the stack with the reason of the last death if it dies too often', async () => {
    const { child, processes, latest, givenUp } = supervised();
    child.start();
    latest().report({ type: 'ready', path: '' });
    for (let deaths = 1; deaths <= 6; deaths += 1) {
      while (processes.length < deaths) await new Promise((resolve) => setTimeout(resolve, 5));
      latest().report({ type: 'fatal', reason: 'the keys are gone', refusal: 'start_failed' });
      latest().end('exit code 1');
    }
    const reason = 'oidc ended 6 times within 60 s, so the stack stops. Last end: exit code 1: the keys are gone';
    expect(givenUp).to.deep.equal([{ reason, refusal: 'start_failed' }]);
    expect(processes).to.have.length(6);
  });

  it('drains a worker that got SIGTERM from outside, and replaces it', () => {
    const { child, processes, latest } = supervised();
    child.start();
    latest().report({ type: 'asked_to_leave' });
    expect(latest().orders).to.deep.equal([{ type: 'ping' }, { type: 'drain' }]);
    latest().end('exit code 0');
    expect(processes).to.have.length(2);
    child.end();
  });

  it('is not replaced while it drains, and is stopped and then killed if it does not end in time', async () => {
    const { child, processes, latest } = supervised();
    child.start();
    await child.drain(20);
    expect(latest().killed).to.equal(true);
    expect(latest().orders.slice(-2)).to.deep.equal([{ type: 'drain' }, { type: 'end' }]);
    expect(processes).to.have.length(1);
  });

  it('does not start again if it was drained between two starts', async () => {
    const { child, processes, latest } = supervised();
    child.start();
    latest().end('exit code 1');
    latest().end('exit code 1');
    await child.drain(20);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(processes).to.have.length(2);
  });

  describe('whose replacement cannot use a file', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setInterval', 'setTimeout'] }));
    afterEach(() => mock.timers.reset());

    const failing = ({ latest, log }: ReturnType<typeof supervised>, pauses: readonly number[]) => {
      for (const pause of pauses) {
        latest().report({ type: 'fatal', reason: 'key.pem cannot be read.', refusal: 'start_failed', mendable: true });
        latest().end('exit code 1');
        const next = `Fix the cause. The stack needs no restart: the next attempt follows in ${pause} ms`;
        expect(log.at(-1)).to.equal(`oidc cannot start: key.pem cannot be read. ${next}`);
        mock.timers.tick(pause);
      }
    };

    verifies('SUP-06', 'is started again after growing pauses, which begin anew once it served', () => {
      const stack = supervised();
      const { child, processes, latest, givenUp, log } = stack;
      child.start();
      latest().report({ type: 'ready', path: '' });
      latest().end('killed by SIGKILL');
      failing(stack, [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
      expect([givenUp.length, processes.length]).to.deep.equal([0, 9]);
      latest().report({ type: 'ready', path: '' });
      expect(log.at(-1)).to.equal('oidc is ready again');
      latest().end('killed by SIGKILL');
      mock.timers.tick(100);
      failing(stack, [500]);
      child.end();
    });

    verifies('SUP-07', 'does not use up the allowed number of crashes', () => {
      const stack = supervised();
      const { child, latest, givenUp } = stack;
      child.start();
      latest().report({ type: 'ready', path: '' });
      failing(stack, [500, 1_000, 2_000, 4_000, 8_000, 10_000]);
      for (let crashes = 0; crashes < 5; crashes += 1) {
        latest().end('exit code 7');
        mock.timers.tick(1_000);
      }
      expect(givenUp).to.deep.equal([]);
      latest().end('exit code 7');
      expect(givenUp).to.deep.equal([
        {
          reason: 'oidc ended 6 times within 60 s, so the stack stops. Last end: exit code 7',
          refusal: 'start_failed',
        },
      ]);
    });
  });

  describe('that becomes silent', () => {
    let now = 0;
    const stopwatch: Stopwatch = { read: () => now as Monotonic, since: (start) => now - start };
    const pass = (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        now += 1_000;
        mock.timers.tick(1_000);
      }
    };
    beforeEach(() => mock.timers.enable({ apis: ['setInterval', 'setTimeout'] }));
    afterEach(() => mock.timers.reset());

    verifies('SUP-17', 'is replaced after growing pauses each time, and the stack continues', () => {
      const { child, processes, latest, givenUp, log } = supervised(stopwatch);
      child.start();
      latest().report({ type: 'ready', path: '' });
      // Eleven seconds until each kill, and 0, 1, 2, 4, 8, 16, 30 s before the next start.
      pass(8 * 11 + 61);
      expect(
        log.filter((line) => line.includes('Its replacement starts')).map((line) => /\d+ ms/.exec(line)?.[0]),
      ).to.deep.equal(['0 ms', '1000 ms', '2000 ms', '4000 ms', '8000 ms', '16000 ms', '30000 ms', '30000 ms']);
      expect(givenUp).to.deep.equal([]);
      expect(processes).to.have.length(8);
      child.end();
    });

    verifies(
      'SUP-17',
      'does not use up the allowed number of crashes, and counts as the first time again after a healthy minute',
      () => {
        const { child, latest, givenUp, log } = supervised(stopwatch);
        child.start();
        latest().report({ type: 'ready', path: '' });
        pass(11);
        pass(12);
        for (let crashes = 0; crashes < 5; crashes += 1) {
          latest().end('exit code 1');
          pass(1);
        }
        expect(givenUp).to.deep.equal([]);
        for (let second = 0; second < 70; second += 1) {
          pass(1);
          latest().report({ type: 'pong' });
        }
        pass(11);
        expect(log.at(-1)).to.include('Its replacement starts in 0 ms');
        child.end();
      },
    );

    verifies('SUP-07', 'counts as a crash before it was ever ready, and the stack reports it and ends', () => {
      const { child, givenUp } = supervised(stopwatch);
      child.start();
      pass(6 * 12);
      expect(givenUp).to.have.length(1);
    });
  });
});
