// A worker with a full event loop still sends its supervisor signs of life. One that hangs in a single task does not. The
// test watches a separate process over the same channel as the supervisor.
import { fork } from 'node:child_process';
import { request } from 'node:http';
import { expect } from 'chai';
import { bundleScript } from '#test/support/bundled-script.ts';
import { verifies } from '#test/support/verifies.ts';

describe('signs of life', function () {
  this.timeout(60_000);

  /** Returns the longest time between two messages of the worker while it answers these simultaneous requests. */
  async function longestSilence(paths: readonly string[]): Promise<number> {
    const worker = fork(await bundleScript('busy-worker.ts'), [], {
      env: { ...process.env, TEST_IDP_WORKER: 'oidc' },
    });
    try {
      const ready = await new Promise<{ path: string }>((resolve) => worker.once('message', resolve as never));
      let last = performance.now();
      let longest = 0;
      const note = () => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      };
      worker.on('message', note);
      await Promise.all(paths.map((path) => answered(ready.path + path)));
      note();
      return longest;
    } finally {
      worker.kill('SIGKILL');
    }
  }

  verifies('SUP-16', 'continue during a long queue of work', async () => {
    expect(await longestSilence(Array.from({ length: 20 }, () => '/300'))).to.be.below(5_000);
  });

  verifies('SUP-08', 'stop when a worker hangs in one task', async () => {
    expect(await longestSilence(['/4000'])).to.be.above(3_500);
  });
});

function answered(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent: false }, (answer) => answer.resume().on('end', () => resolve()))
      .on('error', reject)
      .end();
  });
}
