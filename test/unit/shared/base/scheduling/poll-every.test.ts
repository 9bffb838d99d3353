import { mock } from 'node:test';
import { expect } from 'chai';
import { pollEvery, stopTogether } from '#shared/base/scheduling/poll-every.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';

describe('periodic polling', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  verifies('SUP-09', 'starts no new poll while the process waits for the last one to end', async () => {
    const begun: string[] = [];
    const answers: (() => void)[] = [];
    const looking = ['one', 'other'].map((name, index) => {
      const poll = () => {
        begun.push(name);
        return new Promise<void>((resolve) => {
          answers.push(resolve);
        });
      };
      const pauseMilliseconds = 1_000 + index * 4_000;
      return pollEvery(poll, { log: silentLogger(), pauseMilliseconds, otherwise: 'it is looked at later' });
    });
    mock.timers.tick(1_000);
    let isOver = false;
    const stopped = stopTogether(looking).then(() => {
      isOver = true;
    });
    mock.timers.tick(60_000);
    expect(begun).to.deep.equal(['one']);
    expect(isOver).to.equal(false);
    for (const answer of answers) answer();
    await stopped;
    mock.timers.tick(60_000);
    expect(begun).to.deep.equal(['one']);
  });
});
