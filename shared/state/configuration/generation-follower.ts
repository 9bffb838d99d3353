// Another process accepted a newer configuration. This process activates it before its next operation reads anything
// (ACT-12). One that cannot be used here is skipped for a while, with a warning.

import type { Monotonic, Stopwatch } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import { asSentence } from '#shared/base/sentence.ts';
import type { ConfigurationStatus } from '#shared/model/domain/cluster.ts';
import type { ConfigurationGenerations } from '#shared/state/store/ports/index.ts';
import type { Activation, Staged } from './activation.ts';
import { ConfigurationRejectedError } from './active-configuration.ts';
import { rejection } from './load/load-directory.ts';
import type { LoadOptions } from './load/load-options.ts';
import type { ConfigurationTexts } from './load/read-files.ts';
import { asOnThisMachine, type OwnMachine, revisionsOfDeclared } from './own-machine-texts.ts';
import { runOnOwnThread } from './own-thread/run-on-own-thread.ts';
import type { SerialQueue } from './serial-queue.ts';
import { namesOtherFiles } from './service-providers/declared-service-providers.ts';

const retryMilliseconds = 5_000;

interface GenerationFollowerOptions {
  readonly generations: ConfigurationGenerations;
  readonly activation: Activation;
  readonly own: OwnMachine;
  readonly queue: SerialQueue;
  readonly load: LoadOptions;
  readonly stopwatch: Stopwatch;
  readonly log: Logger;
  /** Runs after another process's configuration was activated here. */
  readonly onActivated: () => Promise<void>;
}

export class GenerationFollower {
  readonly #options: GenerationFollowerOptions;
  #following: Promise<void> | undefined;
  #notFollowed: { readonly generation: number; readonly reason: string; readonly at: Monotonic } | undefined;

  constructor(options: GenerationFollowerOptions) {
    this.#options = options;
  }

  /** The generation that cannot be activated here, as long as that is the case (CLU-17). */
  get failed(): ConfigurationStatus['failed'] {
    const given = this.#notFollowed;
    if (given === undefined || given.generation <= this.#options.activation.inForce.snapshot.generation)
      return undefined;
    return { generation: given.generation, reason: given.reason };
  }

  async follow(): Promise<void> {
    const { generations, activation, queue } = this.#options;
    const newest = await generations.newest();
    if (newest <= activation.inForce.snapshot.generation || this.#isGivenUp(newest)) return;
    this.#following ??= queue
      .run(() => this.takeAccepted())
      .finally(() => {
        this.#following = undefined;
      });
    await this.#following;
  }

  #isGivenUp(generation: number): boolean {
    if (this.#notFollowed?.generation !== generation) return false;
    return this.#options.stopwatch.since(this.#notFollowed.at) < retryMilliseconds;
  }

  /** Activates the newest configuration in the caller's turn of the queue. */
  async takeAccepted(): Promise<void> {
    const { generations, activation, own, log, stopwatch, onActivated } = this.#options;
    const newest = await generations.newest();
    const { snapshot, texts: present } = activation.inForce;
    if (newest <= snapshot.generation) return;
    const accepted = await generations.read(newest);
    if (accepted === undefined) return;
    const declared = { settings: accepted.settingsText, users: accepted.usersText };
    const revisions = revisionsOfDeclared(declared, own);
    try {
      const texts = await asOnThisMachine(declared, own, present);
      // The same texts may name other files that changed (SPM-04).
      const isSame = texts.settings === present.settings && texts.users === present.users;
      if (isSame && !namesOtherFiles(snapshot)) {
        activation.renumber(newest, revisions);
        return;
      }
      const staged = await this.#staged(texts);
      staged.commit(newest, revisions);
    } catch (error) {
      if (!(error instanceof ConfigurationRejectedError)) throw error;
      const { message: reason } = error;
      const isKnown = this.#notFollowed?.generation === newest && this.#notFollowed.reason === reason;
      this.#notFollowed = { generation: newest, reason, at: stopwatch.read() };
      // Tried again every few seconds, and logged once.
      if (!isKnown) log.warn(`This process cannot activate a configuration that another process accepted: ${reason}`);
      return;
    }
    await onActivated();
  }

  /**
   * The file of this machine declares nothing, but its settings for this machine count. Runs in the caller's turn of
   * the queue.
   */
  async goByOwnFile(): Promise<void> {
    const { activation, own, log, onActivated } = this.#options;
    const { snapshot, texts: present } = activation.inForce;
    try {
      const texts = await asOnThisMachine(present, own, present);
      if (texts.settings === present.settings) return;
      const staged = await this.#staged(texts);
      staged.commit(snapshot.generation, snapshot.revisions);
    } catch (error) {
      if (!(error instanceof ConfigurationRejectedError)) throw error;
      log.warn(`${asSentence(error.message)} The previous configuration stays active.`);
      return;
    }
    await onActivated();
  }

  async #staged(texts: ConfigurationTexts): Promise<Staged> {
    const { activation, load } = this.#options;
    const { configuration, findings } = await runOnOwnThread('loadTexts', texts, load);
    if (configuration === undefined) throw rejection(findings, load.directory);
    return await activation.stage(configuration, texts);
  }
}
