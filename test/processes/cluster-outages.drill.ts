// Two machines on one PostgreSQL under load, while it crashes or restarts and while a worker or a whole machine ends. Every
// acknowledged write exists, nothing is done twice, and no outage revokes a refresh family or a code.
import { expect } from 'chai';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
import { type Machine, type Machines, machinesOn } from '#test/support/machines.ts';
import { apiClient } from '#test/support/management-api.ts';
import { OutageLoad } from '#test/support/outage-load.ts';
import { type PostgresServer, usePostgres } from '#test/support/postgres-server.ts';
import { isAlive, until, workerPid, workersOf } from '#test/support/stack.ts';
import { verifies } from '#test/support/verifies.ts';

describe('two machines under load', () => {
  let server: PostgresServer;
  let machines: Machines;
  let all: readonly [Machine, Machine];
  usePostgres((given) => {
    server = given;
  });
  beforeEach(async () => {
    machines = machinesOn(server);
    all = [await machines.started(), await machines.started()];
  });
  afterEach(() => machines?.stopAll());

  /** Waits until each of these machines acknowledges more, however busy this machine is. */
  const goesOn = async (load: OutageLoad, at: readonly number[] = [0, 1], more = 25) => {
    const before = [...load.acknowledged];
    await until(
      'the machines answer',
      () => at.every((index) => (load.acknowledged[index] ?? 0) > (before[index] ?? 0) + more),
      240_000,
    );
  };
  const workers = () => all.map(({ idp }) => workersOf(idp.pid));

  const usersAt = async ({ idp }: Machine): Promise<readonly string[]> => {
    const { users } = (await apiClient(idp)('GET', '/api/runtime/users')).body;
    return users.map(({ username }: { username: string }) => username);
  };

  /** Both of the same time: a request whose client gave up may still create a user during the read. */
  const usersAndEvents = (machine: Machine) =>
    until('no more users are made', async () => {
      const names = await usersAt(machine);
      const { body } = await apiClient(machine.idp)('GET', '/api/audit?limit=-1');
      const entries: readonly AuditEntry[] = body.entries;
      const isSettled = (await usersAt(machine)).join() === names.join();
      return isSettled && { names, entries };
    });

  const judge = async (load: OutageLoad) => {
    await load.end();
    console.log(
      `      ${load.created.length} users, ${load.tokens} tokens, ${load.codes} codes, ${load.refreshes} refreshes; uncertain: ` +
        `${load.perhapsCreated.length} users, ${load.perhapsTokens} tokens`,
    );
    expect(load.faults).to.deep.equal([]);
    expect(Math.min(load.created.length, load.tokens, load.codes, load.refreshes, load.families.size)).to.be.above(0);
    for (const machine of all) {
      const { names, entries } = await usersAndEvents(machine);
      expect(names).to.include.members(load.created);
      expect([...load.created, ...load.perhapsCreated]).to.include.members(names);
      const created = entries.filter(({ event_type }) => event_type === 'runtime_identity_created');
      expect(created.map(({ details }) => details.name).toSorted(), 'events').to.deep.equal(names.toSorted());
      const tokens = entries.filter(({ event_type, status }) => event_type === 'token_request' && status === 'success');
      expect(tokens.length, 'events of tokens').to.be.within(load.tokens, load.tokens + load.perhapsTokens);
    }
    for (const family of load.families) expect(await load.refresh(family, all[0]), 'a family').to.equal(200);
  };

  verifies(['PGS-32', 'PGS-33', 'PGS-34'], 'lose nothing when PostgreSQL crashes or restarts', async () => {
    const load = new OutageLoad(all, 60_000);
    const before = workers();
    for (const outage of ['crash', 'restart', 'crash'] as const) {
      await goesOn(load);
      if (outage === 'restart') await server.restart();
      else {
        await server.crash();
        await server.start();
      }
    }
    await goesOn(load);
    await judge(load);
    expect(workers(), 'no worker was lost').to.deep.equal(before);
  });

  verifies(['CLU-04', 'PGS-27'], 'lose only the requests in flight in a machine that ends', async () => {
    // The short timeout makes clients of the stopped machine retry at the other one soon.
    const load = new OutageLoad(all, 1_000);
    await goesOn(load);
    const stopped = workerPid(all[0].idp, 'oidc');
    process.kill(stopped, 'SIGSTOP');
    await goesOn(load, [1], 10);
    // After 10 s the supervisor takes the stopped worker for stuck and replaces it (SUP-08).
    if (isAlive(stopped)) process.kill(stopped, 'SIGCONT');
    await goesOn(load);
    const { pid } = all[0].idp;
    for (const one of [pid, ...workersOf(pid).map((worker) => worker.pid)]) process.kill(one, 'SIGKILL');
    await goesOn(load, [1]);
    await all[0].start();
    await goesOn(load);
    await judge(load);
  });
});
