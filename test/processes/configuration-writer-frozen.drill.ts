// A process that writes the configuration is frozen right after each step of the write, for longer than its lock is valid.
// Another writer takes over the lock and writes. The resumed process overwrites nothing of that in either file.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { loadDirectory } from '#shared/state/configuration/load/load-directory.ts';
import { type WriteStep, writeSteps } from '#shared/state/configuration/write/write-steps.ts';
import { bundleScript } from '#test/support/bundled-script.ts';
import { entriesNamed } from '#test/support/configuration-changes.ts';
import { isStopped, until } from '#test/support/stack.ts';
import { verifies } from '#test/support/verifies.ts';
import { type OpenedDirectory, openDirectory } from '../unit/shared/state/configuration/opened-directory.ts';

type Files = 'users' | 'settings' | 'both';

interface Scene {
  readonly opened: OpenedDirectory;
  /** The results of the frozen writer and of the one that wrote meanwhile. */
  readonly frozen: string | undefined;
  readonly meanwhile: readonly string[];
}

describe('a process frozen while it writes the configuration', () => {
  let script: string;
  const scenes = new Map<string, Scene>();

  before(async () => {
    script = await bundleScript('configuration-write-step.ts');
    const wanted: { files: Files; step: WriteStep }[] = [
      ...writeSteps.map((step) => ({ files: 'both' as const, step })),
      { files: 'users', step: 'backup_renamed' },
      { files: 'users', step: 'file_renamed' },
      { files: 'settings', step: 'backup_renamed' },
      { files: 'settings', step: 'file_renamed' },
    ];
    // All run together, because most of the time passes while locks become stale.
    const frozen = wanted.map(async ({ files, step }) => {
      scenes.set(`${files} ${step}`, await frozenAt(openDirectory('# settings\n', '# users\n'), files, step));
    });
    await Promise.all(frozen);
  });
  after(() => {
    for (const { opened } of scenes.values()) opened.remove();
  });

  function frozenAt(opened: OpenedDirectory, files: Files, step: WriteStep): Promise<Scene> {
    const child = spawn(process.execPath, [script, opened.directory, files, 'freeze', step, 'frozen'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let frozen: string | undefined;
    const meanwhile: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      frozen = message.outcome;
      if (message.frozen === true) {
        // It sends the message before it stops itself, and an earlier signal to continue would have no effect.
        void until('the writer is stopped', () => isStopped(child.pid ?? 0))
          .then(() => writeMeanwhile(opened))
          .catch(String)
          .then((outcome) => {
            meanwhile.push(outcome);
            child.kill('SIGCONT');
          });
      }
    });
    return new Promise((resolve) => child.once('close', () => resolve({ opened, frozen, meanwhile })));
  }

  /** The result of the scene, and whose entries are in the files. */
  function ending(files: Files, step: WriteStep) {
    const scene = scenes.get(`${files} ${step}`);
    if (scene === undefined) throw new Error(`no scene for ${files} ${step}.`);
    expect(scene.meanwhile).to.deep.equal(['written']);
    const { configuration } = loadDirectory({ directory: scene.opened.directory, environment: {}, problemsOfFault });
    expect([...(configuration?.users.keys() ?? [])]).to.include('user-meanwhile');
    expect([...(configuration?.clients.keys() ?? [])]).to.include('client-meanwhile');
    const user = configuration?.users.has('user-frozen');
    const client = configuration?.clients.has('client-frozen');
    return { outcome: scene.frozen, user, client };
  }

  const renamed = writeSteps.indexOf('file_renamed');
  for (const [index, step] of writeSteps.entries()) {
    if (index < renamed) {
      verifies(['WRT-07', 'WRT-06'], `writes nothing after "${step}" and reports a conflict`, () => {
        expect(ending('both', step)).to.deep.equal({ outcome: 'conflict', user: false, client: false });
      });
    } else if (index > renamed) {
      verifies('WRT-07', `has written already after "${step}", and so has the other process`, () => {
        expect(ending('both', step)).to.deep.equal({ outcome: 'written', user: true, client: true });
      });
    }
  }

  verifies('WRT-07', 'leaves the second file to the other process between its two renames, and reports that', () => {
    expect(ending('both', 'file_renamed')).to.deep.equal({ outcome: 'write_failed', user: false, client: true });
  });

  for (const files of ['users', 'settings'] as const) {
    verifies('WRT-07', `overwrites nothing just before and just after the rename of ${files}.yaml alone`, () => {
      const has = { user: files === 'users', client: files === 'settings' };
      expect(ending(files, 'backup_renamed')).to.deep.equal({ outcome: 'conflict', user: false, client: false });
      expect(ending(files, 'file_renamed')).to.deep.equal({ outcome: 'written', ...has });
    });
  }
});

async function writeMeanwhile(opened: OpenedDirectory): Promise<string> {
  const active = await opened.open({ generations: undefined });
  const { user, client } = entriesNamed('meanwhile');
  return (await active.write([user, client])).outcome;
}
