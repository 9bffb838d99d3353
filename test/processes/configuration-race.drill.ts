// Six programs on one store and one configuration save, delete, promote and reload simultaneously. Every acknowledged
// change is in the files at the end and active everywhere, and a reader finds loadable files at any time. RACE_SECONDS sets
// the duration, SEED repeats the choices.
import { join } from 'node:path';
import { expect } from 'chai';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { describeFinding } from '#shared/model/configuration/finding.ts';
import { loadDirectory } from '#shared/state/configuration/load/load-directory.ts';
import { BrowserClient, fieldOf, type Page } from '#test/support/browser-client.ts';
import { type ApiAnswer, type ApiClient, apiClient } from '#test/support/management-api.ts';
import { type SeededRandom, seededRandom } from '#test/support/seeded-random.ts';
import { makeSharedRoot, type SharedRoot } from '#test/support/shared-root.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const seconds = Number(process.env.RACE_SECONDS ?? 20);
/** Each program changes a setting of its own, so that its last acknowledged value is known. */
const ownSettings = [
  { field: 'token_expiry_minutes', path: ['oauth', 'token_expiry_minutes'] },
  { field: 'refresh_token_expiry_minutes', path: ['oauth', 'refresh_token_expiry_minutes'] },
  { field: 'device_code_expiry_seconds', path: ['device_flow', 'code_expiry_seconds'] },
  { field: 'audience', path: ['oauth', 'audience'] },
  { field: 'saml_entity_id', path: ['saml', 'entity_id'] },
  { field: 'default_acs_url', path: ['saml', 'default_acs_url'] },
] as const;

/** The changes that one program received a success for. */
class Promised {
  readonly users = new Set<string>();
  readonly clients = new Set<string>();
  readonly deleted = new Set<string>();
  readonly promoted = new Set<string>();
  setting: string | undefined;
  reloads = 0;
  /** Rejections without a change: an outdated revision, or a busy directory. */
  readonly refused = new Map<number, number>();
}

describe('six programs that change one configuration', () => {
  let shared: SharedRoot;
  let programs: RunningIdp[] = [];
  const random = seededRandom();
  before(async () => {
    shared = makeSharedRoot();
    programs = await Promise.all(Array.from({ length: 6 }, () => startIdp({ root: shared.root, command: 'oidc' })));
  });
  after(async () => {
    await Promise.all(programs.map((program) => program.stop()));
    shared.remove();
  });

  const load = () => loadDirectory({ directory: join(shared.root, 'config'), environment: {}, problemsOfFault });

  verifies(
    ['WRT-09', 'WRT-13', 'ACT-12', 'ACT-14', 'RUN-23'],
    'lose nothing that was acknowledged, while the files load at every instant',
    async function () {
      this.timeout(seconds * 3_000 + 60_000);
      const watch = watchFiles(load);
      const end = performance.now() + seconds * 1000;
      const promised = await Promise.all(
        programs.map((program, index) => keepChanging(program, index, { until: end, random })),
      );
      const readings = watch.stop();
      const summary = `seed ${random.seed}: ${JSON.stringify(promised.map(counted))}, ${readings.count} readings`;
      process.stdout.write(`      ${summary}\n`);
      expect(readings.failures, summary).to.deep.equal([]);
      expect(readings.count, summary).to.be.above(seconds * 5);

      const { configuration } = load();
      const { entries } = (await apiClient(programs[0] ?? never())('GET', '/api/audit?limit=-1')).body;
      const promotions = entries.filter(({ event_type }: AuditEntry) => event_type === 'runtime_identity_promoted');
      for (const [index, each] of promised.entries()) {
        const lost = [...each.users].filter((name) => !configuration?.users.has(name));
        const lostClients = [...each.clients].filter((name) => !configuration?.clients.has(name));
        const back = [...each.deleted].filter((name) => configuration?.users.has(name));
        expect({ lost, lostClients, back }, summary).to.deep.equal({ lost: [], lostClients: [], back: [] });
        const setting = ownSettings[index]?.path.reduce<unknown>(memberOf, configuration?.settings);
        if (each.setting !== undefined) expect(String(setting), summary).to.equal(each.setting);
        for (const name of each.promoted) {
          const events = promotions.filter(({ details }: AuditEntry) => details.name === name);
          expect(events, `${name}, ${summary}`).to.have.length(1);
        }
      }
      // Each kind of change must have happened, otherwise the race proves little.
      for (const way of ['users', 'clients', 'deleted', 'promoted', 'settings', 'reloads'] as const) {
        const done = promised.reduce((sum, each) => sum + counted(each)[way], 0);
        expect(done, `${way}, ${summary}`).to.be.above(0);
      }
      const everybody = [...(configuration?.users.keys() ?? [])].sort();
      for (const program of programs) {
        const { body } = await apiClient(program)('GET', '/api/users');
        const names = body.users.map(({ username }: { username: string }) => username);
        expect(names.filter((name: string) => !everybody.includes(name)).sort(), summary).to.deep.equal([]);
        expect(
          everybody.filter((name) => !names.includes(name)),
          summary,
        ).to.deep.equal([]);
      }
    },
  );
});

interface AuditEntry {
  readonly event_type: string;
  readonly details: { readonly name?: string };
}

