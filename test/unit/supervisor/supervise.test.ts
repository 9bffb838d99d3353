// One child under supervision, with processes made of plain objects: what it is told, when it is replaced, when the
// stack gives up.
import { expect } from 'chai';
import { systemStopwatch } from '#shared/clock.ts';
import type { Order, Report } from '#shared/worker/mailbox.ts';
import type { WorkerListeners } from '#supervisor/spawn-worker.ts';
import { superviseChild } from '#supervisor/supervise.ts';

interface FakeProcess {
  readonly orders: Order[];
  killed: boolean;
  report(report: Report): void;
  end(how: string): void;
}

function supervised() {
  const processes: FakeProcess[] = [];
  const log: string[] = [];
  const givenUp: string[] = [];
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
            listeners.onEnd('killed by SIGKILL');
          },
        };
      },
      firstDirectives: () => [{ order: { type: 'ping' } }],
      onReport: () => {},
      onGivenUp: (reason) => givenUp.push(reason),
      stopwatch: systemStopwatch,
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
  it('is replaced at once when it dies for the first time, and the replacement is told the same', () => {
    const { child, processes, latest, givenUp } = supervised();
    child.start();
    latest().report({ type: 'ready', path: '' });
    latest().end('killed by SIGKILL');
    expect(processes.map(({ orders }) => orders)).to.deep.equal([[{ type: 'ping' }], [{ type: 'ping' }]]);
    expect(givenUp).to.deep.equal([]);
    child.end();
  });

  it('ends the stack at once when it refuses to start', () => {
    const { child, latest, givenUp } = supervised();
    child.start();
    latest().report({ type: 'fatal', reason: 'settings.yaml is broken' });
    expect(givenUp).to.deep.equal(['oidc: settings.yaml is broken']);
    child.end();
  });

  it('ends the stack with the reason of the last one when it dies too often', async () => {
    const { child, processes, latest, givenUp } = supervised();
    child.start();
    latest().report({ type: 'ready', path: '' });
    for (let deaths = 1; deaths <= 6; deaths += 1) {
      while (processes.length < deaths) await new Promise((resolve) => setTimeout(resolve, 5));
      latest().report({ type: 'fatal', reason: 'the keys are gone' });
      latest().end('exit code 1');
    }
    expect(givenUp).to.deep.equal(['oidc ended 6 times within 60 s, at last by exit code 1: the keys are gone']);
    expect(processes).to.have.length(6);
  });

  it('drains a worker that somebody sent SIGTERM, and replaces it', () => {
    const { child, processes, latest } = supervised();
    child.start();
    latest().report({ type: 'asked_to_leave' });
    expect(latest().orders).to.deep.equal([{ type: 'ping' }, { type: 'drain' }]);
    latest().end('exit code 0');
    expect(processes).to.have.length(2);
    child.end();
  });

  it('is not replaced once it was told to drain, and is ended and then killed when it does not end in time', async () => {
    const { child, processes, latest } = supervised();
    child.start();
    await child.drain(20);
    expect(latest().killed).to.equal(true);
    expect(latest().orders.slice(-2)).to.deep.equal([{ type: 'drain' }, { type: 'end' }]);
    expect(processes).to.have.length(1);
  });

  it('does not start any more after it was drained between two lives', async () => {
    const { child, processes, latest } = supervised();
    child.start();
    latest().end('exit code 1');
    latest().end('exit code 1');
    await child.drain(20);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(processes).to.have.length(2);
  });
});
