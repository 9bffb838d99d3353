// A process is killed during its writes, repeatedly. Everything that it acknowledged exists once, and no write is
// incomplete.
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { bundleScript } from '#test/support/bundled-script.ts';
import { openTestStore, temporaryDirectory } from '#test/support/open-test-store.ts';
import { verifies } from '#test/support/verifies.ts';

/** The number of acknowledged steps after which each round's process is killed. */
const killedAfter = [1, 2, 3, 17, 40];

interface Message {
  readonly created?: string;
  readonly recorded?: string;
  readonly removed?: string;
}

describe('a process killed while it writes', () => {
  verifies(['STO-14', 'AUD-10'], 'loses nothing that it acknowledged, and duplicates nothing', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'runtime.db');
    const script = await bundleScript('store/write-until-killed.ts');
    const messages: Message[] = [];
    for (const [round, steps] of killedAfter.entries()) {
      const child = fork(script, [path, `r${round}`], { execArgv: [] });
      const gone = new Promise((resolve) => child.once('exit', resolve));
      let count = 0;
      child.on('message', (message: Message) => {
        messages.push(message);
        count += 1;
        if (count === steps) child.kill('SIGKILL');
      });
      await gone;

      const { store, audit, close } = await openTestStore({ kind: 'sqlite', path });
      const users = new Set((await store.identities.listUsers()).map(({ name }) => name));
      const entries = await audit.read({ limit: -1 });
      const times = (type: string, name: unknown) =>
        entries.filter(({ event_type, details }) => event_type === type && details.name === name).length;
      const removed = new Set(messages.flatMap((message) => message.removed ?? []));
      for (const { created, recorded } of messages) {
        if (created !== undefined) expect(times('runtime_identity_created', created), created).to.equal(1);
        if (recorded !== undefined) expect(times('logout', recorded), recorded).to.equal(1);
      }
      for (const name of removed) {
        expect(users.has(name), name).to.equal(false);
        expect(times('runtime_identity_deleted', name), name).to.equal(1);
      }
      // Acknowledged or not, state and event agree.
      for (const { event_type, details } of entries) {
        if (event_type !== 'runtime_identity_created') continue;
        const isGone = times('runtime_identity_deleted', details.name) === 1;
        expect(users.has(String(details.name)), `${round} ${details.name}`).to.equal(!isGone);
      }
      for (const name of users) expect(times('runtime_identity_created', name), name).to.equal(1);
      await close();
    }
    expect(messages.length).to.be.at.least(1 + 2 + 3 + 17 + 40);
    rmSync(directory, { recursive: true, force: true });
  });
});
