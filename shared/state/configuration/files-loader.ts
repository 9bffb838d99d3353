// Activates files: load, stage, accept as the newest generation, commit. A failure leaves everything unchanged
// (ACT-11). It runs in the caller's turn of the queue. The caller decides when to look and what a failure means.
import type { Stopwatch } from '#shared/base/clock.ts';
import { directoryLockDeadlineMilliseconds } from '#shared/base/locking/directory-lock.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { ConfigurationGenerations } from '#shared/state/store/ports/index.ts';
import type { Activation } from './activation.ts';
import { ConfigurationRejectedError, ConfigurationUnavailableError } from './active-configuration.ts';
import { declarerOf } from './declaring-directory.ts';
import type { PluginSet } from './hooks/load-plugins.ts';
import { rejection } from './load/load-directory.ts';
import type { LoadOptions } from './load/load-options.ts';
import {
  type ConfigurationFiles,
  type ConfigurationTexts,
  contentKey,
  contentKeyOf,
  keepingVanished,
  readConfigurationFiles,
} from './load/read-files.ts';
import { revisionsOfDeclared } from './own-machine-texts.ts';
import { runOnOwnThread } from './own-thread/run-on-own-thread.ts';
import { logFindings } from './read-declared-configuration.ts';
import type { ReentrantDirectoryLock } from './reentrant-directory-lock.ts';
import { namesOtherFiles } from './service-providers/declared-service-providers.ts';
import type { SettledFiles } from './settled-files.ts';

/** A load that ended without a new configuration, with the details that the gate needs (STO-20). */
interface FailedLoad {
  readonly error: ConfigurationRejectedError;
  readonly content: string;
  readonly mayPass: boolean;
}

/**
 * The files contain what this directory declared before a newer configuration was activated: they declare nothing
 * (CLU-15).
 */
interface FilesBehind {
  readonly behind: true;
  readonly content: string;
}

/** `if_changed`: the load was not requested, so files that only differ stay behind the active configuration. */
export type Declaring = 'always' | 'if_changed';

interface FilesLoaderOptions {
  readonly activation: Activation;
  readonly held: ReentrantDirectoryLock;
  readonly generations: ConfigurationGenerations | undefined;
  readonly machine: string | undefined;
  readonly settled: SettledFiles;
  readonly load: LoadOptions;
  readonly stopwatch: Stopwatch;
  readonly log: Logger;
  /** Runs after the files were activated. */
  readonly onActivated: () => Promise<void>;
}

/** Loading ends with an error if the files keep changing for as long as the limit of a wait for the lock. */
export const changingFilesMilliseconds = directoryLockDeadlineMilliseconds;

export class FilesLoader {
  readonly #options: FilesLoaderOptions;

  constructor(options: FilesLoaderOptions) {
    this.#options = options;
  }

  /** @throws ConfigurationUnavailableError */
  async loadAsItStands(declaring: Declaring): Promise<FailedLoad | FilesBehind | undefined> {
    const { held, load } = this.#options;
    let files: ConfigurationFiles;
    try {
      files = await held.locked(() => readConfigurationFiles(load.directory));
    } catch (error) {
      if (!(error instanceof ConfigurationRejectedError)) throw error;
      return { error, content: contentKey(readConfigurationFiles(load.directory)), mayPass: true };
    }
    return await this.load(files, { declaring });
  }

  /** Returns why it failed, or undefined. @throws ConfigurationUnavailableError */
  async load(
    files: ConfigurationFiles,
    { declaring, plugins }: { readonly declaring: Declaring; readonly plugins?: PluginSet | undefined },
  ): Promise<FailedLoad | FilesBehind | undefined> {
    const { activation, load, stopwatch, log, onActivated } = this.#options;
    const start = stopwatch.read();
    for (let observed = files; ; ) {
      const loaded = await runOnOwnThread('loadFiles', keepingVanished(observed, activation.inForce.texts), load);
      const content = contentKey(observed);
      const { configuration, texts } = loaded;
      if (configuration === undefined || texts === undefined) {
        return { error: rejection(loaded.findings, load.directory), content, mayPass: loaded.mayPass };
      }
      try {
        const staged = await activation.stage(configuration, texts, plugins);
        const accepted = await this.#accept(texts, content, {
          declaring,
          anew: namesOtherFiles(configuration),
          sharedDigest: configuration.sharedDigest,
        });
        if (accepted === 'behind') return { behind: true, content };
        if (typeof accepted === 'number') {
          staged.commit(accepted, await this.#revisionsOf(accepted));
          logFindings(loaded.findings, { directory: load.directory, log });
          await onActivated();
          return undefined;
        }
        observed = accepted;
      } catch (error) {
        if (!(error instanceof ConfigurationRejectedError)) throw error;
        return { error, content, mayPass: true };
      }
      if (stopwatch.since(start) >= changingFilesMilliseconds) {
        throw new ConfigurationUnavailableError('freshness_in_progress');
      }
    }
  }

  /**
   * Makes the texts the newest generation if the files still have this content. Otherwise returns their current
   * content. Runs under the lock, so that the process that reads later also accepts later.
   */
  async #accept(
    texts: ConfigurationTexts,
    content: string,
    {
      declaring,
      anew,
      sharedDigest,
    }: { readonly declaring: Declaring; readonly anew: boolean; readonly sharedDigest: string },
  ): Promise<number | 'behind' | ConfigurationFiles> {
    const { activation, held, generations, load, settled } = this.#options;
    if (generations === undefined) return activation.inForce.snapshot.generation + 1;
    return await held.locked(async () => {
      const now = readConfigurationFiles(load.directory);
      if (contentKey(now) !== content) return now;
      const declarer = declarerOf(load.directory, this.#options.machine);
      const accepted =
        declaring === 'always' || declarer === undefined
          ? await generations.accept(texts.settings, texts.users, declarer, { anew, sharedDigest })
          : await generations.declare(texts.settings, texts.users, declarer, {
              edited: settled.isEdited(content),
              sharedDigest,
            });
      settled.settle(content);
      return accepted;
    });
  }

  /** Another machine may have declared the same before in another spelling. */
  async #revisionsOf(generation: number): Promise<ConfigurationSnapshot['revisions'] | undefined> {
    const { generations, machine } = this.#options;
    const declared = machine === undefined ? undefined : await generations?.read(generation);
    return declared && revisionsOfDeclared({ settings: declared.settingsText, users: declared.usersText }, { machine });
  }

  /**
   * Notes that the files were made equal to the active configuration without a load. Otherwise this directory would
   * count as the last to declare something else, and its next start would revert newer configurations (CLU-14).
   */
  async noteAgreed(): Promise<void> {
    const { activation, held, generations, load, machine, settled } = this.#options;
    const declarer = declarerOf(load.directory, machine);
    if (generations === undefined || declarer === undefined) return;
    await held.locked(async () => {
      const { texts, snapshot } = activation.inForce;
      const content = contentKey(readConfigurationFiles(load.directory));
      if (content !== contentKeyOf(texts)) return;
      const { sharedDigest } = snapshot;
      await generations.declare(texts.settings, texts.users, declarer, { sharedDigest });
      settled.settle(content);
    });
  }
}
