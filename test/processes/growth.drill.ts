// A code flow with login costs the same with ten thousand runtime users as with ten. The drill measures CPU time, which
// other load does not change.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { expect } from 'chai';
import { readUserEntry } from '#shared/model/configuration/read-entry.ts';
import { authorizePath, newBrowser } from '#test/support/authorization-flow.ts';
import { median } from '#test/support/median.ts';
import { stackDirectoryOf, workerPid } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { codeFor, redeemCode } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

const flowsARound = 40;
const roundsMeasured = 5;

describe('ten thousand users', function () {
  this.timeout(300_000);

  verifies('SUP-16', 'cost a code flow with login no more than ten do', async () => {
    const few = await startIdp();
    const many = await startIdp();
    try {
      createUsers(few, 10);
      createUsers(many, 10_000);
      // Both processes have run the measured code once.
      await Promise.all([flows(few, flowsARound), flows(many, flowsARound)]);
      const spent = { few: [] as number[], many: [] as number[] };
      for (let round = 0; round < roundsMeasured; round += 1) {
        spent.few.push(await cpuOf(few, () => flows(few, flowsARound)));
        spent.many.push(await cpuOf(many, () => flows(many, flowsARound)));
      }
      const [withFew, withMany] = [median(spent.few), median(spent.many)];
      console.log(
        `      ${withFew / flowsARound} ms a flow with ten users, ${withMany / flowsARound} ms with ten thousand`,
      );
      // The goal is at most a tenth more. Ticks of 10 ms and garbage collection make this limit coarser. The benchmark
      // measures it precisely.
      expect(withMany / withFew).to.be.below(1.25);
    } finally {
      await Promise.all([few.stop(), many.stop()]);
    }
  });
});

/** Writes users into the store as a worker would, because the API would take minutes. */
function createUsers(idp: RunningIdp, count: number): void {
  const database = new SqliteConnection(join(stackDirectoryOf(idp.pid) ?? '', 'runtime.db'));
  const insert = database.prepare(
    `INSERT INTO runtime_identities (namespace, kind, name, instance_id, created_at, entry)
     VALUES ('default', 'user', ?, ?, 0, ?)`,
  );
  const reading = readUserEntry({ password: 'x', roles: ['USER'] });
  if (reading.outcome !== 'read') throw new Error(reading.message);
  const entry = JSON.stringify(reading.entry);
  database.transaction(() => {
    for (let number = 0; number < count; number += 1) insert.run(`made-${number}`, `instance-${number}`, entry);
  })();
  database.close();
}

/** Requests the login page, logs in, and redeems the code. */
async function flows(idp: RunningIdp, count: number): Promise<void> {
  for (let flow = 0; flow < count; flow += 1) {
    const page = await newBrowser(idp).get(authorizePath());
    expect(page.text).to.include('Log in');
    const answer = await redeemCode(idp, await codeFor(idp));
    expect(answer.status).to.equal(200);
  }
}

/** Milliseconds of CPU time, user and system. */
async function cpuOf(idp: RunningIdp, work: () => Promise<void>): Promise<number> {
  const pid = workerPid(idp, 'oidc');
  const read = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  };
  const before = read();
  await work();
  return read() - before;
}
