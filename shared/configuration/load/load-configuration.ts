// Two texts become a configuration, or a list of everything that is wrong with them. Pure but for the environment it is
// given: it reads no file, runs no hook and changes nothing (CFG-06, WRT-08, CLI-13).
import { resolve } from 'node:path';
import { nearestName } from '#shared/nearest-name.ts';
import type { ConfigurationSnapshot } from '../configuration-snapshot.ts';
import { type ConfigurationFileName, dotted, type Finding, type FindingLevel, type KeyPath } from '../finding.ts';
import { clientEntryModel, clientFromEntry } from '../model/client-entry.ts';
import { problemOfManagementSecret } from '../model/formats.ts';
import { keyAliases } from '../model/projections/yaml.ts';
import { serviceProviderEntryModel } from '../model/service-provider-entry.ts';
import type { TlsInForce } from '../model/settings/tls.ts';
import { type SecurityProfile, type Settings, settingsModel } from '../model/settings.ts';
import { settingsFields } from '../model/settings-fields.ts';
import {
  checkUserEntry,
  doubtfulKeys,
  gatherAttributes,
  type User,
  userEntryModel,
  userFromEntry,
} from '../model/user-entry.ts';
import { usersFileHeadModel } from '../model/users-file.ts';
import { profileRules } from '../profile-rules.ts';
import { declaredServiceProviders } from '../service-providers/declared-service-providers.ts';
import { baseDirectory } from './base-directory.ts';
import { builtInSettingsText, builtInUsersText, embeddedSettingsText, embeddedUsersText } from './built-in-defaults.ts';
import { checkNames, checkSettings } from './cross-checks.ts';
import { keysAt, nodeAt, offsetOf, writtenWithPlaceholder } from './document-paths.ts';
import type { Environment } from './placeholders.ts';
import { type ConfigurationTexts, revisionOf, revisionOfNothing } from './read-files.ts';
import { isMapping, validate } from './validate.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

export interface LoadOptions {
  /** Absolute path of the configuration directory; undefined: the embedded configuration (PKG-13). */
  readonly directory: string | undefined;
  /** Without a directory: the texts that stand in for the embedded configuration (API-03). */
  readonly given?: { readonly settings: string; readonly users: string } | undefined;
  /** Where keys are kept whatever the settings say, as an absolute path; without a directory undefined: in memory. */
  readonly keysDirectory?: string | undefined;
  readonly environment: Environment;
  /** `--strict-config`, `--strict`: decides instead of the file. */
  readonly strictOverride?: boolean | undefined;
  /** `--profile`. */
  readonly profileOverride?: SecurityProfile | undefined;
  /** `--tls`, or what a running process began with, decides instead of `server.tls` (TLS-01). */
  readonly tlsInForce?: TlsInForce | undefined;
}

/** A configuration that has no generation yet. */
export type LoadedConfiguration = Omit<ConfigurationSnapshot, 'generation'>;

export interface LoadResult {
  readonly findings: readonly Finding[];
  /** Whether unknown keys were refused. */
  readonly strict: boolean;
  /** What the file itself asks for. */
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

/** In the order of the file, as a person works through it. */
function byPlace(one: Finding, other: Finding): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}

const findingsMax = 200;

/** One file while it is read: collects findings and knows where its keys stand. */
class LoadedFile {
  readonly findings: Finding[] = [];
  readonly value: unknown;
  strict = false;
  readonly #name: ConfigurationFileName;
  readonly #source: YamlSource;
  readonly #refused = new Set<string>();
  /** Canonical path → path in the file, for keys that were written under their alias. */
  readonly #writtenAs = new Map<string, KeyPath>();

  constructor(name: ConfigurationFileName, text: string | undefined, whenMissing: string, environment: Environment) {
    this.#name = name;
    this.#source = readYaml(text ?? whenMissing, environment);
    if (text === undefined) {
      const message = 'is missing; built-in defaults apply';
      this.findings.push({
        level: 'warning',
        file: name,
        path: undefined,
        line: undefined,
        column: undefined,
        message,
        missingFile: true,
      });
    }
    for (const problem of this.#source.problems) {
      this.#add('error', problem.path, problem.offset, problem.message);
    }
    // A file without any content is an empty mapping.
    this.value = this.#source.problems.length > 0 ? undefined : (this.#source.value ?? Object.create(null));
    if (this.value !== undefined && !isMapping(this.value)) {
      this.#add('error', undefined, 0, 'must be a mapping, with one `key: value` on each line');
    }
  }

