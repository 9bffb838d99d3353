// The write pipeline where machines with files of their own share a store (CLU-20, CLU-21). A change is based on the
// newest generation, whatever the files of this machine contain. The rename of the files and the declaration belong
// together. If the store rejects the declaration, the files are restored. If the process is killed between the two, the
// files contain what was never active. The next process that reads them declares it (CLU-13, CLU-15).
import type { DirectoryLock } from '#shared/base/locking/directory-lock.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { Randomness } from '#shared/base/random.ts';
import type { ConfigurationGenerations } from '#shared/state/store/ports/index.ts';
import type { Activation, Staged } from './activation.ts';
import { type ConfigurationChange, ConfigurationRejectedError, type WriteOptions } from './active-configuration.ts';
import { declarerOf } from './declaring-directory.ts';
import type { FilesLoader } from './files-loader.ts';
import type { ConfigurationWriter } from './files-writer.ts';
import { builtInSettingsText, builtInUsersText, withDefaultTexts } from './load/built-in-defaults.ts';
import type { LoadedConfiguration } from './load/load-configuration.ts';
import { rejection } from './load/load-directory.ts';
import type { LoadOptions } from './load/load-options.ts';
import {
  type ConfigurationFiles,
  type ConfigurationTexts,
  contentKey,
  filesOf,
  readConfigurationFiles,
  textOf,
} from './load/read-files.ts';
import { newestGenerationTexts } from './newest-generation.ts';
import { asOnThisMachine, type OwnMachine } from './own-machine-texts.ts';
import { runOnOwnThread } from './own-thread/run-on-own-thread.ts';
import { logFindings } from './read-declared-configuration.ts';
import type { ReentrantDirectoryLock } from './reentrant-directory-lock.ts';
import { namesOtherFiles } from './service-providers/declared-service-providers.ts';
import { isForbidden, mayReplaceFiles, prepareFiles } from './write/replace-files.ts';
import { type FilesOutcome, isExpected, notWritten, replacementsOf, revisionsOf } from './write/write-configuration.ts';
import type { WriteStepObserver } from './write/write-steps.ts';

interface DeclaringWriterOptions {
  readonly activation: Activation;
  readonly held: ReentrantDirectoryLock;
  readonly loader: FilesLoader;
  readonly generations: ConfigurationGenerations;
  readonly machine: string | undefined;
  readonly directory: string;
  readonly own: OwnMachine;
  readonly load: LoadOptions;
  readonly random: Randomness;
  readonly log: Logger;
  readonly onStep: WriteStepObserver | undefined;
}

interface Candidate {
  readonly texts: ConfigurationTexts;
  readonly configuration: LoadedConfiguration;
  readonly staged: Staged;
}

export class DeclaringWriter implements ConfigurationWriter {
  readonly #options: DeclaringWriterOptions;

  constructor(options: DeclaringWriterOptions) {
    this.#options = options;
  }

  areFilesWritable(): boolean {
    return mayReplaceFiles(this.#options.directory, this.#options.random);
  }

  /** Runs in the caller's turn of the queue. @throws ConfigurationUnavailableError, RuntimeStoreUnavailableError */
  async write(changes: readonly ConfigurationChange[], options: WriteOptions): Promise<FilesOutcome> {
    const settled = await this.#settleFiles(options.whole === true);
    if (settled === 'not_in_force') return { outcome: 'conflict', stale: 'on_disk' };
    const { held, onStep } = this.#options;
    return await held.locked(async (lock) => {
      onStep?.('lock_acquired');
      if (lock === undefined) return { outcome: 'not_writable' };
      return await this.#writeLocked(changes, options, settled.behind, lock);
    });
  }

  /**
   * The files may have been edited a moment ago. Such an edit is declared first, as any other operation would do.
   * `behind` is their content if it may be overwritten: it was superseded, or lacks a file that a whole save writes out
   * (MCP-41).
   */
  async #settleFiles(whole: boolean): Promise<{ readonly behind: string | undefined } | 'not_in_force'> {
    const { activation, directory, loader } = this.#options;
    const files = readConfigurationFiles(directory);
    const content = contentKey(files);
    if (content === contentKey(filesOf(activation.inForce.texts))) return { behind: undefined };
    const failed = await loader.loadAsItStands('if_changed');
    if (failed === undefined) return { behind: undefined };
    if ('behind' in failed) return { behind: failed.content };
    return whole && this.#lacksFilesAlone(files) ? { behind: content } : 'not_in_force';
  }

