// Two machines with files of their own on one PostgreSQL write their configuration behind a balancer (CLU-20), at the same time
// (CLU-21), and are killed in the middle of a promotion (CLU-22).
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { lockKey } from '#shared/state/store/postgres/database.ts';
import { BrowserClient, fieldOf } from '#test/support/browser-client.ts';
import { keepLock } from '#test/support/held-lock.ts';
import { type Machine, type Machines, machinesOn } from '#test/support/machines.ts';
import { patientApiClient } from '#test/support/management-api.ts';
import { connectHttp } from '#test/support/mcp-client.ts';
import { type PostgresServer, postgresOrSkip } from '#test/support/postgres-server.ts';
import { roundRobin } from '#test/support/round-robin.ts';
import { sharedSettings } from '#test/support/shared-root.ts';
import { until, workersOf } from '#test/support/stack.ts';
import { verifies } from '#test/support/verifies.ts';
import { follow, postForm } from '#test/support/web-ui.ts';

const withAudience = (audience: string) => ({
  ...sharedSettings,
  oauth: { ...sharedSettings.oauth, audience },
  // Keeps a promotion after its declaration and before its end, for as long as the file is there.
  hooks: { on_config_saved: 'while test -e {config_dir}/../hold; do sleep 0.05; done', timeout_seconds: 60 },
});

