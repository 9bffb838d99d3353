// A sibling accepted a newer configuration: this process takes it over before its next operation reads anything
// (ACT-12). One that cannot be used here is left alone for a while, with a warning.
import type { Monotonic, Stopwatch } from '#shared/clock.ts';
import type { Logger } from '#shared/logger.ts';
import type { ConfigurationGenerations } from '#shared/store/ports/index.ts';
import type { Activation } from './activation.ts';
import { ConfigurationRejectedError } from './active-configuration.ts';
import { runApart } from './apart/run-apart.ts';
import { rejection } from './load/load-directory.ts';
import type { LoadOptions } from './load/load-options.ts';
import type { SerialQueue } from './serial-queue.ts';
import { namesOtherFiles } from './service-providers/declared-service-providers.ts';

const retryMilliseconds = 5_000;

export interface GenerationFollowerOptions {
  readonly generations: ConfigurationGenerations;
  readonly activation: Activation;
  readonly queue: SerialQueue;
  readonly load: LoadOptions;
  readonly stopwatch: Stopwatch;
  readonly log: Logger;
  /** What follows when a sibling's configuration came into force here. */
  readonly onActivated: () => Promise<void>;
}

export class GenerationFollower {
  readonly #options: GenerationFollowerOptions;
  #following: Promise<void> | undefined;
  #notFollowed: { readonly generation: number; readonly at: Monotonic } | undefined;

  constructor(options: GenerationFollowerOptions) {
    this.#options = options;
  }

  async follow(): Promise<void> {
    const { generations, activation, queue } = this.#options;
    const newest = await generations.newest();
    if (newest <= activation.inForce.snapshot.generation || this.#isGivenUp(newest)) return;
    this.#following ??= queue
      .run(() => this.#takeAccepted())
      .finally(() => {
        this.#following = undefined;
      });
    await this.#following;
  }

  #isGivenUp(generation: number): boolean {
    if (this.#notFollowed?.generation !== generation) return false;
    return this.#options.stopwatch.since(this.#notFollowed.at) < retryMilliseconds;
  }

  async #takeAccepted(): Promise<void> {
    const { generations, activation, load, log, stopwatch, onActivated } = this.#options;
    const newest = await generations.newest();
    const { snapshot, texts: present } = activation.inForce;
    if (newest <= snapshot.generation) return;
    const accepted = await generations.read(newest);
    if (accepted === undefined) return;
    const texts = { settings: accepted.settingsText, users: accepted.usersText };
    // The same texts may name other files that changed (SPM-04).
    const isSame = texts.settings === present.settings && texts.users === present.users;
    if (isSame && !namesOtherFiles(snapshot)) {
      activation.renumber(newest);
      return;
    }
    try {
      const { configuration, findings } = await runApart('loadTexts', texts, load);
      if (configuration === undefined) throw rejection(findings, load.directory);
      const staged = await activation.stage(configuration, texts);
      staged.commit(newest);
    } catch (error) {
      if (!(error instanceof ConfigurationRejectedError)) throw error;
      this.#notFollowed = { generation: newest, at: stopwatch.read() };
      log.warn(`A configuration that another process accepted cannot be used here: ${error.message}`);
      return;
    }
    await onActivated();
  }
}
