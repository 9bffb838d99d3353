// What a process begins with: the files, or what its siblings have agreed on already (SUP-06, ACT-12). Nothing is in
// force yet and nothing was decided about hooks and participants.

import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { digestOfTexts } from '#shared/model/domain/configuration-generation.ts';
import type { ConfigurationGenerations } from '#shared/state/store/ports/index.ts';
import { ConfigurationRejectedError, ConfigurationUnavailableError } from './active-configuration.ts';
import { declarerOf } from './declaring-directory.ts';
import type { HookRunner } from './hooks/hook-runner.ts';
import { configurationFileNames } from './load/file-names.ts';
import { loadConfiguration } from './load/load-configuration.ts';
import { loadFiles, rejection } from './load/load-directory.ts';
import { type ConfigurationTexts, contentKey, contentKeyOf, readConfigurationFiles } from './load/read-files.ts';
import { newestGenerationTexts } from './newest-generation.ts';
import { withDirectoryLock } from './observe-directory.ts';
import { asOnThisMachine, revisionsOfDeclared } from './own-machine-texts.ts';
import {
  type DeclaredConfiguration,
  type DeclaredConfigurationOptions,
  loadOptions,
  readDeclaredConfiguration,
} from './read-declared-configuration.ts';

export interface FirstConfigurationOptions extends DeclaredConfigurationOptions {
  /** Where siblings are followed; undefined: this process follows nobody (the MCP worker's own copy, MCP-03). */
  readonly generations: ConfigurationGenerations | undefined;
  /** Where a replacement that follows nobody finds a configuration when the files give none (SUP-15). */
  readonly acceptedBefore?: Pick<ConfigurationGenerations, 'newest' | 'read'> | undefined;
  /** `runtime.store: sqlite`: every operation looks at the files first (STO-18). */
  readonly sharedStore: boolean;
  /** What this machine is called, where others share the store. */
  readonly machine?: string | undefined;
  /** The files as read before. Without it a replacement takes what its siblings accepted, and else reads the files. */
  readonly declared?: DeclaredConfiguration | undefined;
  /** `start --declare`: the files come into force, also when they were superseded before (CLU-14). */
  readonly declareAnyway?: boolean | undefined;
}

export interface FirstConfiguration {
  readonly snapshot: ConfigurationSnapshot;
  readonly texts: ConfigurationTexts;
  /** The hooks that ran before the files were read, when there were any. */
  readonly hooks: HookRunner | undefined;
  /** The files were superseded, and it was said. */
  readonly toldBehind?: boolean;
  /** The content key of the files, where the store knows what they say. */
  readonly content?: string;
}

/** @throws ConfigurationRejectedError, ConfigurationUnavailableError */
export async function firstConfiguration(options: FirstConfigurationOptions): Promise<FirstConfiguration> {
  if (options.declared !== undefined) return await agreedWithSiblings(options, options.declared);
  if (!options.sharedStore && options.generations !== undefined) {
    const accepted = await acceptedConfiguration(options);
    if (accepted !== undefined) return accepted;
  }
  try {
    return await agreedWithSiblings(options, await readDeclaredConfiguration(options));
  } catch (error) {
    if (!(error instanceof ConfigurationRejectedError || error instanceof ConfigurationUnavailableError)) throw error;
    const accepted = await acceptedConfiguration(options);
    if (accepted === undefined) throw error;
    options.log.warn(`${error.message}; the configuration accepted before stays in use`);
    return accepted;
  }
}

async function agreedWithSiblings(
  options: FirstConfigurationOptions,
  declared: DeclaredConfiguration,
): Promise<FirstConfiguration> {
  const { generations, sharedStore } = options;
  const first = (generation: number) => ({ ...declared, snapshot: { ...declared.configuration, generation } });
  if (generations === undefined) return first(1);
  if (sharedStore) return await acceptAsItStands(options, generations, declared);
  const { texts } = declared;
  const accepted = await generations.acceptFirst(texts.settings, texts.users);
  const agreed = accepted.settingsText === texts.settings && accepted.usersText === texts.users;
  if (agreed) return first(accepted.generation);
  return (await acceptedConfiguration(options)) ?? first(0);
}