  /** Its top-level mapping; undefined when the file is no YAML mapping, which was reported. */
  mapping(): Record<string, unknown> | undefined {
    return isMapping(this.value) ? this.value : undefined;
  }

  asksForStrict(): boolean {
    return this.mapping()?.config_validation === 'strict';
  }

  note(level: FindingLevel, path: KeyPath, message: string): void {
    // Finding a place costs a walk through the file; a file full of faults is told by its first ones.
    if (this.findings.length >= findingsMax && (level !== 'error' || this.#refused.size > 0)) return;
    const written = this.#inFile(path);
    // One key, one error: a value that is wrong in two ways is told once.
    if (level === 'error' && this.#refused.has(dotted(written))) return;
    if (level === 'error') this.#refused.add(dotted(written));
    const name = this.#nameOfClient(written) + this.#nameOfServiceProvider(written);
    this.#add(level, dotted(written) + name, offsetOf(this.#source.document, written), message);
  }

  renamed(canonical: KeyPath, alias: KeyPath): void {
    this.#writtenAs.set(dotted(canonical), alias);
  }

  isWritten(path: KeyPath): boolean {
    return nodeAt(this.#source.document, this.#inFile(path)) !== undefined;
  }

  /** The keys of a mapping in the order of the file: JavaScript puts names like 1001 before all others. */
  keysOf(path: KeyPath): readonly string[] | undefined {
    return keysAt(this.#source.document, path);
  }

  readonly handlers = {
    fromPlaceholder: (path: KeyPath) => writtenWithPlaceholder(this.#source.document, this.#inFile(path)),
    unknownKey: (path: KeyPath) =>
      this.strict
        ? this.note('error', path, `is an unknown key; remove it or correct its spelling${didYouMean(path)}`)
        : this.note('warning', path, `is an unknown key and is ignored${didYouMean(path)}`),
    otherForm: (path: KeyPath, canonical: string) =>
      this.note('info', path, `is read, but other programs may read it otherwise: write ${canonical}, without quotes`),
    broken: (path: KeyPath, message: string) => this.note('error', path, message),
  };

  #inFile(path: KeyPath): KeyPath {
    const alias = typeof path[0] === 'string' ? this.#writtenAs.get(path[0]) : undefined;
    return alias === undefined ? path : [...alias, ...path.slice(1)];
  }

  /** An index alone tells people little: the client is named beside it (CFG-43). */
  #nameOfClient(path: KeyPath): string {
    if (path[0] !== 'oauth' || path[1] !== 'clients' || path.length < 4) return '';
    const { oauth } = this.mapping() ?? {};
    const clients = isMapping(oauth) ? oauth.clients : undefined;
    const client: unknown = Array.isArray(clients) && typeof path[2] === 'number' ? clients[path[2]] : undefined;
    const name = isMapping(client) ? client.client_id : undefined;
    return typeof name === 'string' && name !== '' ? ` (client ${JSON.stringify(name)})` : '';
  }

  #nameOfServiceProvider(path: KeyPath): string {
    if (path[0] !== 'saml' || path[1] !== 'service_providers' || path.length < 4) return '';
    const { saml } = this.mapping() ?? {};
    const entries = isMapping(saml) ? saml.service_providers : undefined;
    const entry: unknown = Array.isArray(entries) && typeof path[2] === 'number' ? entries[path[2]] : undefined;
    const name = isMapping(entry) ? entry.entity_id : undefined;
    return typeof name === 'string' && name !== '' ? ` (service provider ${JSON.stringify(name)})` : '';
  }

  #add(level: FindingLevel, path: string | undefined, offset: number | undefined, message: string): void {
    const place = offset === undefined ? undefined : this.#source.placeOf(offset);
    this.findings.push({ level, file: this.#name, path, line: place?.line, column: place?.column, message });
  }
}

/** What stands in the same mapping of the model and is spelt nearly so. */
function didYouMean(path: KeyPath): string {
  const parent = path.slice(0, -1).map((part) => (typeof part === 'number' ? '' : part));
  const entries = entryModels.get(parent.slice(0, 2).join('.'));
  const near = nearestName(String(path.at(-1)), entries === undefined ? keysBelow(parent) : Object.keys(entries.shape));
  return near === undefined ? '' : `; did you mean ${near}?`;
}

const entryModels: ReadonlyMap<string, { readonly shape: object }> = new Map<string, { readonly shape: object }>([
  ['oauth.clients', clientEntryModel],
  ['saml.service_providers', serviceProviderEntryModel],
]);

function keysBelow(parent: readonly string[]): ReadonlySet<string> {
  const fields = settingsFields.map((field) => field.path.split('.'));
  const inside = fields.filter((parts) => parent.every((part, index) => parts[index] === part));
  return new Set(inside.flatMap((parts) => parts[parent.length] ?? []));
}

function readSettings(file: LoadedFile, options: LoadOptions): Settings | undefined {
  const mapping = file.mapping();
  if (mapping === undefined) return undefined;
  for (const [canonical, alias] of keyAliases) takeAlias(file, mapping, canonical, alias);
  for (const key of ['config_version', 'config_validation']) {
    if (file.handlers.fromPlaceholder([key])) file.note('error', [key], 'must be written out, not as a placeholder');
  }
  const settings = validate(settingsModel, mapping, [], file.handlers);
  if (settings === undefined) return undefined;
  const effective = withOverrides(settings, options, file);
  for (const finding of checkSettings(effective, baseDirectory(options.directory))) {
    file.note(finding.level, finding.path, finding.message);
  }
  return effective;
}

/** What wins over the file, and what follows from it: with TLS the issuer that nobody declared is `https` (TLS-08). */
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
    file.note('error', alias, `is another spelling of ${name}, which is there, too; remove one of them`);
  } else {
    mapping[name] = container[key];
    file.renamed(canonical, alias);
  }
  delete container[key];
}

function readUsers(file: LoadedFile): ReadonlyMap<string, User> {
  const users = new Map<string, User>();
  const mapping = file.mapping();
  if (mapping === undefined) return users;
  const { users: entries = Object.create(null), ...head } = mapping;
  if (file.handlers.fromPlaceholder(['config_version'])) {
    file.note('error', ['config_version'], 'must be written out, not as a placeholder');
  }
  if ('default_user' in head) file.note('info', ['default_user'], 'is deprecated and has no effect; remove it');
  validate(usersFileHeadModel, head, [], file.handlers);
  if (!isMapping(entries)) {
    file.note('error', ['users'], 'must be a mapping of user names to users; {} for none');
    return users;
  }
  for (const name of file.keysOf(['users']) ?? Object.keys(entries)) {
    const value = entries[name];
    const path = ['users', name];
    if (name === '') {
      file.note('error', path, 'must have at least 1 character');
      continue;
    }
    for (const { key, level, message } of doubtfulKeys(value)) {
      file.note(level, [...path, key], message);
    }
    const entry = validate(userEntryModel, gatherAttributes(value), path, file.handlers);
    if (entry === undefined) continue;
    const problem = checkUserEntry(entry);
    if (problem !== undefined) file.note('error', [...path, problem.field], problem.message);
    users.set(name, userFromEntry(name, entry));
  }
  return users;
}

/** Answers the findings about other files too: those about the entries are noted where they stand. */
function readServiceProviders(settings: Settings, file: LoadedFile, { directory }: LoadOptions) {
  const read = declaredServiceProviders(settings.saml.service_providers, baseDirectory(directory));
  for (const { level, path, message } of read.notes) file.note(level, ['saml', 'service_providers', ...path], message);
  return read;
}

/** The file's key when it is there, else the environment's, else none (CFG-51). */
function managementSecret(settings: Settings, file: LoadedFile, environment: Environment): string | undefined {
  if (file.isWritten(['management_secret'])) return settings.management_secret || undefined;
  const fromEnvironment = environment.IDP_MANAGEMENT_SECRET;
  const problem = problemOfManagementSecret(fromEnvironment ?? '');
  if (problem !== undefined) file.note('error', ['management_secret'], `(from IDP_MANAGEMENT_SECRET) ${problem}`);
  return fromEnvironment || undefined;
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
    spCertificates: settings.saml.sp_certificates.map(absolute),
    externalPrivateKey: optional(external?.private_key),
    externalPublicKey: optional(external?.public_key),
  };
}
