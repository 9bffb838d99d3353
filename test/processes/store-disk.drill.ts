// The disk of the store fills while the program runs, or is full or read-only when it starts. Writes that are impossible
// are rejected with 503 and have no effect, other requests are answered, and the files stay unchanged. Once there is room
// again, everything continues. A limit on file sizes, which needs no privileges, simulates the full disk. Where the test
// may mount one, a small file system is used as well.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { authorizePath } from '#test/support/authorization-flow.ts';
import { alice, web } from '#test/support/credentials.ts';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { postForm } from '#test/support/http.ts';
import { apiClient } from '#test/support/management-api.ts';
import { sentences } from '#test/support/sentences.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { SmallDisk } from '#test/support/small-disk.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback } from '#test/support/worlds.ts';

/** Store and audit with mode and content. SQLite's own files beside open ones may contain uncommitted data. */
function filesOf(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.db'))
    .map(({ name }) => {
      const path = join(directory, name);
      const content = createHash('sha256').update(readFileSync(path)).digest('hex');
      return `${name} ${statSync(path).mode.toString(8)} ${content}`;
    })
    .sort();
}

async function codeOfAlice({ baseUrl }: RunningIdp): Promise<string> {
  const answer = await postForm(baseUrl + authorizePath(), alice);
  return new URL(answer.headers.get('location') ?? 'missing:').searchParams.get('code') ?? '';
}

/** From a full disk to free room again, with one program. */
async function liveThrough(
  idp: RunningIdp,
  state: string,
  { fill, makeRoom }: { readonly fill: () => void; readonly makeRoom: () => void },
): Promise<void> {
  const api = apiClient(idp);
  const token = (form: Record<string, string>) => postForm(`${idp.baseUrl}/token`, form, web);
  expect((await api('POST', '/api/runtime/users', { username: 'before' })).status).to.equal(201);
  const form = { grant_type: 'authorization_code', code: await codeOfAlice(idp), redirect_uri: callback };
  const { body: audit } = await api('GET', '/api/audit?limit=-1');

  fill();
  const full = filesOf(state);
  const refused: [string, { status: number; headers: Headers; body: Record<string, unknown> }][] = [
    ['a create', await api('POST', '/api/runtime/users', { username: 'after' })],
    ['a delete', await api('DELETE', '/api/runtime/users/before')],
    ['a promotion', await api('POST', '/api/runtime/users/before/promote')],
    ['a reset', await api('DELETE', '/api/runtime')],
    ['a registration', await api('POST', '/register', { redirect_uris: [callback] })],
  ];
  for (const answer of [await token({ grant_type: 'client_credentials' }), await token(form)]) {
    refused.push(['a token', { status: answer.status, headers: answer.headers, body: await answer.json() }]);
  }
  for (const [what, { status, headers, body }] of refused) {
    expect([status, headers.get('retry-after'), body], what).to.deep.equal([
      503,
      '1',
      {
        error: 'runtime_store_unavailable',
        error_description: sentences.storeBusy,
      },
    ]);
  }
  expect((await fetch(idp.baseUrl + authorizePath())).status).to.equal(503);
  for (const path of ['/health', '/api/users', '/api/runtime/users/before', '/.well-known/jwks.json']) {
    expect((await api('GET', path)).status, path).to.equal(200);
  }
  expect((await api('GET', '/api/audit?limit=-1')).body).to.deep.equal(audit);
  expect(filesOf(state)).to.deep.equal(full);

  makeRoom();
  expect((await api('GET', '/api/audit?limit=-1')).body).to.deep.equal(audit);
  expect((await token(form)).status).to.equal(200);
  expect((await token(form)).status).to.equal(400);
  expect((await api('POST', '/api/runtime/users', { username: 'after' })).status).to.equal(201);
  expect((await api('POST', '/api/runtime/users/before/promote')).status).to.equal(200);
  expect((await api('POST', '/register', { redirect_uris: [callback] })).status).to.equal(201);
  const added = (await api('GET', '/api/audit?limit=-1')).body.entries.slice(audit.count);
  expect(
    added.map(({ event_type, status }: { event_type: string; status: string }) => `${event_type} ${status}`),
  ).to.deep.equal([
    'token_request success',
    'token_request failed',
    'runtime_identity_created success',
    'runtime_identity_promoted success',
    'client_registered success',
  ]);
}

