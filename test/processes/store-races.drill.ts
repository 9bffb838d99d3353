// Several processes on one store: a single-use object is used once, and no event is lost or duplicated.
import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { at, authorizationRequest, code, deviceGrant, transaction } from '#test/contract/store-under-test.ts';
import { bundleScript } from '#test/support/bundled-script.ts';
import { openTestStore, temporaryDirectory } from '#test/support/open-test-store.ts';
import { verifies } from '#test/support/verifies.ts';

const processes = 8;
const raceRounds = 200;
const kinds = ['code', 'device', 'refresh', 'factor', 'transaction'] as const;

describe(`${processes} processes on one store`, () => {
  verifies(
    ['STO-12', 'STO-09', 'AUD-09'],
    'use each object once, round after round, and record every event',
    async () => {
      const directory = temporaryDirectory();
      const path = join(directory, 'runtime.db');
      const opened = await openTestStore({ kind: 'sqlite', path });
      await fill(opened.store);

      const script = await bundleScript('store/use-once.ts');
      const children = Array.from({ length: processes }, (_, number) =>
        fork(script, [path, `${raceRounds}`, `${at(1)}`, `process-${number}`], { execArgv: [] }),
      );
      try {
        await Promise.all(children.map(message));
        const results = children.map(message);
        for (const child of children) child.send('go');
        const won = (await Promise.all(results)).map((result) => result.won ?? {});
        for (const kind of kinds) {
          const winners = won.flatMap((of) => of[kind] ?? []).toSorted((a, b) => a - b);
          expect(winners, kind).to.deep.equal(Array.from({ length: raceRounds }, (_, round) => round));
        }
        const entries = await opened.audit.read({ limit: -1 });
        const tries = new Set(entries.map(({ details }) => `${details.name}/${details.round}`));
        expect(entries).to.have.length(processes * raceRounds);
        expect(tries.size).to.equal(processes * raceRounds);
        expect((await opened.audit.counters()).token_requests).to.equal(processes * raceRounds);
      } finally {
        for (const child of children) child.kill('SIGKILL');
        await opened.close();
        rmSync(directory, { recursive: true, force: true });
      }
    },
  );
});

async function fill({
  codes,
  deviceGrants,
  secondFactors,
  transactions,
}: Awaited<ReturnType<typeof openTestStore>>['store']): Promise<void> {
  const approval = { username: 'alice', authenticatedAt: at(0), method: 'password', amr: undefined } as const;
  for (let round = 0; round < raceRounds; round += 1) {
    await codes.issue({ ...code(`code-${round}`), request: authorizationRequest() }, at(0));
    await deviceGrants.begin(deviceGrant(round, { user_code: `U-${round}` }), at(0));
    await deviceGrants.approve(`U-${round}`, approval, at(0));
    await transactions.begin(transaction(`transaction-${round}`, { browser: 'b' }), at(0));
    const factor = { id: `factor-${round}`, browser: 'b', surface: '/login', purpose: '', username: 'alice' } as const;
    await secondFactors.record({ ...factor, passwordVerifiedAt: at(0) }, at(0));
  }
}

function message(child: ChildProcess): Promise<{ won?: Record<string, number[]> }> {
  return new Promise((resolve, reject) => {
    child.once('message', (value: { won?: Record<string, number[]> }) => resolve(value));
    child.once('exit', (exitCode) => reject(new Error(`a process ended with ${exitCode} before it answered`)));
  });
}