/** False where it is there already. */
function isMade(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

describe('two machines that write', () => {
  let server: PostgresServer;
  let machines: Machines;
  let one: Machine;
  let two: Machine;
  let schema: string;
  before(async function () {
    server = await postgresOrSkip(this);
    machines = machinesOn(server);
    [one, two] = [
      await machines.started({ settings: withAudience('first') }),
      machines.make({ settings: withAudience('second') }),
    ];
    // It declares after the other one, which is behind from then on.
    await two.start();
    schema = (await api(two)('GET', '/api/cluster')).body.schema;
  });
  after(async () => {
    for (const machine of [one, two]) if (machine !== undefined) rmSync(hold(machine), { force: true });
    await machines?.stopAll();
    // Nothing to stop where the hook before was skipped.
    await server?.stop();
  });

  const api = ({ idp }: Machine) => patientApiClient(idp);
  const directory = ({ files }: Machine) => join(files.root, 'config');
  const hold = ({ files }: Machine) => join(files.root, 'hold');
  const textOf = (machine: Machine, name: string) => readFileSync(join(directory(machine), name), 'utf8');
  const filesOf = (machine: Machine) =>
    readdirSync(directory(machine))
      .filter((name) => /^(settings|users)/.test(name))
      .map((name) => [name, textOf(machine, name)]);
  const isInFile = (machine: Machine, name: string) => textOf(machine, 'users.yaml').includes(`  ${name}:\n`);
  const originAt = async (machine: Machine, name: string) =>
    (await api(machine)('GET', `/api/users/${name}`)).body.origin;

  verifies('CLU-20', 'take forms, promotions and saves on whichever machine they meet, for both at once', async () => {
    const door = await roundRobin([one.idp, two.idp]);
    try {
      const browser = new BrowserClient(door.baseUrl);
      for (const name of ['form-1', 'form-2', 'form-3', 'form-4']) {
        // Of four requests the post meets either machine in turns.
        if (name === 'form-3') door.shift();
        await follow(browser, await postForm(browser, '/users/create', { username: name, password: 'pw' }));
        for (const machine of [one, two]) expect(await originAt(machine, name)).to.equal('declared');
      }
      for (const machine of [one, two]) {
        const name = machine === one ? 'promoted-1' : 'promoted-2';
        await api(machine)('POST', '/api/runtime/users', { username: name, password: 'pw' });
        const promoted = await api(machine)('POST', `/api/runtime/users/${name}/promote`);
        expect([promoted.status, promoted.body.promoted], JSON.stringify(promoted.body)).to.deep.equal([200, name]);
        expect([await originAt(one, name), await originAt(two, name)]).to.deep.equal(['declared', 'declared']);
        expect([isInFile(machine, name), isInFile(machine, 'form-1')]).to.deep.equal([true, true]);
      }
      // The copy of the machine that is behind is what both serve, and what it saves is in force on both.
      const copy = await connectHttp(one.idp.mcpUrl ?? expect.fail('no mcp_url'));
      try {
        await copy.ok('create_user', { username: 'saved', password: 'pw' });
        expect(String((await copy.ok('save_config')).message)).to.contain('active on all machines');
        expect([await originAt(one, 'saved'), await originAt(two, 'saved')]).to.deep.equal(['declared', 'declared']);
        expect([await originAt(two, 'promoted-2'), await originAt(two, 'form-1')]).to.deep.equal([
          'declared',
          'declared',
        ]);
      } finally {
        await copy.close();
      }
      const { stacks } = (await api(one)('GET', '/api/cluster')).body;
      expect(stacks).to.have.length(2);
    } finally {
      await door.close();
    }
  });

  verifies(['CLU-20', 'MCP-41'], 'a save writes out a file that is missing on its machine', async () => {
    const copy = await connectHttp(one.idp.mcpUrl ?? expect.fail('no mcp_url'));
    try {
      await copy.ok('create_user', { username: 'into-nothing', password: 'pw' });
      const settings = textOf(one, 'settings.yaml');
      rmSync(join(directory(one), 'users.yaml'));
      expect(String((await copy.ok('save_config')).message)).to.contain('active on all machines');
      expect(isInFile(one, 'into-nothing'), textOf(one, 'users.yaml')).to.equal(true);
      expect(textOf(one, 'settings.yaml')).to.equal(settings);
      for (const machine of [one, two]) expect(await originAt(machine, 'into-nothing')).to.equal('declared');

      // What was edited beside a missing file was never in force: it is nobody's to take away.
      await copy.ok('create_user', { username: 'not-written', password: 'pw' });
      const users = textOf(one, 'users.yaml');
      rmSync(join(directory(one), 'users.yaml'));
      writeFileSync(join(directory(one), 'settings.yaml'), `${settings}# edited\n`);
      expect((await copy.call('save_config')).result).to.include({ success: false, kind: 'conflict' });
      expect(filesOf(one).map(([name]) => name)).not.to.contain('users.yaml');
      writeFileSync(join(directory(one), 'settings.yaml'), settings);
      writeFileSync(join(directory(one), 'users.yaml'), users);
    } finally {
      await copy.close();
    }
  });

  verifies('CLU-21', 'at the same time: one wins, and the files of the other stay as they were', async () => {
    for (let round = 0; round < 5; round += 1) {
      const browsers = [one, two].map(({ idp }) => new BrowserClient(idp.baseUrl));
      const forms = await Promise.all(browsers.map((browser) => browser.get('/users/create')));
      const revisions = forms.map((form) => fieldOf(form, 'expected_revision') ?? '');
      expect(revisions[0]).to.equal(revisions[1]);
      const before = [one, two].map(filesOf);
      const answers = await Promise.all(
        browsers.map((browser, index) =>
          browser.post('/users/create', {
            expected_revision: revisions[index] ?? '',
            username: `round-${round}-${index}`,
            password: 'pw',
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).to.have.members([302, 409]);
      const loser = answers[0]?.status === 409 ? 0 : 1;
      expect(filesOf(loser === 0 ? one : two)).to.deep.equal(before[loser]);
      for (const machine of [one, two]) {
        expect(await originAt(machine, `round-${round}-${1 - loser}`)).to.equal('declared');
        expect((await api(machine)('GET', `/api/users/round-${round}-${loser}`)).status).to.equal(404);
      }
    }
  });

  verifies(
    'CLU-20',
    'and a third one, whose files cannot be written: 409 everywhere, and nothing changes',
    async () => {
      const third = machines.make({ settings: withAudience('third') });
      chmodSync(third.files.root, 0o755);
      chmodSync(directory(third), 0o555);
      // Root may write everywhere.
      const nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
      await third.start(process.getuid?.() === 0 ? { within: nobody } : {});
      try {
        const generation = async () => (await api(two)('GET', '/api/cluster')).body.generation;
        const before = [filesOf(third), await generation()];
        await api(third)('POST', '/api/runtime/users', { username: 'kept', password: 'pw' });
        const promotion = await api(third)('POST', '/api/runtime/users/kept/promote');
        expect([promotion.status, promotion.body.kind]).to.deep.equal([409, 'configuration_not_writable']);
        const browser = new BrowserClient(third.idp.baseUrl);
        const form = await postForm(browser, '/users/create', { username: 'typed', password: 'pw' });
        expect(form.status).to.equal(409);
        expect(form.body).to.contain('This machine cannot write its configuration files');
        const copy = await connectHttp(third.idp.mcpUrl ?? expect.fail('no mcp_url'));
        try {
          await copy.ok('create_user', { username: 'copied', password: 'pw' });
          const { isError, result } = await copy.call('save_config');
          expect([isError, result.kind]).to.deep.equal([true, 'configuration_not_writable']);
        } finally {
          await copy.close();
        }
        expect([filesOf(third), await generation()]).to.deep.equal(before);
        expect(await originAt(two, 'kept')).to.equal('runtime');
        expect((await api(two)('DELETE', '/api/runtime/users/kept')).status).to.equal(200);
      } finally {
        await third.idp.stop();
        chmodSync(directory(third), 0o755);
      }
    },
  );

  describe('and one is killed while it promotes', () => {
    const promotionOf = async (name: string): Promise<unknown> => {
      const [row] = await server.ask(`SELECT promotion FROM ${schema}.runtime_identities WHERE name = '${name}'`);
      return row?.promotion;
    };
    const eventsAbout = async (name: string) =>
      (await api(two)('GET', '/api/audit?limit=-1')).body.entries
        .filter((entry: { details: { name?: string } }) => entry.details.name === name)
        .map((entry: { event_type: string; details: { outcome?: string } }) =>
          [entry.event_type, entry.details.outcome].filter((part) => part !== undefined).join(' '),
        );
    /** Both frontends and the supervisor, in one moment. */
    const kill = ({ idp }: Machine) => {
      for (const { pid } of [{ pid: idp.pid }, ...workersOf(idp.pid)]) process.kill(pid, 'SIGKILL');
    };
    const create = async (name: string) => {
      const made = await api(one)('POST', '/api/runtime/users', { username: name, password: 'pw' });
      expect(made.status).to.equal(201);
    };
    const promote = (name: string) =>
      api(one)('POST', `/api/runtime/users/${name}/promote`).catch(() => 'lost with its machine');
    /** Whatever comes to the machine that lives settles it, once the other one is proved dead. */
    const settled = (name: string) =>
      until('the claim is settled', async () => {
        await api(two)('DELETE', '/api/runtime/users/nobody');
        return (await promotionOf(name)) !== 'claimed';
      });
    /** Nobody passes a lock of the store until the work is over. */
    const whileLocked = async (lock: string, work: (isWaitedFor: () => Promise<boolean>) => Promise<void>) => {
      const client = new pg.Client({
        host: server.socketDirectory,
        port: server.port,
        user: server.user,
        database: 'postgres',
      });
      await client.connect();
      try {
        const key = lockKey(schema, `default ${lock}`);
        await client.query(`SELECT pg_advisory_lock(${key})`);
        await work(async () => {
          const { rows } = await client.query(
            `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
             AND (classid::bigint << 32) | objid::bigint = ${key}`,
          );
          return rows.length > 0;
        });
      } finally {
        await client.end();
      }
    };
    afterEach(async () => {
      rmSync(hold(one), { force: true });
    });

    verifies(['CLU-22', 'RUN-31'], 'before it wrote: the object is free, and can be promoted elsewhere', async () => {
      await create('early');
      const lock = join(directory(one), '.lock');
      await until('the lock is free', () => isMade(lock));
      const release = keepLock(lock);
      const promotion = promote('early');
      await until('it is claimed', async () => (await promotionOf('early')) === 'claimed');
      kill(one);
      await promotion;
      release();
      await settled('early');
      expect(await promotionOf('early')).to.equal('free');
      expect((await api(two)('POST', '/api/runtime/users/early/promote')).status).to.equal(200);
      await one.start();
      expect([await originAt(one, 'early'), isInFile(one, 'early')]).to.deep.equal(['declared', false]);
      expect(await eventsAbout('early')).to.deep.equal([
        'runtime_identity_created',
        'runtime_identity_promotion_recovered runtime',
        'runtime_identity_promoted',
      ]);
    });

    verifies(
      ['CLU-22', 'CLU-13', 'RUN-31'],
      'between its file and the declaration: free until its next start declares the file, then gone',
      async () => {
        // Its files are the newest again, so that nothing but the declaration waits.
        await create('ahead');
        expect(await promote('ahead')).to.deep.include({ status: 200 });
        await create('between');
        await whileLocked('generations', async () => {
          const promotion = promote('between');
          await until('the entry is in the file', () => isInFile(one, 'between'));
          kill(one);
          await promotion;
        });
        await settled('between');
        expect([await promotionOf('between'), await originAt(two, 'between')]).to.deep.equal(['free', 'runtime']);
        expect(isInFile(one, 'between')).to.equal(true);
        await one.start();
        expect([await originAt(one, 'between'), await originAt(two, 'between')]).to.deep.equal([
          'declared',
          'declared',
        ]);
        await until('the object is gone', async () => (await promotionOf('between')) === undefined);
        expect(await eventsAbout('between')).to.deep.equal([
          'runtime_identity_created',
          'runtime_identity_promotion_recovered runtime',
          'runtime_identity_removed_on_reload',
        ]);
      },
    );

    verifies(['CLU-22', 'RUN-31'], 'after the declaration: declared, and the object is retired', async () => {
      await create('late');
      writeFileSync(hold(one), '');
      const promotion = promote('late');
      await until('it is declared on both', async () => (await originAt(two, 'late')) === 'declared');
      expect(await promotionOf('late')).to.equal('claimed');
      kill(one);
      rmSync(hold(one));
      await promotion;
      await settled('late');
      expect(await promotionOf('late')).to.equal(undefined);
      await one.start();
      expect([await originAt(one, 'late'), await originAt(two, 'late')]).to.deep.equal(['declared', 'declared']);
      expect(await eventsAbout('late')).to.deep.equal([
        'runtime_identity_created',
        'runtime_identity_promotion_recovered declared',
      ]);
    });

    verifies(['CLU-22', 'RUN-31'], 'after its hooks, before the object is retired: the same', async () => {
      await create('last');
      writeFileSync(hold(one), '');
      const promotion = promote('last');
      await until('it is declared on both', async () => (await originAt(two, 'last')) === 'declared');
      await whileLocked('runtime_identities', async (isWaitedFor) => {
        rmSync(hold(one));
        await until('the promotion is about to end', isWaitedFor);
        kill(one);
        await promotion;
      });
      await settled('last');
      expect(await promotionOf('last')).to.equal(undefined);
      await one.start();
      expect([await originAt(one, 'last'), await originAt(two, 'last')]).to.deep.equal(['declared', 'declared']);
      expect(await eventsAbout('last')).to.deep.equal([
        'runtime_identity_created',
        'runtime_identity_promotion_recovered declared',
      ]);
    });
  });
});