/** Reads like any program, without the lock. */
function watchFiles(load: () => ReturnType<typeof loadDirectory>) {
  let count = 0;
  const failures: string[] = [];
  const timer = setInterval(() => {
    const { configuration, findings } = load();
    if (configuration === undefined) failures.push(findings.map((each) => describeFinding(each)).join('; '));
    count += 1;
  }, 20);
  return {
    stop: () => {
      clearInterval(timer);
      return { count, failures };
    },
  };
}

async function keepChanging(
  program: RunningIdp,
  index: number,
  { until, random }: { readonly until: number; readonly random: SeededRandom },
): Promise<Promised> {
  const promised = new Promised();
  const api = apiClient(program);
  const browser = new BrowserClient(program.baseUrl);
  const ways = [saveUser, saveClient, saveSetting, deleteUser, promoteUser, promoteClient, reload];
  for (let turn = 0; performance.now() < until; turn += 1) {
    // Each kind once at first, then at random.
    const way = ways[turn < ways.length ? turn : random.integer(0, ways.length - 1)] ?? never();
    await way({ promised, api, browser, index, name: `p${index}-${turn}`, turn });
  }
  return promised;
}

interface Turn {
  readonly promised: Promised;
  readonly api: ApiClient;
  readonly browser: BrowserClient;
  readonly index: number;
  readonly name: string;
  readonly turn: number;
}

async function saveUser({ promised, browser, name }: Turn): Promise<void> {
  const saved = await submit(browser, '/users/create', { username: name, password: 'p' }, promised);
  if (saved) promised.users.add(name);
}

async function saveClient({ promised, browser, name }: Turn): Promise<void> {
  const fields = { client_id: name, token_endpoint_auth_method: 'none', redirect_uris: 'http://127.0.0.1:9/cb' };
  if (await submit(browser, '/clients/create', fields, promised)) promised.clients.add(name);
}

async function saveSetting({ promised, browser, index, turn }: Turn): Promise<void> {
  const { field } = ownSettings[index] ?? never();
  const value = /minutes|seconds/.test(field) ? String(10 + turn) : `urn:turn:${turn}`;
  if (await submit(browser, '/settings', { [field]: value }, promised)) promised.setting = value;
}

async function deleteUser({ promised, browser }: Turn): Promise<void> {
  const [name] = promised.users;
  if (name === undefined || !(await submit(browser, `/users/${name}/delete`, {}, promised))) return;
  promised.users.delete(name);
  promised.deleted.add(name);
}

async function promoteUser({ promised, api, name }: Turn): Promise<void> {
  const username = `promoted-${name}`;
  if (!(await created(api, 'users', { username, password: 'p' }, promised))) return;
  if (!(await promotedNow(api, `/api/runtime/users/${username}/promote`, promised))) return;
  promised.users.add(username);
  promised.promoted.add(username);
}

async function promoteClient({ promised, api, name }: Turn): Promise<void> {
  const client_id = `promoted-${name}`;
  if (!(await created(api, 'clients', { client_id, client_secret: 's' }, promised))) return;
  if (!(await promotedNow(api, `/api/runtime/clients/${client_id}/promote`, promised))) return;
  promised.clients.add(client_id);
  promised.promoted.add(client_id);
}

async function reload({ promised, api }: Turn): Promise<void> {
  const answer = await api('POST', '/api/config/reload');
  if (answer.status === 200) promised.reloads += 1;
  else refused(answer, promised);
}

/** Opens the form and submits it with its revision, as a user does. A form with an old revision is opened again. */
async function submit(
  browser: BrowserClient,
  path: string,
  fields: Readonly<Record<string, string>>,
  promised: Promised,
): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const form = await browser.get(path);
    if (form.status !== 200) {
      refused(form, promised);
      continue;
    }
    const answer = await browser.post(path, { expected_revision: fieldOf(form, 'expected_revision') ?? '', ...fields });
    if (answer.status === 302) return true;
    refused(answer, promised);
  }
  return false;
}

const created = async (api: ApiClient, kind: string, body: object, promised: Promised) =>
  acknowledged(() => api('POST', `/api/runtime/${kind}`, body), 201, promised);
const promotedNow = (api: ApiClient, path: string, promised: Promised) =>
  acknowledged(() => api('POST', path), 200, promised);

async function acknowledged(send: () => Promise<ApiAnswer>, status: number, promised: Promised): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const answer = await send();
    if (answer.status === status) return true;
    refused(answer, promised);
  }
  return false;
}

/**
 * 409 means that another program was faster, 503 with Retry-After that the directory is busy. Any other status is a
 * failure.
 */
function refused(answer: ApiAnswer | Page, promised: Promised): void {
  const { status, headers } = answer;
  if (status !== 409 && !(status === 503 && headers.has('retry-after'))) {
    throw new Error(`answered ${status}: ${'text' in answer ? answer.text : JSON.stringify(answer.body)}`);
  }
  promised.refused.set(status, (promised.refused.get(status) ?? 0) + 1);
}

function counted({ users, clients, deleted, promoted, setting, reloads, refused }: Promised) {
  return {
    users: users.size + deleted.size,
    clients: clients.size,
    deleted: deleted.size,
    promoted: promoted.size,
    settings: setting === undefined ? 0 : 1,
    reloads,
    refused: Object.fromEntries(refused),
  };
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function never(): never {
  throw new Error('This cannot be.');
}
