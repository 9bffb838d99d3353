// Turns two texts into a configuration, or into a list of all their errors. Pure except for the given environment: it
// reads no file, runs no hook and changes nothing (CFG-06, WRT-08, CLI-13).
import { resolve } from 'node:path';
import { clientFromEntry } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { Finding } from '#shared/model/configuration/finding.ts';
import { profileRules } from '#shared/model/configuration/profile-rules.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { declaredServiceProviders } from '../service-providers/declared-service-providers.ts';
import { isPem } from '../service-providers/rsa-certificates.ts';
import { baseDirectory } from './base-directory.ts';
import { builtInSettingsText, builtInUsersText, embeddedSettingsText, embeddedUsersText } from './built-in-defaults.ts';
import { checkAutomaticUser, checkHashes, checkNames } from './cross-checks.ts';
import type { LoadOptions } from './load-options.ts';
import { LoadedFile } from './loaded-file.ts';
import { type ConfigurationTexts, revisionOf, revisionOfNothing } from './read-files.ts';
import { managementSecret, readSettings } from './read-settings.ts';
import { readUsers } from './read-users.ts';
import { sharedDigest } from './shared-meaning.ts';

/** A configuration that has no generation yet. */
export type LoadedConfiguration = Omit<ConfigurationSnapshot, 'generation'>;

export interface LoadResult {
  readonly findings: readonly Finding[];
  /** Whether unknown keys were rejected. */
  readonly strict: boolean;
  /** The mode that the file sets. */
  readonly declaredValidation: 'strict' | 'default';
  /** undefined when there is a finding of level `error`. */
  readonly configuration: LoadedConfiguration | undefined;
}

export function loadConfiguration(texts: ConfigurationTexts, options: LoadOptions): LoadResult {
  const embedded = options.directory === undefined;
  const text = embedded
    ? {
        settings: texts.settings ?? options.given?.settings ?? embeddedSettingsText,
        users: texts.users ?? options.given?.users ?? embeddedUsersText,
      }
    : texts;
  const settingsFile = new LoadedFile('settings.yaml', text.settings, builtInSettingsText, options.environment);
  const usersFile = new LoadedFile('users.yaml', text.users, builtInUsersText, options.environment);
  const declaredValidation = settingsFile.asksForStrict() ? 'strict' : 'default';
  const strict = options.strictOverride ?? declaredValidation === 'strict';
  settingsFile.strict = strict;
  usersFile.strict = strict;

  const settings = readSettings(settingsFile, options);
  const users = readUsers(usersFile);
  const clients = new Map((settings?.oauth.clients ?? []).map((entry) => [entry.client_id, clientFromEntry(entry)]));
  const serviceProviders = settings === undefined ? undefined : readServiceProviders(settings, settingsFile, options);
  for (const finding of checkNames(users.keys(), new Set(clients.keys()))) {
    usersFile.note(finding.level, finding.path, finding.message);
  }
  if (settings !== undefined) {
    for (const finding of checkAutomaticUser(settings, new Set(users.keys()))) {
      settingsFile.note(finding.level, finding.path, finding.message);
    }
    for (const finding of checkHashes(settings, users.values())) {
      usersFile.note(finding.level, finding.path, finding.message);
    }
  }
  const secret = settings === undefined ? undefined : managementSecret(settings, settingsFile, options.environment);

  const findings = [
    ...settingsFile.findings.sort(byPlace),
    ...usersFile.findings.sort(byPlace),
    ...(serviceProviders?.findings ?? []),
  ];
  if (
    settings === undefined ||
    serviceProviders === undefined ||
    findings.some((finding) => finding.level === 'error')
  ) {
    return { findings, strict, declaredValidation, configuration: undefined };
  }
  const effective = { ...settings, ...(strict ? { config_validation: 'strict' as const } : {}) };
  return {
    findings,
    strict,
    declaredValidation,
    configuration: {
      directory: options.directory,
      revisions: {
        settings: texts.settings === undefined ? revisionOfNothing : revisionOf(texts.settings),
        users: texts.users === undefined ? revisionOfNothing : revisionOf(texts.users),
      },
      sharedDigest: sharedDigest({ ...text, users: texts.users }, settingsFile.document),
      settings: effective,
      rules: profileRules(effective),
      users,
      clients,
      serviceProviders: serviceProviders.declared,
      managementSecret: secret,
      declaredHost: settingsFile.isWritten(['server', 'host']) ? effective.server.host : undefined,
      profileOverride: options.profileOverride,
      paths: absolutePaths(effective, options),
    },
  };
}

/** In the order of the file, in which a person corrects it. */
function byPlace(one: Finding, other: Finding): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}

/** Returns the findings about other files too. Findings about the entries are noted at their position. */
function readServiceProviders(settings: Settings, file: LoadedFile, { directory }: LoadOptions) {
  const read = declaredServiceProviders(settings.saml.service_providers, baseDirectory(directory));
  for (const { level, path, message } of read.notes) file.note(level, ['saml', 'service_providers', ...path], message);
  return read;
}

function absolutePaths(settings: Settings, { directory, keysDirectory }: LoadOptions): ConfigurationSnapshot['paths'] {
  const absolute = (path: string) => resolve(baseDirectory(directory), path);
  const optional = (path: string | undefined) => (path === undefined ? undefined : absolute(path));
  const { external_keys: external } = settings.jwt;
  const { tls } = settings.server;
  return {
    keysDirectory: keysDirectory ?? (directory === undefined ? undefined : absolute(settings.jwt.keys_dir)),
    runtimeStore: optional(settings.runtime.path),
    tlsFiles:
      typeof tls === 'object' ? { cert: absolute(tls.cert), key: absolute(tls.key), ca: optional(tls.ca) } : undefined,
    logosDirectory: optional(settings.oauth.logos_dir),
    spCertificates: settings.saml.sp_certificates.map((each) => (isPem(each) ? { pem: each } : absolute(each))),
    externalPrivateKey: optional(external?.private_key),
    externalPublicKey: optional(external?.public_key),
  };
}
