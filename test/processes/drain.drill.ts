// A stack under load is stopped repeatedly without losing a request that it accepted (SUP-09).

import { expect } from 'chai';
import { idleMilliseconds } from '#shared/process/worker/drain-server.ts';
import { attributeQuery, type LoadOutcome, startLoad, tokenRequest } from '#test/support/busy-clients.ts';
import { web } from '#test/support/credentials.ts';
import { slowForm } from '#test/support/slow-request.ts';
import { isAlive, workersOf } from '#test/support/stack.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const rounds = 6;

/**
 * A client whose connection was idle for longer than the server's timeout must expect it to be closed (RFC 9112 §9.3.1).
 * If this machine delayed the client for so long, the server lost no request.
 */
const layIdle = ({ error, sinceLast = 0 }: LoadOutcome) => error === 'ECONNRESET' && sinceLast >= idleMilliseconds;

describe('a stack under load that is stopped', () => {
  for (const keepAlive of [false, true]) {
    verifies(
      'SUP-09',
      `loses no request with connections ${keepAlive ? 'kept open' : 'for each request'}`,
      async () => {
        const totals: Record<string, number> = {};
        for (let round = 0; round < rounds; round += 1) {
          const idp = await startIdp({ args: ['--oidc-workers', round % 2 === 0 ? '1' : '2'] });
          const options = { clients: 4, pauseMilliseconds: 1, keepAlive };
          const loads = [tokenRequest, attributeQuery].map((request) =>
            startLoad(idp.baseUrl, { ...options, next: () => request }),
          );
          await new Promise((resolve) => setTimeout(resolve, 700));
          const endedAt = performance.now();
          process.kill(idp.pid, 'SIGTERM');
          expect(await idp.exited).to.equal(0);
          const outcomes: LoadOutcome[] = (await Promise.all(loads.map((load) => load.stop()))).flat();
          for (const outcome of outcomes) {
            const { answer, error, request, startedAt, sinceLast } = outcome;
            const key = layIdle(outcome) ? 'let lie' : (error ?? String(answer?.status));
            totals[key] = (totals[key] ?? 0) + 1;
            const isExpected = key === '200' || key === 'ECONNREFUSED';
            if (!isExpected) console.log('      ', key, request.path, { round, after: startedAt - endedAt, sinceLast });
          }
          await idp.stop();
        }
        console.log('      ', totals);
        // ECONNREFUSED means that the server had ended. Every other request was answered with 200.
        const { 'let lie': _, ...counted } = totals;
        expect(Object.keys(counted)).to.have.members(['200', 'ECONNREFUSED']);
      },
    );
  }

  verifies('SUP-09', 'waits 10 s for a request that does not end, but no longer', async () => {
    const idp = await startIdp();
    const workers = workersOf(idp.pid);
    const slow = slowForm(`${idp.baseUrl}/token`, { grant_type: 'client_credentials' }, web);
    await slow.arrived;
    const start = performance.now();
    process.kill(idp.pid, 'SIGTERM');
    expect(await idp.exited).to.equal(0);
    expect(performance.now() - start).to.be.within(9_900, 20_000);
    expect(workers.filter(({ pid }) => isAlive(pid))).to.deep.equal([]);
    await idp.stop();
  });
});
