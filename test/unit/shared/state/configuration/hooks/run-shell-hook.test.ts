import { expect } from 'chai';
import { runShellHook } from '#shared/state/configuration/hooks/run-shell-hook.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a shell hook', () => {
  verifies('API-31', 'adds a listener to the process only while a hook runs', async () => {
    const listeners = () => process.listenerCount('exit');
    const before = listeners();
    const run = (command: string) => runShellHook({ command, words: {}, timeoutMilliseconds: 10_000 });
    const ends = [run('true'), run('exit 3')];
    expect(listeners()).to.equal(before + 1);
    await Promise.all(ends);
    expect(listeners()).to.equal(before);
    await run('true');
    expect(listeners()).to.equal(before);
  });
});
