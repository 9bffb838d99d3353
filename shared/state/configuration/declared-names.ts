// The names that are declared, or would be if the files or the newest generation were activated. No runtime object can
// be created with one of them (RUN-06).

import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { ConfigurationGenerations } from '#shared/state/store/ports/index.ts';
import type { Activation } from './activation.ts';
import { ActivationError, ConfigurationUnavailableError, type DeclaredNames } from './active-configuration.ts';
import { rejection } from './load/load-directory.ts';
import type { LoadOptions } from './load/load-options.ts';
import { type ConfigurationFiles, contentKey, contentKeyOf, keepingVanished } from './load/read-files.ts';
import { newestGenerationTexts } from './newest-generation.ts';
import { runOnOwnThread } from './own-thread/run-on-own-thread.ts';

interface DeclaredNamesParts {
  readonly activation: Pick<Activation, 'inForce'>;
  readonly load: LoadOptions;
}

export function namesInForce({ activation }: DeclaredNamesParts): DeclaredNames {
  return { ...namesOf(activation.inForce.snapshot), inForce: true };
}

/** @throws ConfigurationRejectedError when they do not load, its ActivationError when a file cannot be read */
export async function namesInFiles(files: ConfigurationFiles, parts: DeclaredNamesParts): Promise<DeclaredNames> {
  const { activation, load } = parts;
  const { texts } = activation.inForce;
  if (contentKey(files) === contentKeyOf(texts)) return namesInForce(parts);
  const { configuration, findings, mayPass } = await runOnOwnThread('loadFiles', keepingVanished(files, texts), load);
  if (configuration !== undefined) return { ...namesOf(configuration), inForce: false };
  const rejected = rejection(findings, load.directory);
  throw mayPass ? new ActivationError(rejected.message) : rejected;
}

/**
 * For machines that share the store: the names of the newest generation (CLU-12, CLU-22).
 * @throws ConfigurationUnavailableError when it cannot be read, ActivationError when it cannot be loaded here
 */
export async function namesInNewest(
  generations: ConfigurationGenerations,
  parts: DeclaredNamesParts,
): Promise<DeclaredNames> {
  const { activation, load } = parts;
  const newest = await newestGenerationTexts(generations);
  if (newest === undefined) throw new ConfigurationUnavailableError('freshness_in_progress');
  if (newest.generation <= activation.inForce.snapshot.generation) return namesInForce(parts);
  const { configuration, findings } = await runOnOwnThread('loadTexts', newest.texts, load);
  if (configuration !== undefined) return { ...namesOf(configuration), inForce: false };
  throw new ActivationError(rejection(findings, load.directory).message);
}

type Names = Omit<DeclaredNames, 'inForce'>;
type Named = Pick<ConfigurationSnapshot, 'users' | 'clients' | 'serviceProviders'>;

const namesKnown = new WeakMap<Named, Names>();

/** Computed once for each configuration, because every creation of a runtime object needs it. */
export function namesOf(configuration: Named): Names {
  const known = namesKnown.get(configuration);
  if (known !== undefined) return known;
  const names = {
    users: new Set(configuration.users.keys()),
    clients: new Set(configuration.clients.keys()),
    serviceProviders: new Set(configuration.serviceProviders.keys()),
  };
  namesKnown.set(configuration, names);
  return names;
}
