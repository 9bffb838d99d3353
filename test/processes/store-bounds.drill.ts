// How large the store of a stack gets, and on how small a disk: a disk with too little room is refused by name, a flood of
// large requests without any credentials fills nothing, a flow with rotated refresh tokens leaves as much behind as its
// rule needs, and on a disk that others filled what frees room works, a replaced worker starts and the stack goes on.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { expect } from 'chai';
import { authorizePath } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { postForm } from '#test/support/http.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { SmallDisk } from '#test/support/small-disk.ts';
import { killWorker, until, workersOf } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { codeFor, redeemCode, refresh, token, tokensFor } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

/** Runs `work` so many times, as many at once as a browser and its neighbours would. */
async function times(count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < count; number = next++) await work(number);
  };
  await Promise.all(Array.from({ length: 24 }, worker));
}

describe('the disk of a stack in memory', () => {
  let disk: SmallDisk;
  let shared: SharedRoot;
  beforeEach(() => {
    disk = new SmallDisk();
    // The places for temporary files are covered by the disk.
    shared = makeSharedRoot(demoSettings, undefined, '/var/tmp');
  });
  afterEach(() => {
    shared.remove();
    disk.remove();
  });
  const start = () => startIdp({ root: shared.root, within: disk.asOnlyTemporaryPlace() });
  const onDisk = async (size: string, context: Mocha.Context, use: (idp: RunningIdp) => Promise<void>) => {
    disk.mountOrSkip(context, size);
    const idp = await start();
    try {
      expect(readdirSync(disk.path).some((name) => name.startsWith('test-idp-stack-'))).to.equal(true);
      await use(idp);
    } finally {
      expect(await idp.stop(), idp.log()).to.equal(0);
    }
    expect(readdirSync(disk.path)).to.deep.equal([]);
  };

  verifies('SUP-14', 'is refused in one line with the remedy when it has 64 MiB', async function () {
    disk.mountOrSkip(this, '64m');
    const refusal = await start().then(
      async (idp) => `it started and ended with ${await idp.stop()}`,
      (error: Error) => error.message,
    );
    expect(refusal).to.match(/^test-idp start ended with exit code 1 [^\n]*\n[^\n]*\n?$/);
    expect(refusal).to.contain('Set TMPDIR to a directory with more space, or set `runtime.store: sqlite`');
    expect(readdirSync(disk.path), 'nothing is left').to.deep.equal([]);
  });

  verifies('SUP-14', 'has room for everything when it has 256 MiB', async function () {
    await onDisk('256m', this, async (idp) => {
      await tokensFor(idp);
      expect((await idp.api('GET', '/health/ready')).status).to.equal(200);
    });
  });

  it('is not filled by requests without credentials, however large', async function () {
    await onDisk('112m', this, async (idp) => {
      const statuses = new Map<number, number>();
      await times(2_500, async (number) => {
        const userAgent = `${number} `.padEnd(15_000, 'x');
        const answer = await token(idp, { grant_type: 'client_credentials' }, { 'User-Agent': userAgent });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      });
      expect([...statuses]).to.deep.equal([[400, 2_500]]);
      await times(500, async () => {
        const page = await postForm(idp.baseUrl + authorizePath(), { username: 'x'.repeat(15_000), password: 'wrong' });
        expect(page.status).to.equal(200);
      });
      expect((await idp.api('GET', '/api/audit/stats')).body.total_requests, 'recorded').to.be.at.least(3_000);
      await expectToAnswer(idp);
      expect((await idp.api('POST', '/api/audit/clear')).status).to.equal(200);
      await idp.api('POST', '/api/runtime/users', { username: 'zoe' });
      expect((await idp.api('DELETE', '/api/runtime')).body.users_deleted).to.equal(2);
    });
  });

  it('may be filled by others: room can be freed, a worker replaced, and everything goes on', async function () {
    await onDisk('112m', this, async (idp) => {
      for (const username of ['first', 'second']) await idp.api('POST', '/api/runtime/users', { username });
      disk.fill();
      let created = 0;
      const create = () => idp.api('POST', '/api/runtime/users', { username: `u-${++created}` });
      for (let status = 0; status !== 503; ) status = (await create()).status;

      const ready = await idp.api('GET', '/health/ready');
      expect(ready.status).to.equal(503);
      expect(ready.body.reasons.join(' ')).to.contain('The runtime store is full');
      const replacement = await killWorker(idp, 'oidc');
      await until('the replacement answers', async () => {
        const answer = await idp.api('GET', '/health').catch(() => undefined);
        return answer?.status === 200;
      });
      expect(workersOf(idp.pid).map(({ pid }) => pid)).to.include(replacement);
      expect((await idp.api('DELETE', '/api/runtime/users/first')).status, idp.log()).to.equal(200);
      expect((await idp.api('DELETE', '/api/runtime')).status).to.equal(200);
      expect((await idp.api('POST', '/api/audit/clear')).status).to.equal(200);

      disk.empty();
      await expectToAnswer(idp);
    });
  });
});

async function expectToAnswer(idp: RunningIdp): Promise<void> {
  await tokensFor(idp);
  expect((await idp.api('POST', '/api/runtime/users', { username: 'yan' })).status).to.equal(201);
  const ready = await idp.api('GET', '/health/ready');
  expect(ready.status, JSON.stringify(ready.body)).to.equal(200);
}

describe('a flow with rotated refresh tokens', () => {
  /** Many, so that what waits for the next purge is little beside them. */
  const flows = 600;

  it('leaves no more behind than one number for its line', async () => {
    const settings = { ...sharedSettings, oauth: { ...sharedSettings.oauth, refresh_token_rotation: true } };
    const idp = await startIdp({ command: 'oidc', settings });
    try {
      const round = () =>
        times(flows, async () => {
          const answer = await redeemCode(idp, await codeFor(idp, {}, alice));
          let current = answer.body.refresh_token;
          for (let rotation = 0; rotation < 3; rotation += 1) {
            const rotated = await refresh(idp, String(current));
            expect(rotated.status, rotated.text).to.equal(200);
            current = rotated.body.refresh_token;
          }
        });
      const path = join(idp.root, 'state', 'runtime.db');
      await round();
      const before = bytesInUse(path);
      // The codes of the round before are over, and those of this one take their place.
      await idp.setClock(3600_000);
      await round();
      const bytesPerFlow = (bytesInUse(path) - before) / flows;
      console.log(`      ${bytesPerFlow.toFixed(0)} bytes a flow`);
      expect(bytesPerFlow).to.be.within(1, 256);
    } finally {
      await idp.stop();
    }
  });
});

/** What the pages with content take, the log included. */
function bytesInUse(path: string): number {
  const database = new SqliteConnection(path, { readonly: true });
  try {
    const read = (name: string) => Number(database.pragma(name, { simple: true }));
    return (read('page_count') - read('freelist_count')) * read('page_size');
  } finally {
    database.close();
  }
}
