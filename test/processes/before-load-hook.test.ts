// A stack runs on_before_load once before any of its workers reads the files, and not again for a replaced worker (HOK-04).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

function children(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

describe('on_before_load in a stack', function () {
  this.timeout(60_000);

  verifies('HOK-04', 'runs once, and not again for a replacement', async function () {
    if (process.platform !== 'linux') {
      process.stderr.write('skipped: children of a process are read from /proc, which only Linux has\n');
      return this.skip();
    }
    const scratch = mkdtempSync(join(tmpdir(), 'test-idp-before-load-'));
    const trace = join(scratch, 'trace');
    const hook = `echo loaded >> ${trace}; echo 'users: {made: {password: made}}' > {config_dir}/users.yaml`;
    const idp = await startIdp({ settings: { hooks: { on_before_load: hook } } });
    try {
      const users = async () => (await (await fetch(`${idp.baseUrl}/api/users`)).json()).count;
      expect(await users()).to.equal(1);
      expect(readFileSync(trace, 'utf8')).to.equal('loaded\n');
      const before = children(idp.pid);
      const [victim] = before;
      if (victim === undefined) throw new Error('no worker');
      process.kill(victim, 'SIGKILL');
      while (children(idp.pid).length < before.length || children(idp.pid).includes(victim)) await pause(20);
      expect(await users()).to.equal(1);
      expect(readFileSync(trace, 'utf8')).to.equal('loaded\n');
    } finally {
      await idp.stop();
      rmSync(scratch, { recursive: true });
    }
  });
});
