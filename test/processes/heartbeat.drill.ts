// The heartbeat: the supervisor kills and replaces a worker that does not respond, but not one that it did not ask
// (SUP-08).
import { expect } from 'chai';
import { isAlive, until, workersOf } from '#test/support/stack.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a worker that does not respond', () => {
  for (const name of ['oidc', 'saml', 'mcp'] as const) {
    verifies('SUP-08', `is killed and replaced after 10 s: ${name}`, async () => {
      const idp = await startIdp();
      try {
        const stopped = workersOf(idp.pid).find((worker) => worker.name === name)?.pid ?? 0;
        const start = performance.now();
        process.kill(stopped, 'SIGSTOP');
        const replacement = await until(
          'it was replaced',
          () => workersOf(idp.pid).find((worker) => worker.name === name && worker.pid !== stopped),
          20_000,
        );
        expect(performance.now() - start).to.be.within(9_500, 20_000);
        expect(isAlive(stopped)).to.equal(false);
        expect(replacement.pid).not.to.equal(stopped);
        await until('everything answers again', async () => {
          const [health, metadata] = await Promise.all(
            ['/api/health', '/saml/metadata'].map((path) => fetch(idp.baseUrl + path)),
          );
          return health?.status === 200 && metadata?.status === 200;
        });
        expect(idp.log()).to.match(new RegExp(`${name} has not responded for 10 s, so the supervisor kills it`));
      } finally {
        await idp.stop();
      }
    });
  }

  verifies('SUP-08', 'stays if the supervisor itself was stopped', async () => {
    const idp = await startIdp();
    try {
      const before = workersOf(idp.pid).map(({ pid }) => pid);
      process.kill(idp.pid, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 13_000));
      process.kill(idp.pid, 'SIGCONT');
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(workersOf(idp.pid).map(({ pid }) => pid)).to.deep.equal(before);
    } finally {
      await idp.stop();
    }
  });
});
