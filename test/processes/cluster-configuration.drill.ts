// Machines with their own files on one PostgreSQL: whose files are active, and which machine reports otherwise (CLU-12 to
// CLU-19, CLU-25).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Machine, type Machines, machinesOn } from '#test/support/machines.ts';
import { patientApiClient } from '#test/support/management-api.ts';
import { type PostgresServer, postgresOrSkip } from '#test/support/postgres-server.ts';
import { sharedSettings } from '#test/support/shared-root.ts';
import { isAlive, until, workersOf } from '#test/support/stack.ts';
import type { RunningIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const withAudience = (audience: string, more: object = {}) => ({
  ...sharedSettings,
  ...more,
  oauth: { ...sharedSettings.oauth, audience },
});

async function audience(idp: RunningIdp): Promise<string> {
  return (await patientApiClient(idp)('GET', '/api/config')).body.oauth.audience;
}

interface StackInCluster {
  readonly id: string;
  readonly workers: readonly { readonly kind: string; readonly pid: number }[];
  readonly sessions: number;
  readonly configuration: {
    readonly in_force: number;
    readonly behind: boolean;
    readonly failed: { readonly generation: number; readonly reason: string } | null;
  };
}

async function cluster(idp: RunningIdp) {
  const { status, body } = await patientApiClient(idp)('GET', '/api/cluster');
  expect(status).to.equal(200);
  return body as { readonly generation: number; readonly stacks: readonly StackInCluster[] };
}

/** Returns a machine as another one reports it. */
async function reportOf({ idp }: Machine, by: RunningIdp): Promise<StackInCluster> {
  const pids = new Set(workersOf(idp.pid).map(({ pid }) => pid));
  const found = (await cluster(by)).stacks.find(({ workers }) => workers.some(({ pid }) => pids.has(pid)));
  if (found === undefined) throw new Error('The machine is not in the cluster.');
  return found;
}

/** A machine's report about itself is at most 5 seconds old. */
async function expectConfiguration(
  machine: Machine,
  by: RunningIdp,
  expected: StackInCluster['configuration'],
): Promise<void> {
  const shown = JSON.stringify(expected);
  await until(
    `its configuration is ${shown}`,
    async () => JSON.stringify((await reportOf(machine, by)).configuration) === shown,
  );
}

describe('machines on one PostgreSQL', () => {
  let server: PostgresServer;
  let machines: Machines;
  before(async function () {
    // Autovacuum would count as transactions too (CLU-32).
    server = await postgresOrSkip(this, { settings: ['autovacuum=off'] });
  });
  beforeEach(() => {
    machines = machinesOn(server);
  });
  afterEach(() => machines.stopAll());
  // The server is undefined if the hook above was skipped.
  after(() => (server === undefined ? undefined : server.stop()));

  verifies(
    ['CLU-25', 'CLU-03'],
    'report each other: live stacks with workers, sessions and configuration',
    async () => {
      const one = await machines.started();
      const two = await machines.started();
      const { stacks, ...rest } = (await patientApiClient(two.idp)('GET', '/api/cluster')).body;
      expect(rest).to.deep.equal({ store: 'postgres', schema: rest.schema, generation: 1 });
      expect(stacks).to.have.length(2);
      for (const [index, machine] of [one, two].entries()) {
        const { id, host, version, started_at, workers, sessions, configuration, clock_distance_ms } = stacks[index];
        expect(id).to.match(/^[0-9a-f]{12}$/);
        expect([typeof host, typeof version]).to.deep.equal(['string', 'string']);
        expect(Math.abs(Date.parse(started_at) - Date.now())).to.be.lessThan(120_000);
        const alive = workersOf(machine.idp.pid).map(({ name, pid }) => ({ kind: name, pid }));
        expect(workers).to.have.deep.members(alive);
        // One session to prove that it is alive, and at least one to work with.
        expect(sessions).to.be.within(2 * workers.length, 5 * workers.length);
        expect(configuration).to.deep.equal({ in_force: 1, behind: false, failed: null });
        expect(clock_distance_ms === null || typeof clock_distance_ms === 'number').to.equal(true);
      }
      const names = `SELECT application_name, count(*) FROM pg_stat_activity WHERE application_name LIKE 'test-idp %' GROUP BY 1`;
      expect(await server.ask(names), 'each session names its owner').to.have.length(6);
      // Its own supervisor replaces a worker. The other machine is not affected.
      const [former] = workersOf(one.idp.pid).filter(({ name }) => name === 'oidc');
      const others = workersOf(two.idp.pid);
      process.kill(former?.pid ?? Number.NaN, 'SIGKILL');
      await until('the worker is replaced and the dead one removed', async () => {
        const { workers } = await reportOf(one, two.idp);
        const pids = workers.map(({ pid }) => pid);
        return workers.length === 3 && !pids.includes(former?.pid ?? 0);
      });
      expect(workersOf(two.idp.pid)).to.deep.equal(others);
      for (const { pid } of [...workersOf(one.idp.pid), { pid: one.idp.pid }]) process.kill(pid, 'SIGKILL');
      await until('a dead machine is not listed', async () => (await cluster(two.idp)).stacks.length === 1);
      expect(isAlive(two.idp.pid)).to.equal(true);
    },
  );

  verifies(
    ['CLU-15', 'CLU-19', 'CLU-20'],
    'keep their own settings and comments when any machine declares and writes',
    async () => {
      const one = machines.make();
      const two = machines.make();
      const path = ({ files }: Machine) => join(files.root, 'config', 'settings.yaml');
      const textOf = (machine: Machine) => readFileSync(path(machine), 'utf8');
      const ownOf = (port: number, sessions: number) => [
        `server:\n  # of this machine\n  port: ${port}\n`,
        `  pool_size: ${sessions} # as many as it may have\n`,
      ];
      for (const [machine, [server_, pool]] of [
        [one, ownOf(9001, 3)],
        [two, ownOf(9002, 5)],
      ] as const) {
        writeFileSync(path(machine), server_ + textOf(machine) + pool);
      }
      await one.start();
      await two.start();
      const portOf = async ({ idp }: Machine) => (await patientApiClient(idp)('GET', '/api/config')).body.server.port;
      const ports = () => Promise.all([portOf(one), portOf(two)]);
      expect([(await cluster(one.idp)).generation, await ports()]).to.deep.equal([1, [9001, 9002]]);
      for (const machine of [one, two])
        await expectConfiguration(machine, one.idp, { in_force: 1, behind: false, failed: null });
      // They alternate, so that each writes what the other one declared.
      for (const [index, machine] of [one, two, one, two].entries()) {
        const api = patientApiClient(machine.idp);
        const client = {
          client_id: `promoted-${index}`,
          redirect_uris: ['http://127.0.0.1:9/cb'],
          token_endpoint_auth_method: 'none',
        };
        expect((await api('POST', '/api/runtime/clients', client)).status).to.equal(201);
        const promoted = await api('POST', `/api/runtime/clients/promoted-${index}/promote`);
        expect(promoted.status, JSON.stringify(promoted.body)).to.equal(200);
        expect([(await cluster(machine.idp)).generation, await ports()]).to.deep.equal([index + 2, [9001, 9002]]);
        for (const part of machine === one ? ownOf(9001, 3) : ownOf(9002, 5)) expect(textOf(machine)).to.include(part);
        expect(textOf(machine))
          .to.include(`promoted-${index}`)
          .and.not.match(machine === one ? /9002/ : /9001/);
        const other = machine === one ? two : one;
        await expectConfiguration(machine, one.idp, { in_force: index + 2, behind: false, failed: null });
        await expectConfiguration(other, one.idp, { in_force: index + 2, behind: true, failed: null });
      }
      for (const machine of [one, two]) expect(textOf(machine).match(/^ *port:/gm)).to.have.length(1);
    },
  );

  verifies(
    ['CLU-12', 'CLU-13', 'CLU-15', 'CLU-16'],
    'serve the latest declaration, and differing files declare nothing but report that they are behind',
    async () => {
      const one = await machines.started({ settings: withAudience('first') });
      const two = await machines.started({ settings: withAudience('second') });
      const both = () => Promise.all([audience(one.idp), audience(two.idp)]);
      for (let look = 0; look < 3; look += 1) expect(await both()).to.deep.equal(['second', 'second']);
      // A start with the active texts declares nothing.
      const three = await machines.started({ settings: withAudience('second') });
      expect((await cluster(three.idp)).generation).to.equal(2);
      await expectConfiguration(one, three.idp, { in_force: 2, behind: true, failed: null });
      await expectConfiguration(two, three.idp, { in_force: 2, behind: false, failed: null });
      const page = async ({ idp }: Machine) => (await fetch(`${idp.baseUrl}/users`)).text();
      expect(await page(one)).to.contain('settings.yaml is out of date');
      expect(await page(two)).to.not.contain('is out of date');
      const warned = ({ idp }: Machine) =>
        idp
          .log()
          .split('\n')
          .filter((line) => line.includes('has superseded settings.yaml')).length;
      const frontends = 2;
      expect(warned(one), 'one warning for each generation, by each frontend').to.be.within(1, frontends);
      // A change on one machine is declared, and so is a reload on another.
      one.writeSettings(withAudience('third'));
      expect(await both().then(() => both())).to.deep.equal(['third', 'third']);
      expect((await patientApiClient(two.idp)('POST', '/api/config/reload')).status).to.equal(200);
      expect(await both()).to.deep.equal(['second', 'second']);
      await until('the superseded machine reports it', async () => {
        return (await reportOf(one, two.idp)).configuration.behind;
      });
      await until('it warned about this generation too', () => warned(one) >= 2);
      expect(warned(one)).to.be.at.most(2 * frontends);
    },
  );

  verifies(
    'CLU-15',
    'declare a change of the files within seconds, even without requests to that machine',
    async () => {
      const one = await machines.started({ settings: withAudience('first') });
      const two = await machines.started({ settings: withAudience('first') });
      two.writeSettings(withAudience('second'));
      await until('the other machine serves it', async () => (await audience(one.idp)) === 'second');
    },
  );

  verifies(
    'CLU-14',
    'join with a warning when they start on superseded texts, and declare those with start --declare',
    async () => {
      const one = await machines.started({ settings: withAudience('first') });
      await one.idp.stop();
      const two = await machines.started({ settings: withAudience('second') });
      const joined = await one.start();
      expect(await audience(joined)).to.equal('second');
      expect(joined.log()).to.match(
        /superseded settings\.yaml in \S+ \(digest [0-9a-f]{12}\)\. Its generation 2 \(digest [0-9a-f]{12}\) stays active\. .*--declare/,
      );
      await joined.stop();
      const declared = await one.start({ args: ['--declare'] });
      expect([await audience(declared), await audience(two.idp)]).to.deep.equal(['first', 'first']);
    },
  );

  verifies('CLU-17', 'keep the previous configuration when a named file is missing, and retry', async () => {
    const one = await machines.started({ settings: withAudience('first') });
    const two = await machines.started({ settings: withAudience('first') });
    const plugin = (machine: Machine) => join(machine.files.root, 'config', 'own.mjs');
    const source = 'export default { hook_api_version: 1 };\n';
    writeFileSync(plugin(one), source);
    one.writeSettings(withAudience('second', { plugins: { './own.mjs': {} }, hooks: { strict: true } }));
    expect(await audience(one.idp)).to.equal('second');
    expect(await audience(two.idp)).to.equal('first');
    const failed = await until('each of its workers reports the failure', async () => {
      const { configuration } = await reportOf(two, one.idp);
      expect(configuration.in_force).to.equal(1);
      return configuration.failed ?? undefined;
    });
    expect(failed.generation).to.equal(2);
    expect(failed.reason).to.contain('own.mjs');
    writeFileSync(plugin(two), source);
    await until('it is retried', async () => (await audience(two.idp)) === 'second');
    await until('each of its workers retried', async () => {
      return (await reportOf(two, one.idp)).configuration.failed === null;
    });
  });

  verifies('CLU-18', 'expand placeholders with their own environment, from texts stored as written', async () => {
    const settings = withAudience('of-${PLACE:-nowhere}');
    const one = await machines.started({ settings }, { env: { PLACE: 'here' } });
    const two = await machines.started({ settings }, { env: { PLACE: 'there' } });
    expect([await audience(one.idp), await audience(two.idp)]).to.deep.equal(['of-here', 'of-there']);
    expect((await cluster(two.idp)).generation).to.equal(1);
    const { schema } = (await patientApiClient(one.idp)('GET', '/api/cluster')).body;
    const [row] = await server.ask(`SELECT settings_text FROM ${schema}.generations`);
    expect(String(row?.settings_text)).to.contain('of-${PLACE:-nowhere}');
  });

  verifies(
    'CLU-19',
    'listen and log according to their own files, even if another machine declared the configuration',
    async () => {
      const one = await machines.started({ settings: withAudience('first', { logging: { level: 'INFO' } }) });
      const two = await machines.started({
        settings: withAudience('second', { server: { host: 'localhost' }, logging: { level: 'INFO' } }),
      });
      expect(await audience(one.idp)).to.equal('second');
      const before = one.idp.baseUrl;
      await one.idp.stop();
      one.writeSettings(withAudience('first', { logging: { level: 'INFO' } }));
      const again = await one.start();
      expect(await audience(again)).to.equal('second');
      expect(new URL(again.baseUrl).hostname).to.equal(new URL(before).hostname);
      expect(new URL(two.idp.baseUrl).hostname).to.not.equal(new URL(before).hostname);
    },
  );

  verifies('CLU-26', 'report to a load balancer that the database is unreachable, and keep running', async () => {
    const { idp } = await machines.started();
    const status = async (path: string) => (await fetch(idp.baseUrl + path)).status;
    expect([await status('/health'), await status('/health/ready')]).to.deep.equal([200, 200]);
    await server.crash();
    try {
      const unready = await fetch(`${idp.baseUrl}/health/ready`);
      expect([unready.status, unready.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect((await unready.json()).reasons).to.deep.equal([
        'The runtime store does not respond: its PostgreSQL server is unreachable or rejects writes.',
      ]);
      expect(await status('/health')).to.equal(200);
    } finally {
      await server.start();
    }
    await until('it is ready again', async () => (await status('/health/ready')) === 200);
  });

  verifies('CLU-32', 'query the database at most twice a second when idle', async () => {
    const { idp } = await machines.started();
    const asked = async () => {
      const [row] = await server.ask(
        "SELECT sum(xact_commit + xact_rollback) AS count FROM pg_stat_database WHERE datname = 'postgres'",
      );
      return Number(row?.count);
    };
    // The server counts the queries of the start only after its sessions have been idle for a while.
    await pause(12_000);
    const before = await asked();
    const start = performance.now();
    await pause(40_000);
    const count = (await asked()) - before;
    const seconds = (performance.now() - start) / 1000;
    expect(count / seconds, `${count} in ${seconds} s`).to.be.within(0.2, 2);
    expect((await fetch(`${idp.baseUrl}/health/ready`)).status).to.equal(200);
  });
});
