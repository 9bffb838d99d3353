// Two stacks with two OIDC frontends each, and an MCP worker alone, on one sqlite store and one configuration: everything
// that changes state goes on at once, and every answer is written down. At the end audit, files and store must agree with
// what was answered. DRILL_SECONDS (default 60) and DRILL_SEED make a run longer or repeat its choices.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { parse, stringify } from 'yaml';
import { basic, postForm } from '#test/support/http.ts';
import { cliPath, type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const seconds = Number(process.env.DRILL_SECONDS ?? 60);
const seed = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
const redirectUri = 'http://127.0.0.1:9/callback';
const maxClients = 5;

/** A small generator of our own, so that a printed seed repeats the choices (mulberry32). */
function seeded(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface Ledger {
  readonly created: string[];
  readonly deleted: string[];
  readonly promoted: string[];
  readonly registered: string[];
  readonly unregistered: string[];
  readonly rotations: string[];
  readonly tokens: string[];
  /** For each code: how many of its simultaneous redemptions succeeded. */
  readonly redemptions: number[];
  readonly saved: string[];
  readonly surprises: string[];
  tokenRequests: number;
  registrationsSeenMax: number;
}

const acceptable = new Set([409, 429, 404, 400, 503]);

describe('a storm on one shared store', () => {
  verifies(
    ['STO-09', 'STO-11', 'STO-12', 'RUN-23', 'AUD-09', 'WRT-09', 'SUP-12'],
    'audit, files and store agree with every answer',
    async function () {
      this.timeout((seconds + 180) * 1000);
      process.stdout.write(`      seed ${seed}, ${seconds} s\n`);
      const root = mkdtempSync(join(tmpdir(), 'test-idp-storm-'));
      mkdirSync(join(root, 'config'));
      writeFileSync(
        join(root, 'config', 'settings.yaml'),
        stringify({
          runtime: { store: 'sqlite', path: '../store/runtime.db' },
          jwt: { max_previous_keys: 10 },
          logging: { log_token_requests: false, level: 'WARNING' },
          oauth: {
            issuer: 'http://storm.example',
            dynamic_registration: { enabled: true, max_clients: maxClients },
            clients: [{ client_id: 'web', client_secret: 'web-secret', redirect_uris: [redirectUri] }],
          },
        }),
      );
      writeFileSync(join(root, 'config', 'users.yaml'), stringify({ users: { alice: { password: 'wonderland' } } }));
      const stacks = await Promise.all([1, 2].map(() => startIdp({ root, args: ['--oidc-workers', '2'] })));
      const editor = await startEditor(join(root, 'config'));
      const ledger: Ledger = {
        created: [],
        deleted: [],
        promoted: [],
        registered: [],
        unregistered: [],
        rotations: [],
        tokens: [],
        redemptions: [],
        saved: [],
        surprises: [],
        tokenRequests: 0,
        registrationsSeenMax: 0,
      };
      try {
        await storm(stacks, editor, ledger);
        process.stdout.write(`      ${summary(ledger)}\n`);
        expect(ledger.surprises).to.deep.equal([]);
        await judge(stacks, root, ledger);
      } finally {
        await editor.close();
        for (const stack of stacks) await stack.stop();
        rmSync(root, { recursive: true, force: true });
      }
    },
  );
});

function summary(ledger: Ledger): string {
  const count = (name: 'created' | 'deleted' | 'promoted' | 'registered' | 'rotations' | 'saved') =>
    `${ledger[name].length} ${name}`;
  const counted = (['created', 'deleted', 'promoted', 'registered', 'rotations', 'saved'] as const).map(count);
  return `${counted.join(', ')}, ${ledger.tokenRequests} token requests, ${ledger.redemptions.length} codes`;
}

async function startEditor(configDirectory: string): Promise<Client> {
  const client = new Client({ name: 'storm', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cliPath, 'mcp', '--config-dir', configDirectory],
    stderr: 'ignore',
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return client;
}

async function storm(stacks: readonly RunningIdp[], editor: Client, ledger: Ledger): Promise<void> {
  const end = Date.now() + seconds * 1000;
  const workers = Array.from({ length: 8 }, async (_, index) => {
    const random = seeded(seed + index);
    for (let step = 0; Date.now() < end; step += 1) {
      const base = stacks[Math.floor(random() * stacks.length)]?.baseUrl ?? '';
      await act(random(), base, `u${index}x${step}`, ledger);
    }
  });
  const saver = (async () => {
    for (let step = 0; Date.now() < end; step += 1) await saveFromEditor(editor, `e${step}`, ledger);
  })();
  const registrar = (async () => {
    while (Date.now() < end) await registerAtOnce(stacks, ledger);
  })();
  await Promise.all([...workers, saver, registrar]);
}

async function act(choice: number, base: string, name: string, ledger: Ledger): Promise<void> {
  if (choice < 0.25) return createAndDispose(choice * 4, base, name, ledger);
  if (choice < 0.28) return reload(base, ledger);
  if (choice < 0.29) return rotate(base, ledger);
  if (choice < 0.45) return codeRace(base, ledger);
  return tokenTraffic(base, ledger);
}

function note(response: Response, what: string, ledger: Ledger): void {
  if (!response.ok && !acceptable.has(response.status)) ledger.surprises.push(`${what} answered ${response.status}`);
}

const json = (method: string, body?: unknown): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

async function createAndDispose(choice: number, base: string, name: string, ledger: Ledger): Promise<void> {
  const created = await fetch(`${base}/api/runtime/users`, json('POST', { username: name, password: 'p' }));
  note(created, 'create', ledger);
  if (created.status !== 201) return;
  ledger.created.push(name);
  if (choice < 0.4) {
    const deleted = await fetch(`${base}/api/runtime/users/${name}`, json('DELETE'));
    note(deleted, 'delete', ledger);
    if (deleted.ok) ledger.deleted.push(name);
  } else if (choice < 0.7) {
    const attempts = await Promise.all(
      [1, 2, 3].map(() => fetch(`${base}/api/runtime/users/${name}/promote`, json('POST'))),
    );
    for (const attempt of attempts) note(attempt, 'promote', ledger);
    const won = attempts.filter(({ status }) => status === 200).length;
    if (won > 1) ledger.surprises.push(`${name} was promoted ${won} times`);
    if (won === 1) ledger.promoted.push(name);
  }
}

async function reload(base: string, ledger: Ledger): Promise<void> {
  note(await fetch(`${base}/api/config/reload`, json('POST')), 'reload', ledger);
}

async function rotate(base: string, ledger: Ledger): Promise<void> {
  // As many as are kept for verification: no token of the storm may become unverifiable.
  if (ledger.rotations.length >= 8) return;
  const response = await fetch(`${base}/api/keys/rotate`, json('POST'));
  note(response, 'rotate', ledger);
  if (response.ok) ledger.rotations.push(((await response.json()) as { new_kid: string }).new_kid);
}

async function tokenTraffic(base: string, ledger: Ledger): Promise<void> {
  const form = { grant_type: 'password', username: 'alice', password: 'wonderland' };
  const response = await postForm(`${base}/token`, form, { Authorization: basic('web', 'web-secret') });
  if (response.status === 503) return;
  if (response.status !== 200) ledger.surprises.push(`/token answered ${response.status}`);
  else {
    ledger.tokenRequests += 1;
    ledger.tokens.push(((await response.json()) as { access_token: string }).access_token);
  }
}

async function codeRace(base: string, ledger: Ledger): Promise<void> {
  const query = new URLSearchParams({ response_type: 'code', client_id: 'web', redirect_uri: redirectUri });
  const login = await postForm(`${base}/authorize?${query}`, { username: 'alice', password: 'wonderland' });
  if (login.status === 503) return;
  const code = new URL(login.headers.get('location') ?? 'missing:').searchParams.get('code');
  if (code === null) {
    ledger.surprises.push(`/authorize answered ${login.status}`);
    return;
  }
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
  const authorization = { Authorization: basic('web', 'web-secret') };
  const answers = await Promise.all([1, 2, 3].map(() => postForm(`${base}/token`, form, authorization)));
  const won = answers.filter(({ status }) => status === 200).length;
  ledger.tokenRequests += won;
  if (!answers.some(({ status }) => status === 503)) ledger.redemptions.push(won);
}

async function registerAtOnce(stacks: readonly RunningIdp[], ledger: Ledger): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      fetch(`${stacks[index % 2]?.baseUrl}/register`, json('POST', { redirect_uris: ['https://rp.example/cb'] })),
    ),
  );
  const registered: { client_id: string; registration_access_token: string }[] = [];
  for (const answer of answers) {
    note(answer, 'register', ledger);
    if (answer.status === 201) registered.push((await answer.json()) as (typeof registered)[number]);
  }
  ledger.registered.push(...registered.map(({ client_id }) => client_id));
  const list = await fetch(`${stacks[0]?.baseUrl}/api/runtime/clients`);
  if (list.ok) {
    const { clients } = (await list.json()) as { clients: { source?: string }[] };
    const live = clients.filter(({ source }) => source === 'dcr').length;
    ledger.registrationsSeenMax = Math.max(ledger.registrationsSeenMax, live);
  }
  for (const { client_id, registration_access_token } of registered) {
    for (;;) {
      const gone = await fetch(`${stacks[1]?.baseUrl}/register/${client_id}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${registration_access_token}` },
      });
      if (gone.status === 204) ledger.unregistered.push(client_id);
      if (gone.status !== 503) break;
    }
  }
}

