// A process that writes the configuration is killed right after each step of the write. The file on disk is the complete
// old or new one, the next writer gets the lock in time, and the dead process leaves nothing behind.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { loadDirectory } from '#shared/state/configuration/load/load-directory.ts';
import { type WriteStep, writeSteps } from '#shared/state/configuration/write/write-steps.ts';
import { bundleScript } from '#test/support/bundled-script.ts';
import { entriesNamed } from '#test/support/configuration-changes.ts';
import { verifies } from '#test/support/verifies.ts';
import { type OpenedDirectory, openDirectory } from '../unit/shared/state/configuration/opened-directory.ts';

const settings = '# settings\noauth:\n  clients: [] # none\n';
const users = '# users\nusers:\n  ada: {password: x}\n';
const texts = (opened: OpenedDirectory) => [opened.read('settings.yaml'), opened.read('users.yaml')];

type Files = 'users' | 'both';

/** A directory after a process was killed right after that step, and what the next writer found there. */
interface Scene {
  readonly opened: OpenedDirectory;
  readonly signal: string | null;
  readonly found: readonly string[];
  readonly outcome: string;
  readonly waitedMilliseconds: number;
}

describe('a process killed while it writes the configuration', () => {
  let script: string;
  /** The files after a complete write. */
  let written: readonly string[];
  const scenes = new Map<string, Scene>();

  before(async () => {
    script = await bundleScript('configuration-write-step.ts');
    const undisturbed = openDirectory(settings, users);
    const { user, client } = entriesNamed('killed');
    await (await undisturbed.open()).write([user, client]);
    written = texts(undisturbed);
    undisturbed.remove();

    const wanted = [
      ...writeSteps.map((step) => ({ files: 'users' as const, step })),
      { files: 'both' as const, step: 'file_renamed' as const },
    ];
    const recoveries: Promise<void>[] = [];
    const prepare = async (): Promise<void> => {
      for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
        const { files, step } = next;
        const opened = openDirectory(settings, users);
        const signal = await killedAt(opened.directory, files, step);
        // The locks of the killed processes become stale in parallel.
        recoveries.push(recovered(opened, signal).then((scene) => void scenes.set(`${files} ${step}`, scene)));
      }
    };
    await Promise.all([prepare(), prepare(), prepare()]);
    await Promise.all(recoveries);
  });
  after(() => {
    for (const { opened } of scenes.values()) opened.remove();
  });

  function killedAt(directory: string, files: Files, step: WriteStep): Promise<string | null> {
    const child = spawn(process.execPath, [script, directory, files, 'die', step, 'killed'], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return new Promise((resolve) => child.once('close', (_code, signal) => resolve(signal)));
  }

  function sceneOf(files: Files, step: WriteStep): Scene {
    const scene = scenes.get(`${files} ${step}`);
    if (scene === undefined) throw new Error(`no scene for ${files} ${step}.`);
    expect(scene.signal).to.equal('SIGKILL');
    expect([scene.outcome, scene.waitedMilliseconds < 10_000]).to.deep.equal(['written', true]);
    return scene;
  }

  /** The next writer found its entries beside those of the dead one, and left only the configuration files. */
  function expectInOrder({ opened }: Scene, has: { readonly user: boolean; readonly client: boolean }): void {
    const { configuration } = loadDirectory({ directory: opened.directory, environment: {}, problemsOfFault });
    const killedUser = has.user ? ['user-killed'] : [];
    const killedClient = has.client ? ['client-killed'] : [];
    expect([...(configuration?.users.keys() ?? [])]).to.deep.equal(['ada', ...killedUser, 'user-next']);
    expect([...(configuration?.clients.keys() ?? [])]).to.deep.equal([...killedClient, 'client-next']);
    expect(readdirSync(opened.directory).sort()).to.deep.equal([
      'settings.yaml',
      'settings.yaml.bak',
      'users.yaml',
      'users.yaml.bak',
    ]);
  }

  const renamed = writeSteps.indexOf('file_renamed');
  for (const [index, step] of writeSteps.entries()) {
    const isNew = index >= renamed;
    verifies(['WRT-13', 'WRT-03'], `leaves the complete ${isNew ? 'new' : 'old'} file right after "${step}"`, () => {
      const scene = sceneOf('users', step);
      expect(scene.found).to.deep.equal([settings, isNew ? written[1] : users]);
      expectInOrder(scene, { user: isNew, client: false });
    });
  }

  verifies(['WRT-13', 'WRT-03'], 'leaves one new and one old complete file between the two renames', () => {
    const scene = sceneOf('both', 'file_renamed');
    expect(scene.found).to.deep.equal([written[0], users]);
    expectInOrder(scene, { user: false, client: true });
  });
});

async function recovered(opened: OpenedDirectory, signal: string | null): Promise<Scene> {
  const found = texts(opened);
  const start = performance.now();
  const active = await opened.open({ generations: undefined });
  const waitedToOpen = performance.now() - start;
  const { user, client } = entriesNamed('next');
  const { outcome } = await active.write([user, client]);
  const waitedMilliseconds = Math.max(waitedToOpen, performance.now() - start - waitedToOpen);
  return { opened, signal, found, outcome, waitedMilliseconds };
}
