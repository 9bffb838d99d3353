// One standalone OIDC worker is killed with SIGKILL under load and restarted on the same store, repeatedly. Every write
// that it acknowledged remains, and no revoked token is active. KILLS=200 makes a night of it.
import { rmSync } from 'node:fs';
import { expect } from 'chai';
import * as z from 'zod';
import { web } from '#test/support/credentials.ts';
import { emptyPostgresLocation, type PostgresServer, usePostgres } from '#test/support/postgres-server.ts';
import { type SeededRandom, seededRandom } from '#test/support/seeded-random.ts';
import { makeSharedRoot } from '#test/support/shared-root.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

const kills = Number(process.env.KILLS ?? 5);
const clients = 4;
const form = { ...web, 'Content-Type': 'application/x-www-form-urlencoded' };
const tokensOf = z.object({ access_token: z.string(), refresh_token: z.string() });

/** What the server acknowledged before it was killed. */
interface Acknowledged {
  readonly users: string[];
  readonly revoked: string[];
  /** Issued and not revoked. These tokens prove that `inactive` is meaningful. */
  readonly active: string[];
}

async function post(idp: RunningIdp, path: string, body: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(idp.baseUrl + path, { method: 'POST', headers: form, body: new URLSearchParams(body).toString() });
}

/** Each client writes one item after the other until the server ends. */
async function load(idp: RunningIdp, name: string, { users, revoked, active }: Acknowledged): Promise<void> {
  for (let n = 0; ; n += 1) {
    const username = `${name}-${n}`;
    const created = await fetch(`${idp.baseUrl}/api/runtime/users`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password: 'x' }),
    });
    expect(created.status, await created.text()).to.equal(201);
    users.push(username);
    const answer = await post(idp, '/token', { grant_type: 'password', username: 'alice', password: 'wonderland' });
    const { access_token: access, refresh_token: refresh } = tokensOf.parse(await answer.json());
    if (n % 5 === 0) active.push(access, refresh);
    else {
      for (const token of [access, refresh]) {
        if ((await post(idp, '/revoke', { token })).status === 200) revoked.push(token);
      }
    }
  }
}

const isActive = async (idp: RunningIdp, token: string) =>
  z.object({ active: z.boolean() }).parse(await (await post(idp, '/introspect', { token })).json()).active;

/** Counts the active tokens of `all`, a few at a time. */
async function countActive(idp: RunningIdp, all: readonly string[]): Promise<number> {
  let active = 0;
  for (let at = 0; at < all.length; at += 8) {
    const answers = await Promise.all(all.slice(at, at + 8).map((token) => isActive(idp, token)));
    active += answers.filter(Boolean).length;
  }
  return active;
}

async function killUnderLoad(idp: RunningIdp, round: number, random: SeededRandom): Promise<Acknowledged> {
  const acknowledged: Acknowledged = { users: [], revoked: [], active: [] };
  const running = Array.from({ length: clients }, (_, client) => load(idp, `user-${round}-${client}`, acknowledged));
  const ended = Promise.allSettled(running);
  await new Promise((resolve) => setTimeout(resolve, random.integer(200, 1_200)));
  idp.process.kill('SIGKILL');
  await idp.exited;
  for (const outcome of await ended) {
    // Only the kill ends a client, whose last request then has no response.
    if (outcome.status === 'rejected') expect(String(outcome.reason)).to.match(/fetch failed|terminated/);
  }
  return acknowledged;
}

function itLosesNothing(engine: string, runtime: () => object): void {
  verifies(
    ['SUP-04', 'STO-14'],
    `loses no acknowledged write on ${engine}, and reactivates no revoked token`,
    async () => {
      const random = seededRandom();
      console.log(`      SEED=${random.seed}`);
      const { root } = makeSharedRoot({ ...demoSettings, runtime: runtime() });
      const start = () => startIdp({ root, command: 'oidc' });
      let idp = await start();
      let [writes, revocations] = [0, 0];
      const revoked: string[] = [];
      try {
        for (let round = 0; round < kills; round += 1) {
          const acknowledged = await killUnderLoad(idp, round, random);
          idp = await start();
          const { body } = await idp.api('GET', '/api/runtime/users');
          const present = new Set(
            z
              .array(z.object({ username: z.string() }))
              .parse(body.users)
              .map(({ username }) => username),
          );
          expect(acknowledged.users.filter((name) => !present.has(name))).to.deep.equal([]);
          expect(await countActive(idp, acknowledged.revoked)).to.equal(0);
          expect(await countActive(idp, acknowledged.active)).to.equal(acknowledged.active.length);
          writes += acknowledged.users.length + acknowledged.revoked.length;
          revocations += acknowledged.revoked.length;
          revoked.push(...acknowledged.revoked.slice(0, 4));
          await idp.api('DELETE', '/api/runtime/users');
        }
        expect(await countActive(idp, revoked)).to.equal(0);
        console.log(`      ${kills} kills, ${writes} acknowledged writes, ${revocations} of them revocations`);
        expect(revocations).to.be.above(0);
      } finally {
        await idp.stop();
        rmSync(root, { recursive: true, force: true });
      }
    },
  );
}

describe('a worker that is killed under load', function () {
  this.timeout(60_000 + kills * 20_000);

  itLosesNothing('SQLite', () => ({ store: 'sqlite', path: '../state/runtime.db' }));

  describe('with PostgreSQL', () => {
    let server: PostgresServer;
    usePostgres((started) => {
      server = started;
    });
    itLosesNothing('PostgreSQL', () => {
      const { url, schema } = emptyPostgresLocation(server);
      return { store: 'postgres', url, schema };
    });
  });
});
