// Faults and killed processes: a fault fires as often as requested across all workers of a stack, and a claim that a worker
// took before its death is never given to another worker.
import { expect } from 'chai';
import { alice, web } from '#test/support/credentials.ts';
import { faultOf, type ShownFault, setFault } from '#test/support/faults.ts';
import { until, workersOf } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const workers = { args: ['--oidc-workers', '2'] };
const places = ['jwks', 'token', 'saml_metadata'] as const;
const marked = 'X-Test-Idp-Fault';

type Ask = (idp: RunningIdp) => Promise<Response>;

const askFor: Readonly<Record<(typeof places)[number], Ask>> = {
  jwks: ({ baseUrl }) => fetch(`${baseUrl}/.well-known/jwks.json`),
  token: ({ baseUrl }) =>
    fetch(`${baseUrl}/token`, {
      method: 'POST',
      headers: web,
      body: new URLSearchParams({ grant_type: 'password', ...alice, scope: 'openid' }),
    }),
  saml_metadata: ({ baseUrl }) => fetch(`${baseUrl}/saml/metadata`),
};

/**
 * Sends simultaneous requests to all workers, and returns how many responses a fault changed. A dead worker sends no
 * response.
 */
async function firedAmong(idp: RunningIdp, count: number, at: readonly (typeof places)[number][] = places) {
  const asked = Array.from({ length: count }, async (_, turn) => {
    const place = at[turn % at.length] ?? 'jwks';
    const answer = await askFor[place](idp);
    await answer.text();
    return answer.headers.has(marked);
  });
  const settled = await Promise.allSettled(asked);
  return settled.filter((each) => each.status === 'fulfilled' && each.value).length;
}

const statuses = (idp: RunningIdp) =>
  Promise.all(
    places.map((place) =>
      askFor[place](idp).then(
        ({ status }) => status,
        () => 599,
      ),
    ),
  );

const allAreBack = (idp: RunningIdp, count: number) =>
  until(
    'all workers are back',
    async () => workersOf(idp.pid).length === count && (await statuses(idp)).every((status) => status < 500),
    60_000,
  );

describe('faults of a stack of two OIDC workers and the SAML worker', function () {
  this.timeout(300_000);

  verifies('FLT-18', 'fire once for times 1 when 200 simultaneous requests match', async () => {
    const idp = await startIdp(workers);
    try {
      for (let round = 0; round < 3; round += 1) {
        const before = await setFault(idp, 'status', { at: places, parameters: { status: 418 } });
        expect(await firedAmong(idp, 200), `before, round ${round}`).to.equal(1);
        expect(await faultOf(idp, before)).to.include({ hits: 1, remaining: 0 });
        const after = await setFault(idp, 'token_expired');
        expect(await firedAmong(idp, 60, ['token', 'jwks']), `after, round ${round}`).to.equal(1);
        expect(await faultOf(idp, after)).to.include({ hits: 1, remaining: 0 });
      }
    } finally {
      await idp.stop();
    }
  });

  verifies('FLT-18', 'are used up by a worker that claimed them and was killed before it responded', async () => {
    const idp = await startIdp(workers);
    try {
      const count = workersOf(idp.pid).length;
      for (const place of places) {
        const fault = await setFault(idp, 'status', { at: place, parameters: { delay_ms: 60_000 } });
        const killed = askFor[place](idp).then(
          ({ headers }) => headers.has(marked),
          () => false,
        );
        await until('the fault is claimed', async () => (await faultOf(idp, fault)).hits === 1);
        for (const { pid, name } of workersOf(idp.pid)) if (name !== 'mcp') process.kill(pid, 'SIGKILL');
        expect(await killed, `the answer of ${place} that was held back`).to.equal(false);
        await allAreBack(idp, count);
        expect(await firedAmong(idp, 100), place).to.equal(0);
        expect(await faultOf(idp, fault)).to.include({ hits: 1, remaining: 0 });
      }
    } finally {
      await idp.stop();
    }
  });

  verifies('FLT-18', 'never fire more often than requested while workers are killed', async () => {
    const idp = await startIdp(workers);
    try {
      const count = workersOf(idp.pid).length;
      for (let round = 0; round < 4; round += 1) {
        const times = 3;
        const fault: ShownFault = await setFault(idp, 'status', { at: places, times, parameters: { status: 418 } });
        const fired = firedAmong(idp, 200);
        const victims = workersOf(idp.pid).filter(({ name }) => name !== 'mcp');
        // In the middle of the run: when the first claim appears.
        await until('one is claimed', async () => (await claimsOf(idp, fault)) > 0);
        const victim = victims[round % victims.length];
        if (victim !== undefined) process.kill(victim.pid, 'SIGKILL');
        const seen = await fired;
        await allAreBack(idp, count);
        const more = await firedAmong(idp, 100);
        const { hits, remaining } = await faultOf(idp, fault);
        expect(seen + more, `round ${round}`).to.be.at.most(times);
        expect([hits, remaining]).to.deep.equal([times, 0]);
      }
    } finally {
      await idp.stop();
    }
  });
});

/** Also returns 0 while the requested worker dies. */
const claimsOf = (idp: RunningIdp, fault: ShownFault) =>
  faultOf(idp, fault).then(
    ({ hits }) => hits,
    () => 0,
  );
