// Loads texts as a start does, for tests of single rules for the files.
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { describeFinding } from '#shared/model/configuration/finding.ts';
import { loadConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import type { LoadOptions } from '#shared/state/configuration/load/load-options.ts';

const noUsers = 'users: {}';

/** `settings` undefined or `users` null means that the file is missing. */
export function loadTexts(
  settings: string | undefined,
  users: string | null = noUsers,
  options: Partial<LoadOptions> = {},
) {
  return loadConfiguration(
    { settings, users: users ?? undefined },
    { directory: '/etc/idp', environment: {}, problemsOfFault, ...options },
  );
}

/** Returns the configuration, or throws with its findings if it does not load. */
export function accepted(...load: Parameters<typeof loadTexts>) {
  const { configuration, findings } = loadTexts(...load);
  if (configuration === undefined) throw new Error(findings.map((finding) => describeFinding(finding)).join('\n'));
  return configuration;
}

/** Every finding as one line: level, place, path and sentence. */
export function findingsOf(...load: Parameters<typeof loadTexts>): string[] {
  return loadTexts(...load).findings.map((finding) => `${finding.level}: ${describeFinding(finding)}`);
}

/** `file path` of every error, without place and sentence. */
export function refusedPaths(...load: Parameters<typeof loadTexts>): string[] {
  return loadTexts(...load)
    .findings.filter((finding) => finding.level === 'error')
    .map((finding) => `${finding.file} ${finding.path ?? ''}`.trim());
}
