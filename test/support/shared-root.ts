// A directory with configuration, keys and an sqlite store, on which a test starts any number of programs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { demoSettings, demoUsers } from './worlds.ts';

export interface SharedRoot {
  readonly root: string;
  readonly storePath: string;
  writeSettings(settings: object | string): void;
  writeUsers(users: object | string): void;
  remove(): void;
}

export const sharedSettings = { ...demoSettings, runtime: { store: 'sqlite', path: '../state/runtime.db' } };

export function makeSharedRoot(
  settings: object = sharedSettings,
  users: object = demoUsers,
  base = tmpdir(),
): SharedRoot {
  const root = mkdtempSync(join(base, 'test-idp-shared-'));
  mkdirSync(join(root, 'config'));
  const write = (name: string) => (content: object | string) =>
    writeFileSync(join(root, 'config', name), typeof content === 'string' ? content : stringify(content));
  const made = {
    root,
    storePath: join(root, 'state', 'runtime.db'),
    writeSettings: write('settings.yaml'),
    writeUsers: write('users.yaml'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  made.writeSettings(settings);
  made.writeUsers(users);
  return made;
}