/** The newest configuration that a sibling accepted, or undefined when there is none that loads here. */
async function acceptedConfiguration(options: FirstConfigurationOptions): Promise<FirstConfiguration | undefined> {
  const generations = options.generations ?? options.acceptedBefore;
  const accepted = generations && (await newestGenerationTexts(generations));
  if (accepted === undefined) return undefined;
  const texts = await asOnThisMachine(accepted.texts, options, undefined).catch(notKept);
  if (texts === undefined) return undefined;
  const { configuration } = loadConfiguration(texts, loadOptions(options));
  if (configuration === undefined) return undefined;
  const { generation } = accepted;
  const revisions = revisionsOfDeclared(accepted.texts, options) ?? configuration.revisions;
  return { snapshot: { ...configuration, generation, revisions }, texts, hooks: undefined };
}

/** Whoever follows the newest generation says why not. */
function notKept(error: unknown): undefined {
  if (!(error instanceof ConfigurationRejectedError)) throw error;
}

/** The files become the newest generation, unless they were superseded (CLU-13, CLU-14); read again when they changed since, so that an old text never wins. */
async function acceptAsItStands(
  options: FirstConfigurationOptions,
  generations: ConfigurationGenerations,
  declared: DeclaredConfiguration,
): Promise<FirstConfiguration> {
  const { directory } = options;
  return await withDirectoryLock(directory, options, async () => {
    const files = readConfigurationFiles(directory);
    let { configuration, texts } = declared;
    if (contentKey(files) !== contentKeyOf(texts)) {
      const load = loadFiles(files, loadOptions(options));
      if (load.configuration === undefined || load.texts === undefined) throw rejection(load.findings, directory);
      ({ configuration, texts } = load);
    }
    const declarer = declarerOf(directory, options.machine);
    const { sharedDigest } = configuration;
    const generation =
      declarer === undefined || options.declareAnyway === true
        ? await generations.accept(texts.settings, texts.users, declarer, { sharedDigest })
        : await generations.declare(texts.settings, texts.users, declarer, { sharedDigest });
    const content = contentKeyOf(texts);
    const own = { texts, hooks: declared.hooks, content };
    if (generation !== 'behind') {
      const inForce = await newestGenerationTexts(generations);
      const revisions = revisionsOfDeclared(inForce?.texts, options) ?? configuration.revisions;
      return { ...own, snapshot: { ...configuration, generation, revisions } };
    }
    const inForce = await acceptedConfiguration(options);
    if (inForce !== undefined) {
      options.log.warn(joinedInstead(texts, inForce, directory));
      return { ...inForce, toldBehind: true, content };
    }
    // What is in force cannot be used here: the own files go on until something newer can (CLU-17).
    return { ...own, snapshot: { ...configuration, generation: 0 } };
  });
}

/** Says that this machine joined a configuration other than its own: both digests and the differences (CLU-14). */
function joinedInstead(
  own: ConfigurationTexts,
  { texts, snapshot }: FirstConfiguration,
  directory: string | undefined,
): string {
  const differ = (['settings', 'users'] as const)
    .filter((which) => own[which] !== texts[which])
    .map((which) => configurationFileNames[which]);
  const verb = differ.length > 1 ? 'were' : 'was';
  return (
    `${differ.join(' and ')} in ${directory} (digest ${shortDigest(own)}) ${verb} superseded by another directory on the ` +
    `same store: generation ${snapshot.generation} (digest ${shortDigest(texts)}) stays in force; start with --declare, ` +
    'or change or reload the files, to declare them'
  );
}

function shortDigest({ settings, users }: ConfigurationTexts): string {
  return digestOfTexts({ settingsText: settings, usersText: users }).slice(0, 12);
}