describe('a store without room', () => {
  let disk: SmallDisk;
  let shared: SharedRoot;
  beforeEach(() => {
    disk = new SmallDisk();
  });
  afterEach(() => {
    shared?.remove();
    disk.remove();
  });

  const settings = (path: string) => ({
    ...sharedSettings,
    oauth: { ...sharedSettings.oauth, dynamic_registration: { enabled: true } },
    runtime: { store: 'sqlite', path },
  });
  const start = () => startIdp({ root: shared.root, command: 'oidc' });

  verifies(
    ['STO-14', 'STO-15', 'STO-16', 'STO-23', 'AUD-10'],
    'rejects impossible writes while its process may write nothing, and continues afterwards',
    async function () {
      const prlimit = toolOrSkip(this, 'prlimit', 'util-linux');
      shared = makeSharedRoot(settings('../state/runtime.db'));
      const idp = await start();
      const limit = (bytes: string) => execFileSync(prlimit, ['--pid', String(idp.pid), `--fsize=${bytes}:unlimited`]);
      try {
        await liveThrough(idp, join(shared.root, 'state'), {
          fill: () => limit('1'),
          makeRoom: () => limit('unlimited'),
        });
      } finally {
        expect(await idp.stop()).to.equal(0);
      }
    },
  );

  verifies(
    ['STO-14', 'STO-15', 'STO-16', 'STO-23', 'AUD-10'],
    'rejects impossible writes while its disk is full, and continues afterwards',
    async function () {
      disk.mountOrSkip(this);
      const state = join(disk.path, 'state');
      shared = makeSharedRoot(settings(join(state, 'runtime.db')));
      const idp = await start();
      try {
        await liveThrough(idp, state, { fill: () => disk.fill(), makeRoom: () => disk.empty() });
      } finally {
        expect(await idp.stop()).to.equal(0);
      }
    },
  );

  it('still removes, resets and clears, because a larger disk has reserved room for that', async function () {
    disk.mountOrSkip(this, '48m');
    const state = join(disk.path, 'state');
    shared = makeSharedRoot(settings(join(state, 'runtime.db')));
    const idp = await start();
    try {
      const api = apiClient(idp);
      let created = 0;
      const create = () => api('POST', '/api/runtime/users', { username: `u-${++created}` });
      const crowd = async () => {
        disk.fill();
        // Uses up the rest of the log's last pages.
        for (let status = 0; status !== 503; ) status = (await create()).status;
      };
      for (const username of ['first', 'second', 'third']) await api('POST', '/api/runtime/users', { username });
      await crowd();
      expect((await api('DELETE', '/api/runtime/users/first')).status).to.equal(200);
      expect((await api('DELETE', '/api/runtime')).status).to.equal(200);
      expect((await api('POST', '/api/audit/clear')).status).to.equal(200);
      expect((await api('GET', '/api/runtime/users')).body.count).to.equal(0);
      // Other writes use the freed room.
      await crowd();
      const { status, body } = await api('GET', '/health/ready');
      expect(status).to.equal(503);
      expect(body.reasons.join(' ')).to.contain('The runtime store is full. Delete runtime objects');
      disk.empty();
      expect((await create()).status).to.equal(201);
      expect((await api('GET', '/health/ready')).status).to.equal(200);
    } finally {
      expect(await idp.stop()).to.equal(0);
    }
  });

  verifies('STO-05', 'is rejected at the start and left unchanged, whether full or read-only', async function () {
    disk.mountOrSkip(this);
    const state = join(disk.path, 'state');
    mkdirSync(state);
    shared = makeSharedRoot(settings(join(state, 'runtime.db')));
    const refusal = async () => {
      const before = [...filesOf(state), ...readdirSync(disk.path, { recursive: true })];
      const reason = await start().then(
        async (idp) => `it started and ended with ${await idp.stop()}`,
        (error: Error) => error.message,
      );
      expect([...filesOf(state), ...readdirSync(disk.path, { recursive: true })]).to.deep.equal(before);
      return reason;
    };
    const isFull = /exit code 1 [\s\S]*runtime\.path: the disk of .*runtime\.db is full/;
    const isReadOnly = /exit code 1 [\s\S]*runtime\.path: .*runtime\.db cannot be (created|written): EROFS/;
    // First a new store, then an existing one.
    for (let time = 0; time < 2; time += 1) {
      disk.fill();
      expect(await refusal()).to.match(isFull);
      disk.empty();
      disk.remount('ro');
      expect(await refusal()).to.match(isReadOnly);
      disk.remount('rw');
      const idp = await start();
      expect((await apiClient(idp)('GET', '/api/users')).status).to.equal(200);
      expect(await idp.stop()).to.equal(0);
    }
  });
});