  async #writeLocked(
    changes: readonly ConfigurationChange[],
    { expected, lastLook, whole }: WriteOptions,
    behind: string | undefined,
    lock: DirectoryLock,
  ): Promise<FilesOutcome> {
    const { activation, directory, generations, own, load, random, log, onStep } = this.#options;
    const files = readConfigurationFiles(directory);
    const newest = await newestGenerationTexts(generations);
    onStep?.('files_read');
    if (newest === undefined) return { outcome: 'conflict', stale: 'on_disk' };
    const local = await asOnThisMachine(newest.texts, own, activation.inForce.texts, files.settings);
    if (!this.#mayGiveWay(files, local, behind)) return { outcome: 'conflict', stale: 'on_disk' };
    if (!isExpected(filesOf(newest.texts), expected)) return { outcome: 'conflict', stale: 'in_force' };
    const base = filesOf(local);
    const { environment, problemsOfFault } = load;
    const proposal = await runOnOwnThread('proposeChange', base, changes, {
      directory,
      environment,
      problemsOfFault,
    });
    if (proposal.outcome !== 'proposed') return proposal;
    onStep?.('result_proved');
    const texts = whole === true ? withDefaultTexts(proposal.after) : writtenOut(proposal.after, files);
    const candidate = await this.#stage(texts);
    const present = { settings: textOf(files.settings), users: textOf(files.users) };
    const { replacements, written } = replacementsOf(files, present, texts, directory);
    const lockHeld = () => lock.stillHeld();
    const prepared = await attempted(() =>
      prepareFiles(directory, replacements, random, lockHeld, { onStep, revocable: true }),
    );
    if ('failure' in prepared) return notReplaced(directory, prepared.failure);
    try {
      if (lastLook !== undefined && !(await lastLook())) return { outcome: 'refused' };
      onStep?.('last_look_taken');
      const replaced = await attempted(() => prepared.replaceForNow() ?? 'changed');
      if (replaced === 'changed') return { outcome: 'conflict', stale: 'on_disk' };
      if ('failure' in replaced) return notReplaced(directory, replaced.failure);
      const isDeclared = 'error' in candidate || (await this.#declare(newest.texts, candidate, replaced.rollBack));
      if (!isDeclared) return { outcome: 'conflict', stale: 'in_force' };
      const kept = await attempted(() => replaced.commit());
      if (kept !== undefined)
        log.warn({ err: kept.failure }, `the backups of the previous versions could not be written in ${directory}`);
    } finally {
      prepared.discard();
    }
    // A candidate that cannot be activated here stays written and declares nothing (WRT-16).
    const isActive = 'error' in candidate ? { ...candidate, content: contentKey(filesOf(texts)) } : 'declared';
    return { outcome: 'written', revisions: revisionsOf(texts), files: written, activation: isActive };
  }

  /** Whether every existing file equals the active text, and the others are missing. */
  #lacksFilesAlone(files: ConfigurationFiles): boolean {
    const { texts } = this.#options.activation.inForce;
    return (['settings', 'users'] as const).every(
      (which) => files[which].state === 'missing' || textOf(files[which]) === texts[which],
    );
  }

  /**
   * Whether a write would lose nothing from the files: their content is the newest, was active here or was superseded.
   */
  #mayGiveWay(files: ConfigurationFiles, newest: ConfigurationTexts, behind: string | undefined): boolean {
    const content = contentKey(files);
    const known = [newest, this.#options.activation.inForce.texts].map((texts) => contentKey(filesOf(texts)));
    return content === behind || known.includes(content);
  }

  async #stage(texts: ConfigurationTexts): Promise<Candidate | { readonly error: ConfigurationRejectedError }> {
    const { activation, load, log } = this.#options;
    try {
      const { configuration, findings } = await runOnOwnThread('loadTexts', texts, load);
      if (configuration === undefined) return { error: rejection(findings, load.directory) };
      const staged = await activation.stage(configuration, texts);
      logFindings(findings, { directory: load.directory, log });
      return { texts, configuration, staged };
    } catch (error) {
      if (error instanceof ConfigurationRejectedError) return { error };
      throw error;
    }
  }

  /** Activates the candidate for all machines, or restores the files. */
  async #declare(newest: ConfigurationTexts, candidate: Candidate, takeBack: () => void): Promise<boolean> {
    let accepted: number | undefined;
    try {
      accepted = await this.#accepted(newest, candidate);
    } catch (error) {
      takeBack();
      throw error;
    }
    if (accepted === undefined) {
      takeBack();
      return false;
    }
    candidate.staged.commit(accepted);
    this.#options.onStep?.('declared');
    return true;
  }

  async #accepted(newest: ConfigurationTexts, { texts, configuration }: Candidate): Promise<number | undefined> {
    const { generations, directory, machine } = this.#options;
    const declarer = declarerOf(directory, machine);
    const anew = namesOtherFiles(configuration);
    const made = { ...asKept(texts), sharedDigest: configuration.sharedDigest };
    const accepted = await generations.acceptOver(asKept(newest), made, declarer, anew);
    if (accepted !== 'moved_on') return accepted;
    // Another process of this machine found its files and declared them, or another machine made the same change. Then
    // these files count as having declared it, too, so that a newer declaration supersedes them (CLU-15).
    const again = await generations.acceptOver(made, made, declarer, false);
    return again === 'moved_on' ? undefined : again;
  }
}

/** Writes out the defaults of a file that the change leaves missing and this machine has. */
function writtenOut(texts: ConfigurationTexts, files: ConfigurationFiles): ConfigurationTexts {
  const { settings, users } = files;
  return {
    settings: texts.settings ?? (settings.state === 'missing' ? undefined : builtInSettingsText),
    users: texts.users ?? (users.state === 'missing' ? undefined : builtInUsersText),
  };
}

function asKept({ settings, users }: ConfigurationTexts): {
  settingsText: string | undefined;
  usersText: string | undefined;
} {
  return { settingsText: settings, usersText: users };
}

async function attempted<Result>(
  work: () => Result | Promise<Result>,
): Promise<Result | { readonly failure: unknown }> {
  try {
    return await work();
  } catch (failure) {
    return { failure };
  }
}

function notReplaced(directory: string, failure: unknown): FilesOutcome {
  if (isForbidden(failure)) return { outcome: 'not_writable' };
  return { outcome: 'write_failed', message: notWritten(directory, failure) };
}