/** reload, add a user, save with the revisions just read; a conflict is an answer like any other. */
async function saveFromEditor(editor: Client, name: string, ledger: Ledger): Promise<void> {
  const call = async (tool: string, args: Record<string, unknown> = {}) => {
    const result = await editor.callTool({ name: tool, arguments: args });
    const [item] = result.content as { text: string }[];
    return JSON.parse(item?.text ?? '{}') as Record<string, unknown>;
  };
  const fresh = await call('reload_config');
  if (fresh.success !== true) return;
  await call('create_user', { username: name, password: 'p' });
  const saved = await call('save_config', {
    expected_users_revision: fresh.users_revision,
    expected_settings_revision: fresh.settings_revision,
  });
  if (saved.success === true) ledger.saved.push(name);
  else if (!['conflict', 'lock_timeout'].includes(String(saved.kind))) {
    ledger.surprises.push(`save_config failed: ${JSON.stringify(saved)}`);
  }
}

async function judge(stacks: readonly RunningIdp[], root: string, ledger: Ledger): Promise<void> {
  const base = stacks[0]?.baseUrl ?? '';
  const { entries } = (await (await fetch(`${base}/api/audit?limit=-1`)).json()) as {
    entries: { event_type: string; status: string; details: { name?: string }; client_id: string | null }[];
  };
  const statistics = (await (await fetch(`${base}/api/audit/stats`)).json()) as { token_requests: number };
  const namesOf = (type: string) =>
    entries.filter((entry) => entry.event_type === type).map(({ details }) => details.name);
  const kept = entries.length < 10_000;

  expect(ledger.created.length, 'something was created').to.be.above(0);
  expect(ledger.promoted.length, 'something was promoted').to.be.above(0);
  expect(ledger.saved.length, 'something was saved').to.be.above(0);
  expect(ledger.redemptions.every((won) => won === 1)).to.equal(true);
  expect(ledger.registrationsSeenMax).to.be.at.most(maxClients);
  expect(new Set(ledger.rotations).size).to.equal(ledger.rotations.length);

  if (kept) {
    const users = (type: string) =>
      namesOf(type)
        .filter((name) => name?.startsWith('u'))
        .sort();
    expect(users('runtime_identity_created')).to.deep.equal([...ledger.created].sort());
    expect(users('runtime_identity_promoted')).to.deep.equal([...ledger.promoted].sort());
    expect(users('runtime_identity_deleted')).to.deep.equal([...ledger.deleted].sort());
    const registered = entries
      .filter(({ event_type }) => event_type === 'client_registered')
      .map(({ client_id }) => client_id);
    expect(registered.sort()).to.deep.equal([...ledger.registered].sort());
    expect(entries.filter(({ event_type }) => event_type === 'key_rotation')).to.have.lengthOf(ledger.rotations.length);
  }
  expect(statistics.token_requests).to.be.at.least(ledger.tokenRequests);

  const declared = parse(readFileSync(join(root, 'config', 'users.yaml'), 'utf8')) as {
    users: Record<string, unknown>;
  };
  const expected = ['alice', ...ledger.promoted, ...ledger.saved].sort();
  expect(Object.keys(declared.users).sort()).to.deep.equal(expected);

  const runtime = (await (await fetch(`${base}/api/runtime/users`)).json()) as { users: { username: string }[] };
  const left = ledger.created.filter((name) => !ledger.deleted.includes(name) && !ledger.promoted.includes(name));
  expect(runtime.users.map(({ username }) => username).sort()).to.deep.equal(left.sort());

  const keys = createRemoteJWKSet(new URL(`${base}/.well-known/jwks.json`));
  for (const token of ledger.tokens.filter((_, index) => index % 50 === 0)) {
    await jwtVerify(token, keys, { issuer: 'http://storm.example' });
  }
}
