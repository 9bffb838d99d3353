// Snapshots for unit tests, loaded from YAML values by the real loader.
import { stringify } from 'yaml';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { loadConfiguration } from '#shared/state/configuration/load/load-configuration.ts';

export interface SnapshotContent {
  readonly settings?: object;
  readonly users?: object;
  /** The path of the configuration directory. Nothing is read from it. */
  readonly directory?: string;
}

/** The snapshot of files with this content. Missing files mean the built-in defaults. */
export function snapshotOf({
  settings,
  users,
  directory = '/test-idp/config',
}: SnapshotContent): ConfigurationSnapshot {
  const texts = {
    settings: settings === undefined ? undefined : stringify(settings),
    users: users === undefined ? undefined : stringify({ users }),
  };
  const { configuration, findings } = loadConfiguration(texts, { directory, environment: {}, problemsOfFault });
  if (configuration === undefined) throw new Error(findings.map((finding) => finding.message).join('\n'));
  return { ...configuration, generation: 1 };
}
