// A whole stack under mixed load: every response is an expected one, and memory stays flat. The default run of half a
// minute checks only the responses. MIXED_LOAD_MINUTES=60 compares the memory of the last quarter with that of the second
// one.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, redeem } from '#test/support/authorization-flow.ts';
import { attributeQuery } from '#test/support/busy-clients.ts';
import { alice } from '#test/support/credentials.ts';
import { connectHttp } from '#test/support/mcp-client.ts';
import { authnRequest, redirectQuery } from '#test/support/saml/service-provider.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { workersOf } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { introspect, postTo, token, userinfo } from '#test/support/token-flows.ts';
import { demoSettings } from '#test/support/worlds.ts';

const minutes = Number(process.env.MIXED_LOAD_MINUTES ?? 0.5);
const clients = 6;
const sampleMilliseconds = 1_000;
/** In a shorter run the memory of a young process still grows, so the comparison means nothing. */
const minutesToJudgeMemory = 10;
/** Ratio of the medians of two quarters. */
const growthAllowed = 1.1;

type Action = (idp: RunningIdp, turn: number) => Promise<readonly number[]>;

const password = { grant_type: 'password', ...alice };

/** One client may have a thousand pending logins (AUT-45). This load would exceed that in four minutes. */
const abandonedMax = 500;
const pendingMilliseconds = 600_000;
const abandonedAt: number[] = [];

/** Each action returns its response statuses. */
const actions: Readonly<Record<string, Action>> = {
  tokens: async (idp) => {
    const issued = await token(idp, password);
    const access = String(issued.body.access_token);
    const refreshed = await token(idp, {
      grant_type: 'refresh_token',
      refresh_token: String(issued.body.refresh_token),
    });
    const read = [
      await userinfo(idp, access),
      await introspect(idp, access),
      await postTo(idp, '/revoke', { token: access }),
    ];
    return [issued, refreshed, ...read].map(({ status }) => status);
  },
  code: async (idp) => {
    const browser = newBrowser(idp);
    const page = await browser.submit(await browser.get(authorizePath({ scope: 'openid' })), alice);
    return [(await redeem(idp, codeOf(page))).status];
  },
  abandoned: async (idp) => {
    const now = performance.now();
    while (now - Number(abandonedAt[0]) > pendingMilliseconds) abandonedAt.shift();
    if (abandonedAt.length >= abandonedMax) return [];
    abandonedAt.push(now);
    return [(await newBrowser(idp).get(authorizePath())).status];
  },
  saml: async (idp) => {
    const { headers, body, path } = attributeQuery;
    const queried = await fetch(idp.baseUrl + path, { method: 'POST', headers: { ...headers }, body: body ?? '' });
    await queried.text();
    const browser = newBrowser(idp);
    const page = await browser.submit(await browser.get(`/saml/sso?${redirectQuery(authnRequest(), 'r')}`), alice);
    return [queried.status, page.status];
  },
  runtime: async (idp, turn) => {
    const username = `user-${turn}`;
    const created = await idp.api('POST', '/api/runtime/users', { username, password: 'x' });
    const removed = await idp.api('DELETE', `/api/runtime/users/${username}`);
    return [created.status === 201 ? 200 : created.status, removed.status];
  },
  reads: async (idp) => {
    const paths = [
      '/api/exchanges?limit=20',
      '/api/flows?limit=20',
      '/api/audit?limit=20',
      '/api/verdict',
      '/flows',
      '/',
    ];
    const statuses: number[] = [];
    for (const path of [...paths, '/.well-known/openid-configuration', '/health/ready']) {
      const response = await fetch(idp.baseUrl + path);
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    return statuses;
  },
  sandbox: async (idp) => {
    const sandbox = await makeSandbox(idp);
    const clock = await sandbox.api('PUT', '/api/clock', { advance_seconds: 2_678_400 });
    const ended = await idp.api('DELETE', `/api/sandboxes/${sandbox.name}`);
    return [clock.status, ended.status];
  },
  mcp: async (idp) => {
    const mcp = await connectHttp(idp.mcpUrl ?? expect.fail('the ready line names no mcp_url'));
    await mcp.ok('list_users');
    await mcp.ok('generate_token', { username: 'alice' });
    await mcp.close();
    return [200];
  },
};

/** MiB of private memory of each worker, without shared pages of files and in-memory databases. */
function memoryOf(idp: RunningIdp): Readonly<Record<string, number>> {
  const entries = workersOf(idp.pid).map(({ pid, name }) => {
    const [, kibibytes] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return [name, Math.round(Number(kibibytes) / 1024)] as const;
  });
  return Object.fromEntries(entries);
}

const median = (values: readonly number[]) => [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;

describe('a stack under mixed load', function () {
  this.timeout((minutes + 2) * 60_000);
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ settings: { ...demoSettings, runtime: { store: 'sqlite', path: '../state/runtime.db' } } });
  });
  after(() => idp.stop());

  it('returns expected statuses only, with flat memory', async () => {
    const random = seededRandom();
    console.log(`      SEED=${random.seed}`);
    const deadline = performance.now() + minutes * 60_000;
    const counts: Record<string, number> = {};
    const names = Object.keys(actions);
    let turns = 0;
    const client = async () => {
      while (performance.now() < deadline) {
        turns += 1;
        const name = names[random.integer(0, names.length - 1)] ?? '';
        for (const status of (await actions[name]?.(idp, turns)) ?? []) {
          const key = `${name} ${status}`;
          counts[key] = (counts[key] ?? 0) + 1;
        }
      }
    };
    const samples: Readonly<Record<string, number>>[] = [];
    const sampling = setInterval(() => samples.push(memoryOf(idp)), sampleMilliseconds);
    const pids = workersOf(idp.pid).map(({ pid }) => pid);
    await Promise.all(Array.from({ length: clients }, client)).finally(() => clearInterval(sampling));
    console.log(`      ${turns} turns in ${minutes} minutes`, counts);

    expect(Object.keys(counts).filter((key) => !key.endsWith(' 200'))).to.deep.equal([]);
    expect(workersOf(idp.pid).map(({ pid }) => pid)).to.deep.equal(pids);
    const quarter = (from: number) =>
      samples.slice(Math.floor((samples.length * from) / 4), Math.floor((samples.length * (from + 1)) / 4));
    for (const name of ['oidc', 'saml', 'mcp']) {
      const [second, last] = [1, 3].map((from) => median(quarter(from).map((sample) => sample[name] ?? 0)));
      console.log(`      ${name}: ${second} MiB in the second quarter, ${last} MiB in the last`);
      if (minutes >= minutesToJudgeMemory) expect(last).to.be.at.most((second ?? 0) * growthAllowed);
    }
  });
});
