// The configuration in force in this process and the one way in which it changes: stage everything beside the running
// one, then swap in a single synchronous stretch (ACT-11, ACT-13). It neither reads files nor knows why it is asked.

import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Logger } from '#shared/base/logger.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { storeKindOf } from '#shared/model/configuration/store-kinds.ts';
import { isSameDatabase } from '#shared/model/runtime-store/postgres-url.ts';
import type { ActivationParticipant } from './active-configuration.ts';
import { ActivationError } from './active-configuration.ts';
import { ConfiguredPlugins } from './hooks/configured-plugins.ts';
import type { FailureCounts, HookRunner } from './hooks/hook-runner.ts';
import type { PluginSet } from './hooks/load-plugins.ts';
import { stageHooks } from './hooks/stage-hooks.ts';
import { baseDirectory } from './load/base-directory.ts';
import type { LoadedConfiguration } from './load/load-configuration.ts';
import type { ConfigurationTexts } from './load/read-files.ts';

export interface InForce {
  readonly snapshot: ConfigurationSnapshot;
  readonly texts: ConfigurationTexts;
  readonly hooks: HookRunner;
}

/** A candidate to which everybody has agreed. */
export interface Staged {
  /** Puts it into force under the generation it was given. */
  commit(generation: number, revisions?: ConfigurationSnapshot['revisions']): void;
}

interface ActivationOptions {
  readonly failures: FailureCounts;
  readonly log: Logger;
  /** Aborted when no hook may run any more. */
  readonly ended: AbortSignal;
}

export class Activation {
  /** Whoever must agree before a configuration is activated. */
  readonly participants: ActivationParticipant[] = [];
  readonly failures: FailureCounts;
  readonly configured: ConfiguredPlugins;
  readonly #log: Logger;
  readonly #ended: AbortSignal;
  #inForce: InForce;
  /** Audit events that were handed to hooks of earlier configurations. */
  #delivering: Promise<unknown> = Promise.resolve();

  constructor(first: InForce, { failures, log, ended }: ActivationOptions) {
    this.#inForce = first;
    this.failures = failures;
    this.configured = new ConfiguredPlugins(first.hooks.plugins);
    this.#log = log;
    this.#ended = ended;
  }

  get inForce(): InForce {
    return this.#inForce;
  }

  /**
   * Proves that the candidate can be used, without changing anything but what its plugins were configured with: whoever
   * has staged calls `settlePlugins` in the end.
   * @throws ConfigurationRejectedError kind `activation` or `plugin_load`.
   */
  async stage(candidate: LoadedConfiguration, texts: ConfigurationTexts, present?: PluginSet): Promise<Staged> {
    const { hooks, plugins } = candidate.settings;
    requireSameStore(this.#inForce.snapshot, candidate);
    const runner = await stageHooks({
      directory: baseDirectory(candidate.directory),
      hooks,
      plugins,
      present: present ?? this.#inForce.hooks.plugins,
      configured: this.configured,
      failures: this.failures,
      log: this.#log,
      givenUp: this.#ended,
    });
    const provisional = { ...candidate, generation: this.#inForce.snapshot.generation + 1 };
    const steps: (() => void)[] = [];
    for (const participant of this.participants) steps.push(await participant.prepare(provisional));
    return {
      commit: (generation, revisions = candidate.revisions) => {
        for (const step of steps) step();
        this.#delivering = this.settled();
        this.#inForce = { snapshot: { ...candidate, generation, revisions }, texts, hooks: runner };
      },
    };
  }

  /** After a candidate came into force or was given up, of whichever configuration plugins know by then. */
  async settlePlugins(): Promise<void> {
    await this.#inForce.hooks.configureAgain(this.configured);
  }

  /** Resolves when every audit event taken in so far was delivered, to whichever hooks were in force then. */
  async settled(): Promise<void> {
    await Promise.all([this.#delivering, this.#inForce.hooks.settled()]);
  }

  /** Notes that the same configuration was accepted under another number. */
  renumber(generation: number, revisions = this.#inForce.snapshot.revisions): void {
    this.#inForce = { ...this.#inForce, snapshot: { ...this.#inForce.snapshot, generation, revisions } };
  }
}

/** The runtime store is chosen at process start (STO-01, STO-08). */
function requireSameStore(running: ConfigurationSnapshot, candidate: LoadedConfiguration): void {
  const [known, asked] = [running.settings.runtime, candidate.settings.runtime];
  const sameKind = known.store === asked.store;
  if (sameKind && storeKindOf(known).place === 'url') {
    const isSame = isSameDatabase(known.url ?? '', asked.url ?? '') && known.schema === asked.schema;
    if (isSame) return;
  } else if (sameKind) {
    const [store, other] = [running.paths.runtimeStore, candidate.paths.runtimeStore];
    if (store === other || samePlace(store, other)) return;
  }
  throw new ActivationError(
    'settings.yaml runtime names another store than the one in use; restart the service to change it',
  );
}

/** A file spelled differently, through symbolic links for instance, is no change (STO-08). */
function samePlace(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return realPlace(one) === realPlace(other);
}

function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    try {
      return join(realpathSync(dirname(path)), basename(path));
    } catch {
      return path;
    }
  }
}
