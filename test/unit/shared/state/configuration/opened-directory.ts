// A temporary configuration directory with several processes that can share generations. Each opens its own
// ActiveConfiguration, as the workers of a stack do.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import {
  type ConfigurationTexts,
  digestOfTexts,
  isSameTexts,
  isStillNewest,
  mayDeclare,
} from '#shared/model/domain/configuration-generation.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import {
  type ActiveConfigurationOptions,
  openActiveConfiguration,
} from '#shared/state/configuration/open-active-configuration.ts';
import type { AcceptedConfiguration, ConfigurationGenerations } from '#shared/state/store/ports/index.ts';
import { silentLogger } from '#test/support/silent-logger.ts';

export function memoryGenerations(): ConfigurationGenerations {
  const accepted: AcceptedConfiguration[] = [];
  const declared = new Map<string, string>();
  const newest = () => accepted.at(-1);
  const accept = async (texts: ConfigurationTexts, declarer: string | undefined) => {
    if (declarer !== undefined) declared.set(declarer, digestOfTexts(texts));
    const last = newest();
    if (last !== undefined && isSameTexts(last, texts)) return last.generation;
    const { settingsText, usersText, sharedDigest } = texts;
    const generation = accepted.length + 1;
    accepted.push({ generation, settingsText, usersText, ...(sharedDigest === undefined ? {} : { sharedDigest }) });
    return generation;
  };
  return {
    newest: async () => newest()?.generation ?? 0,
    read: async (generation) => accepted[generation - 1],
    accept: (settingsText, usersText, declarer, { sharedDigest } = {}) =>
      accept({ settingsText, usersText, sharedDigest }, declarer),
    async declare(settingsText, usersText, declarer, { edited: isEdited = false, sharedDigest } = {}) {
      const texts = { settingsText, usersText, sharedDigest };
      const digest = digestOfTexts(texts);
      const last = newest();
      const wasInForce = accepted.some((each) => digestOfTexts(each) === digest);
      const inForce = last === undefined ? '' : digestOfTexts(last);
      const standing = { last: declared.get(declarer), digest, newest: inForce, wasInForce, isEdited };
      const mayPass = last === undefined || isSameTexts(last, texts) || mayDeclare(standing);
      return mayPass ? await accept(texts, declarer) : 'behind';
    },
    async acceptOver(base, texts, declarer) {
      return isStillNewest(newest(), base) ? await accept(texts, declarer) : 'moved_on';
    },
    async acceptFirst(settingsText, usersText) {
      if (newest() === undefined) await accept({ settingsText, usersText }, undefined);
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
        problemsOfFault,
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
