// The daemon of Shibboleth's service provider, on the configuration `shibboleth2.xml` of a directory.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Skippable, toolOrSkip } from './debian-programs.ts';

/** Resolves when it listens at `shibd.sock` there, with a function that stops it. */
export async function startShibd(context: Skippable, root: string): Promise<() => Promise<void>> {
  const program = toolOrSkip(context, 'shibd', 'libapache2-mod-shib');
  const daemon = spawn(program, ['-F', '-c', join(root, 'shibboleth2.xml'), '-p', join(root, 'shibd.pid')], {
    stdio: 'ignore',
  });
  const stop = async () => {
    const ended = new Promise((resolve) => daemon.once('exit', resolve));
    daemon.kill('SIGTERM');
    await ended;
  };
  const deadline = Date.now() + 60_000;
  while (!existsSync(join(root, 'shibd.sock'))) {
    if (daemon.exitCode !== null || Date.now() > deadline) throw new Error('shibd does not start');
    await new Promise((resolve) => setImmediate(resolve));
  }
  return stop;
}
