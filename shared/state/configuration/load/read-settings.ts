// From the content of settings.yaml to the effective settings: second spellings, the model, overrides.

import { isMapping } from '#shared/base/untrusted-values.ts';
import type { KeyPath } from '#shared/model/configuration/finding.ts';
import { keyAliases } from '#shared/model/configuration/projections/yaml.ts';
import { type Settings, settingsModel } from '#shared/model/configuration/settings.ts';
import { problemOfManagementSecret } from '#shared/model/configuration/text-formats.ts';
import { baseDirectory } from './base-directory.ts';
import { checkFaults, checkKeysDirectory, checkLifetimeUnits, checkSettings } from './cross-checks.ts';
import type { LoadOptions } from './load-options.ts';
import type { LoadedFile } from './loaded-file.ts';
import type { Environment } from './placeholders.ts';
import { validate } from './validate.ts';

export function readSettings(file: LoadedFile, options: LoadOptions): Settings | undefined {
  const mapping = file.mapping();
  if (mapping === undefined) return undefined;
  for (const [canonical, alias] of keyAliases) takeAlias(file, mapping, canonical, alias);
  for (const key of ['config_version', 'config_validation']) {
    if (file.handlers.fromPlaceholder([key])) file.note('error', [key], 'must be a literal value, not a placeholder');
  }
  const settings = validate(settingsModel, mapping, [], file.handlers);
  for (const finding of checkFaults(mapping.faults, options.problemsOfFault)) {
    file.note(finding.level, finding.path, finding.message);
  }
  if (settings === undefined) return undefined;
  const effective = withOverrides(settings, options, file);
  const isWritten = (path: KeyPath) => file.isWritten(path);
  for (const finding of [
    ...checkSettings(effective, baseDirectory(options.directory)),
    ...checkKeysDirectory(effective, isWritten),
    ...checkLifetimeUnits(isWritten),
  ]) {
    file.note(finding.level, finding.path, finding.message);
  }
  return effective;
}

/** The overrides of the file, and their consequences: with TLS an undeclared issuer is `https` (TLS-08). */
function withOverrides(
  settings: Settings,
  { profileOverride = settings.security_profile, tlsInForce = settings.server.tls }: LoadOptions,
  file: LoadedFile,
): Settings {
  const tls = tlsInForce === 'off' ? undefined : tlsInForce;
  const { oauth } = settings;
  const issuer =
    tls === undefined || file.isWritten(['oauth', 'issuer']) ? oauth.issuer : oauth.issuer.replace(/^http:/, 'https:');
  return {
    ...settings,
    security_profile: profileOverride,
    server: { ...settings.server, tls },
    oauth: { ...oauth, issuer },
  };
}

/** Moves a key from its second spelling to its canonical one; both at once are an error (CFG-33). */
function takeAlias(
  file: LoadedFile,
  mapping: Record<string, unknown>,
  canonical: readonly string[],
  alias: readonly string[],
): void {
  const [name = ''] = canonical;
  const container = alias.length === 1 ? mapping : mapping[alias[0] ?? ''];
  const key = alias.at(-1) ?? '';
  if (!isMapping(container) || !Object.hasOwn(container, key)) return;
  if (Object.hasOwn(mapping, name)) {
    file.note('error', alias, `is another spelling of ${name}, which the file also has. Remove one of them`);
  } else {
    mapping[name] = container[key];
    file.renamed(canonical, alias);
  }
  delete container[key];
}

/** The file's key if it exists, else the environment's, else none (CFG-51). */
export function managementSecret(settings: Settings, file: LoadedFile, environment: Environment): string | undefined {
  if (file.isWritten(['management_secret'])) return settings.management_secret || undefined;
  const fromEnvironment = environment.IDP_MANAGEMENT_SECRET;
  const problem = problemOfManagementSecret(fromEnvironment ?? '');
  if (problem !== undefined) file.note('error', ['management_secret'], `(from IDP_MANAGEMENT_SECRET) ${problem}`);
  return fromEnvironment || undefined;
}
