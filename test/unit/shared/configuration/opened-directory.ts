// A temporary configuration directory with any number of processes on it, as far as they share generations: each opens
// its own ActiveConfiguration, as the workers of a stack do.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemStopwatch } from '#shared/clock.ts';
import type { ActiveConfiguration } from '#shared/configuration/active-configuration.ts';
import {
  type ActiveConfigurationOptions,
  openActiveConfiguration,
} from '#shared/configuration/open-active-configuration.ts';
import { isStillNewest, mayDeclare } from '#shared/domain/configuration-generation.ts';
import { systemRandomness } from '#shared/random.ts';
import type { AcceptedConfiguration, ConfigurationGenerations } from '#shared/store/ports/index.ts';
import { silentLogger } from '#test/support/silent-logger.ts';

export function memoryGenerations(): ConfigurationGenerations {
  const accepted: AcceptedConfiguration[] = [];
  const declared = new Map<string, string>();
  const newest = () => accepted.at(-1);
  const accept = async (settingsText: string | undefined, usersText: string | undefined, declarer?: string) => {
    if (declarer !== undefined) declared.set(declarer, JSON.stringify([settingsText, usersText]));
    const last = newest();
    if (last?.settingsText === settingsText && last?.usersText === usersText) return last?.generation ?? 0;
    accepted.push({ generation: accepted.length + 1, settingsText, usersText });
    return accepted.length;
  };
  return {
    newest: async () => newest()?.generation ?? 0,
    read: async (generation) => accepted[generation - 1],
    accept,
    async declare(settingsText, usersText, declarer, { edited: isEdited = false } = { edited: false }) {
      const digest = JSON.stringify([settingsText, usersText]);
      const last = newest();
      const isSame = last?.settingsText === settingsText && last?.usersText === usersText;
      const wasInForce = accepted.some((each) => JSON.stringify([each.settingsText, each.usersText]) === digest);
      const inForce = JSON.stringify([last?.settingsText, last?.usersText]);
      const standing = { last: declared.get(declarer), digest, newest: inForce, wasInForce, isEdited };
      const mayPass = isSame || last === undefined || mayDeclare(standing);
      return mayPass ? await accept(settingsText, usersText, declarer) : 'behind';
    },
    async acceptOver(base, texts, declarer) {
      if (!isStillNewest(newest(), base)) return 'moved_on';
      return await accept(texts.settingsText, texts.usersText, declarer);
    },
    async acceptFirst(settingsText, usersText) {
      if (newest() === undefined) await accept(settingsText, usersText);
      return newest() ?? { generation: 0, settingsText, usersText };
    },
  };
}

export interface OpenedDirectory {
  readonly directory: string;
  readonly generations: ConfigurationGenerations;
  open(options?: Partial<ActiveConfigurationOptions>): Promise<ActiveConfiguration>;
  write(file: 'settings.yaml' | 'users.yaml', text: string): void;
  read(file: string): string;
  path(...names: string[]): string;
  remove(): void;
}

export function openDirectory(
  settings: string | undefined,
  users: string | undefined = 'users: {}\n',
  name = 'config',
): OpenedDirectory {
  const root = mkdtempSync(join(tmpdir(), 'test-idp-configuration-'));
  const directory = join(root, name);
  mkdirSync(directory);
  const path = (...names: string[]) => join(directory, ...names);
  if (settings !== undefined) writeFileSync(path('settings.yaml'), settings);
  if (users !== undefined) writeFileSync(path('users.yaml'), users);
  const generations = memoryGenerations();
  return {
    directory,
    generations,
    path,
    open: (options = {}) =>
      openActiveConfiguration({
        directory,
        environment: {},
        generations,
        sharedStore: false,
        runBeforeLoadHook: false,
        stopwatch: systemStopwatch,
        random: systemRandomness,
        log: silentLogger(),
        ...options,
      }),
    write: (file, text) => writeFileSync(path(file), text),
    read: (file) => readFileSync(path(file), 'utf8'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
