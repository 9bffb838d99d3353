// The active configuration of this process, and the only way to change it. A candidate is staged beside the active one,
// then both are swapped in one synchronous step (ACT-11, ACT-13). It reads no files and does not know why it is called.

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

/** A candidate that every participant has accepted. */
export interface Staged {
  /** Activates it under the given generation. */
  commit(generation: number, revisions?: ConfigurationSnapshot['revisions']): void;
}

interface ActivationOptions {
  readonly failures: FailureCounts;
  readonly log: Logger;
  /** Aborted when no further hook may run. */
  readonly ended: AbortSignal;
}

export class Activation {
  /** The participants that must accept a configuration before it is activated. */
  readonly participants: ActivationParticipant[] = [];
  readonly failures: FailureCounts;
  readonly configured: ConfiguredPlugins;
  readonly #log: Logger;
  readonly #ended: AbortSignal;
  #inForce: InForce;
  /** Audit events that were passed to hooks of earlier configurations. */
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
   * Checks that the candidate can be used. Changes only the settings of its plugins, so a caller that has staged must
   * call `settlePlugins` at the end.
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

  /**
   * Called after a candidate was activated or dropped. Configures plugins again if their last settings are not the
   * active ones.
   */
  async settlePlugins(): Promise<void> {
    await this.#inForce.hooks.configureAgain(this.configured);
  }

  /** Resolves when all audit events received so far were delivered, to the hooks that were active at the time. */
  async settled(): Promise<void> {
    await Promise.all([this.#delivering, this.#inForce.hooks.settled()]);
  }

  /** Notes that the same configuration was accepted under another generation. */
  renumber(generation: number, revisions = this.#inForce.snapshot.revisions): void {
    this.#inForce = { ...this.#inForce, snapshot: { ...this.#inForce.snapshot, generation, revisions } };
  }
}

/** The runtime store is chosen at process start (STO-01, STO-08). */
function requireSameStore(running: ConfigurationSnapshot, candidate: LoadedConfiguration): void {
  const [known, requested] = [running.settings.runtime, candidate.settings.runtime];
  const sameKind = known.store === requested.store;
  if (sameKind && storeKindOf(known).place === 'url') {
    const isSame = isSameDatabase(known.url ?? '', requested.url ?? '') && known.schema === requested.schema;
    if (isSame) return;
  } else if (sameKind) {
    const [store, other] = [running.paths.runtimeStore, candidate.paths.runtimeStore];
    if (store === other || samePlace(store, other)) return;
  }
  throw new ActivationError(
    'settings.yaml runtime names another store than the active one. Restart the service to change the store.',
  );
}

/** Another spelling of the same file, for instance through symbolic links, is no change (STO-08). */
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
