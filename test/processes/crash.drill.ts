// Random workers are killed while clients keep opening connections. No connection is refused, only requests in flight in
// the killed process are lost, and acknowledged writes remain (SUP-04).
import { expect } from 'chai';
import { attributeQuery, type LoadOutcome, startLoad, tokenRequest } from '#test/support/busy-clients.ts';
import { rawRequest } from '#test/support/http.ts';
import { type SeededRandom, seededRandom } from '#test/support/seeded-random.ts';
import { until, type WorkerView, workersOf } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

/** The maximum number of replacements of one worker within a minute (SUP-07). */
const killsOfOneWorker = 5;

/** Number of stacks, each with 15 or 20 kills. KILL_ROUNDS=7 makes more than 200. */
const killRounds = Number(process.env.KILL_ROUNDS ?? 1);

interface Kill {
  readonly name: WorkerView['name'];
  readonly at: number;
}

/** Kills each worker the allowed number of times, in random order and at random times. */
async function killAtRandom(idp: RunningIdp, frontends: number, random: SeededRandom): Promise<readonly Kill[]> {
  const victims = (['oidc', 'saml', 'mcp'] as const).flatMap((name) =>
    Array.from({ length: killsOfOneWorker * (name === 'oidc' ? frontends : 1) }, () => ({
      name,
      order: random.next(),
    })),
  );
  victims.sort((one, other) => one.order - other.order);
  const kills: Kill[] = [];
  for (const { name } of victims) {
    await new Promise((resolve) => setTimeout(resolve, random.integer(200, 2_500)));
    const candidates = await until(`a ${name} worker lives`, () => {
      const found = workersOf(idp.pid).filter((worker) => worker.name === name);
      return found.length > 0 && found;
    });
    // The oldest one, so that several front ends are killed equally often.
    process.kill(candidates[0]?.pid ?? 0, 'SIGKILL');
    kills.push({ name, at: performance.now() });
  }
  return kills;
}

const lost = (outcomes: readonly LoadOutcome[]) => outcomes.filter(({ error }) => error !== undefined);
const count = (outcomes: readonly LoadOutcome[], status: number) =>
  outcomes.filter(({ answer }) => answer?.status === status).length;

/** Counts errors by code and responses by status, for the message of a failed expectation. */
function summary(outcomes: readonly LoadOutcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer, error } of outcomes) {
    const key = error ?? String(answer?.status);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

for (const frontends of Array.from({ length: killRounds }, () => [1, 2]).flat()) {
  describe(`a stack of ${frontends} OIDC front ends whose workers are killed`, () => {
    verifies(['SUP-04', 'SUP-05', 'SUP-06', 'SUP-15'], 'loses only their requests in flight', async () => {
      const random = seededRandom();
      console.log(`      SEED=${random.seed}`);
      const idp = await startIdp({ args: ['--oidc-workers', String(frontends)] });
      try {
        const start = (clients: number, pauseMilliseconds: number, next: (index: number) => typeof tokenRequest) =>
          startLoad(idp.baseUrl, { clients, pauseMilliseconds, keepAlive: false, next });
        const [tokens, writes, queries, reads] = [
          start(3, 25, () => tokenRequest),
          start(2, 50, (index) => ({
            method: 'POST',
            path: '/api/runtime/users',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ username: `user-${index}`, password: 'x' }),
          })),
          start(2, 25, () => attributeQuery),
          start(3, 2, () => ({ path: '/.well-known/openid-configuration' })),
        ];
        const kills = await killAtRandom(idp, frontends, random);
        await until('all workers are back', () => workersOf(idp.pid).length === frontends + 2);
        const outcomes = await Promise.all([tokens.stop(), writes.stop(), queries.stop(), reads.stop()]);
        const [tokenOutcomes, writeOutcomes, queryOutcomes, readOutcomes] = outcomes;
        console.log(`      ${kills.length} kills`, outcomes.map(summary));

        expect(kills.length).to.be.at.least(15);
        // No connection was refused, although workers were dead.
        const all = outcomes.flat();
        expect(lost(all).filter(({ error }) => error === 'ECONNREFUSED')).to.deep.equal([]);
        // Lost requests were in flight when a front end was killed: never more than the clients had open at that time.
        const oidcKills = kills.filter(({ name }) => name === 'oidc');
        for (const { startedAt, endedAt, error } of lost(all)) {
          expect(error).to.be.oneOf(['ECONNRESET', 'EPIPE']);
          expect(oidcKills.some(({ at }) => startedAt <= at + 5 && at - 5 <= endedAt)).to.equal(true);
        }
        expect(lost(all).length).to.be.at.most(oidcKills.length * 10);
        // A killed SAML front end causes 502, at most one for each client and kill. 503 appears only if a slow machine
        // takes more than 5 s for the replacement.
        const samlKills = kills.filter(({ name }) => name === 'saml').length;
        expect(count(queryOutcomes, 502)).to.be.at.most(samlKills * 2);
        expect(summary(queryOutcomes)).to.have.any.keys('200');
        for (const [answered, good] of [
          [tokenOutcomes, 200],
          [writeOutcomes, 201],
          [readOutcomes, 200],
        ] as const) {
          expect(count(answered, good) + lost(answered).length).to.equal(answered.length);
        }
        const designed = [200, 502, 503].reduce((sum, status) => sum + count(queryOutcomes, status), 0);
        expect(designed + lost(queryOutcomes).length).to.equal(queryOutcomes.length);

        // Every acknowledged write exists, and once in the audit. A lost request may have written or not.
        const acknowledged = writeOutcomes
          .filter(({ answer }) => answer?.status === 201)
          .map(({ request }): string => JSON.parse(request.body ?? '').username);
        const { users } = await (await fetch(`${idp.baseUrl}/api/runtime/users`)).json();
        const present: string[] = users.map(({ username }: { username: string }) => username);
        expect(present).to.include.members(acknowledged);
        const { entries } = await (await fetch(`${idp.baseUrl}/api/audit?limit=-1`)).json();
        expect(entries.length).to.be.below(10_000);
        const audited = (type: string): { status: string; details: { name?: string } }[] =>
          entries.filter(({ event_type }: { event_type: string }) => event_type === type);
        expect(
          audited('runtime_identity_created')
            .map(({ details }) => details.name)
            .sort(),
        ).to.deep.equal(present.sort());
        const issued = audited('token_request').filter(({ status }) => status === 'success').length;
        const answered = count(tokenOutcomes, 200);
        expect(issued).to.be.within(answered, answered + lost(tokenOutcomes).length);

        for (const path of ['/api/health', '/.well-known/jwks.json']) {
          expect((await rawRequest(idp.baseUrl + path)).status, path).to.equal(200);
        }
        // The worker that was killed last may still be starting.
        const answers = (url: string, expected: number) =>
          until(`${url} answers`, () =>
            rawRequest(url).then(
              ({ status }) => status === expected,
              () => false,
            ),
          );
        await answers(`${idp.baseUrl}/saml/metadata`, 200);
        await answers(idp.mcpUrl ?? '', 405);
      } finally {
        expect(await idp.stop()).to.equal(0);
      }
    });
  });
}
