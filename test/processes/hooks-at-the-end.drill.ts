// A hook that hangs uses up the grace time of a stack that is told to end, and not more (SUP-09, HOK-08).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { allEnded, lingeringHook } from '#test/support/lingering-hook.ts';
import { startIdp } from '#test/support/start-idp.ts';

describe('a stack with a hook that hangs', () => {
  for (const command of ['start', 'oidc'] as const) {
    it(`${command} ends after the grace time, in order, and takes the hook along`, async function () {
      if (process.platform !== 'linux') {
        process.stderr.write('skipped: the state of a process is read from /proc, which only Linux has\n');
        return this.skip();
      }
      const scratch = mkdtempSync(join(tmpdir(), 'test-idp-lingering-'));
      const hook = lingeringHook(join(scratch, 'trace'));
      const idp = await startIdp({
        command,
        settings: { hooks: { on_audit_event: hook.command, timeout_seconds: 600 } },
      });
      try {
        await fetch(`${idp.baseUrl}/token`, { method: 'POST' });
        const pids = await hook.started();
        const began = performance.now();
        process.kill(idp.pid, 'SIGTERM');
        expect(await idp.exited).to.equal(0);
        expect(performance.now() - began).to.be.within(9_000, 20_000);
        expect(idp.log()).to.contain('the process ends before the hook has received all audit events');
        await allEnded(pids);
      } finally {
        await idp.stop();
        rmSync(scratch, { recursive: true, force: true });
      }
    });
  }
});
