// The initial configuration of a process: the files, or what the other processes have already accepted (SUP-06,
// ACT-12). Nothing is active yet, and hooks and participants have not been checked.

import { asSentence } from '#shared/base/sentence.ts';
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
  /** The generations to follow; undefined: this process follows none (the MCP worker's own copy, MCP-03). */
  readonly generations: ConfigurationGenerations | undefined;
  /** Where a replacement process that follows none finds a configuration when the files have none (SUP-15). */
  readonly acceptedBefore?: Pick<ConfigurationGenerations, 'newest' | 'read'> | undefined;
  /** `runtime.store: sqlite`: every operation checks the files first (STO-18). */
  readonly sharedStore: boolean;
  /** The name of this machine, where machines share the store. */
  readonly machine?: string | undefined;
  /**
   * The files as already read. Without it a replacement process uses the accepted configuration, or else reads the
   * files.
   */
  readonly declared?: DeclaredConfiguration | undefined;
  /** `start --declare`: the files are activated even if they were superseded before (CLU-14). */
  readonly declareAnyway?: boolean | undefined;
}

export interface FirstConfiguration {
  readonly snapshot: ConfigurationSnapshot;
  readonly texts: ConfigurationTexts;
  /** The hooks that ran before the files were read, when there were any. */
  readonly hooks: HookRunner | undefined;
  /** The files were superseded, and a warning was logged. */
  readonly toldBehind?: boolean;
  /** The content key of the files, if the store knows their content. */
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
    options.log.warn(`${asSentence(error.message)} The previously accepted configuration stays active.`);
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

/** The newest configuration that another process accepted, or undefined when no configuration exists that loads here. */
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

/** The follower of the newest generation reports the reason. */
function notKept(error: unknown): undefined {
  if (!(error instanceof ConfigurationRejectedError)) throw error;
}

/**
 * Makes the files the newest generation, unless they were superseded (CLU-13, CLU-14). Files that changed meanwhile are
 * read again, so that an old text never wins.
 */
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
    // The active configuration of the store cannot be used here. The own files stay active until a newer one can be
    // used (CLU-17).
    return { ...own, snapshot: { ...configuration, generation: 0 } };
  });
}

/**
 * The warning that this machine joined a configuration other than its own: both digests and the differences (CLU-14).
 */
function joinedInstead(
  own: ConfigurationTexts,
  { texts, snapshot }: FirstConfiguration,
  directory: string | undefined,
): string {
  const differ = (['settings', 'users'] as const)
    .filter((which) => own[which] !== texts[which])
    .map((which) => configurationFileNames[which]);

  return (
    `Another directory on the same store has superseded ${differ.join(' and ')} in ${directory} (digest ${shortDigest(own)}). ` +
    `Its generation ${snapshot.generation} (digest ${shortDigest(texts)}) stays active. ` +
    'To activate these files instead, start with --declare, or change or reload them.'
  );
}

function shortDigest({ settings, users }: ConfigurationTexts): string {
  return digestOfTexts({ settingsText: settings, usersText: users }).slice(0, 12);
}
