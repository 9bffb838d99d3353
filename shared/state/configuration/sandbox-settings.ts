// A sandbox's own settings (SBX-33 to SBX-38): read with the model of the file, and merged over the active
// configuration. Each key defines whether a sandbox may set it (`sandbox` in model/configuration/field.ts).

import { X509Certificate } from 'node:crypto';
import * as z from 'zod';
import { isWholeSentence, unknownName } from '#shared/base/unknown-name.ts';
import { isMapping } from '#shared/base/untrusted-values.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { ProblemsOfFault } from '#shared/model/configuration/fault-entry.ts';
import { dotted } from '#shared/model/configuration/finding.ts';
import { profileRules } from '#shared/model/configuration/profile-rules.ts';
import { type ModelField, valueAt } from '#shared/model/configuration/read-model.ts';
import { secondsInsteadOf } from '#shared/model/configuration/settings/token-lifetimes.ts';
import { type Settings, settingsModel } from '#shared/model/configuration/settings.ts';
import { settingsFields } from '#shared/model/configuration/settings-fields.ts';
import { checkFaults, checkLifetimeUnits } from './load/cross-checks.ts';
import { validate } from './load/validate.ts';
import { type Contradiction, contradictionsOf } from './sandbox-contradictions.ts';
import { declaredServiceProviders } from './service-providers/declared-service-providers.ts';

/** Values by dotted path, as parsed by the model. */
export type OwnSettings = ReadonlyMap<string, unknown>;

type OwnSettingsReading =
  | { readonly outcome: 'read'; readonly own: OwnSettings }
  /** `message` names the key by its dotted path and never contains the value (SBX-34). */
  | { readonly outcome: 'refused'; readonly message: string };

/** `given` is nested like settings.yaml. Strings are used unchanged: `${NAME}` is no placeholder here (SBX-35). */
export function readOwnSettings(
  given: Readonly<Record<string, unknown>>,
  problemsOfFault: ProblemsOfFault,
): OwnSettingsReading {
  const paths: string[] = [];
  const problem = collectPaths(given, [], paths);
  if (problem !== undefined) return { outcome: 'refused', message: problem };
  const problems: string[] = [];
  const copy = structuredClone(given);
  const read = validate(settingsModel, copy, [], {
    fromPlaceholder: () => false,
    unknownKey: (path) => problems.push(`${dotted(path)} is unknown`),
    broken: (path, message) => problems.push(`${dotted(path)} ${message}`),
  });
  for (const finding of checkFaults(copy.faults, problemsOfFault)) {
    problems.push(isWholeSentence(finding.message) ? finding.message : `${dotted(finding.path)} ${finding.message}`);
  }
  if (read === undefined || problems.length > 0) return { outcome: 'refused', message: problems.join('; ') };
  const own = new Map(paths.map((path) => [path, valueAt(read, path)]));
  for (const finding of checkLifetimeUnits((path) => own.has(path.join('.')))) {
    return { outcome: 'refused', message: `${dotted(finding.path)} ${finding.message}` };
  }
  const unusable =
    problemOfCertificates(own.get(certificatesKey)) ??
    (own.has(serviceProvidersKey) ? problemOfServiceProviders(read.saml.service_providers) : undefined);
  return unusable === undefined ? { outcome: 'read', own } : { outcome: 'refused', message: unusable };
}

/** Collects the given keys. Returns the problem of a key that a sandbox cannot set. */
function collectPaths(given: unknown, above: readonly string[], paths: string[]): string | undefined {
  const path = above.join('.');
  const field = fieldOfPath.get(path);
  if (field?.notes.sandbox === true) {
    paths.push(path);
    return undefined;
  }
  const isSection = above.length === 0 || sections.has(path);
  if (field === undefined && !isSection && !isSettingsPath(path)) {
    const parent = path.slice(0, path.lastIndexOf('.') + 1);
    return unknownName(
      'field',
      path,
      [...fieldOfPath.keys()].filter((known) => known.startsWith(parent)),
    );
  }
  if (field !== undefined || !isSection) return `${path} cannot be set by a sandbox`;
  if (!isMapping(given)) return `${path} must be a mapping`;
  for (const [name, value] of Object.entries(given)) {
    const problem = collectPaths(value, [...above, name], paths);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const fieldOfPath: ReadonlyMap<string, ModelField> = new Map(settingsFields.map((field) => [field.path, field]));

function isSettingsPath(path: string): boolean {
  return settingsFields.some((field) => field.path === path || field.path.startsWith(`${path}.`));
}

/** The sections with keys that a sandbox can set. */
const sections: ReadonlySet<string> = new Set(
  settingsFields.flatMap(({ path, notes }) => {
    if (notes.sandbox !== true) return [];
    const names = path.split('.');
    return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
  }),
);

/**
 * The values that `readOwnSettings` accepts, as far as a model can express it: one section for each section with such
 * keys.
 */
export const ownSettingsModel: z.ZodType = ownSection([]).meta({ id: 'SandboxSettings' });

function ownSection(above: readonly string[]): z.ZodObject {
  const shape: Record<string, z.ZodType> = {};
  const depth = above.length;
  for (const { path, model, notes } of settingsFields) {
    const names = path.split('.');
    const name = names[depth];
    if (notes.sandbox !== true || name === undefined || above.some((part, index) => names[index] !== part)) continue;
    shape[name] ??= names.length === depth + 1 ? model.optional() : ownSection([...above, name]).optional();
  }
  return z.strictObject(shape);
}

const certificatesKey = 'saml.sp_certificates';

/** A sandbox contains the certificates themselves, so an invalid one is found at once. */
function problemOfCertificates(certificates: unknown): string | undefined {
  if (!Array.isArray(certificates)) return undefined;
  const index = certificates.findIndex((pem) => !isRsaCertificate(String(pem)));
  return index < 0 ? undefined : `${certificatesKey}.${index} must be the PEM text of a certificate with an RSA key`;
}

const serviceProvidersKey = 'saml.service_providers';

/** A sandbox contains the texts themselves, of metadata too (SBX-35). */
function problemOfServiceProviders(entries: Settings['saml']['service_providers']): string | undefined {
  const { notes, findings } = declaredServiceProviders(entries, undefined);
  const note = notes.find(({ level }) => level === 'error');
  if (note !== undefined) return `${serviceProvidersKey}.${note.path.join('.')} ${note.message}`;
  const finding = findings.find(({ level }) => level === 'error');
  return finding && `${serviceProvidersKey} metadata_file:${finding.line}:${finding.column} ${finding.message}`;
}

function isRsaCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).publicKey.asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** The sandbox's settings that contradict the active configuration. */
export function contradictionsIn(inForce: ConfigurationSnapshot, own: OwnSettings): readonly Contradiction[] {
  return contradictionsOf(laidOver(inForce, own));
}

function laidOver(inForce: ConfigurationSnapshot, own: OwnSettings): Settings {
  // Derived from the sandbox's own address, unless it sets them (SBX-24).
  const { entity_id: _entity, sso_url: _address, slo_url: _logout, ...saml } = inForce.settings.saml;
  const settings: Settings = { ...inForce.settings, saml };
  for (const [path, value] of own) {
    place(settings, path.split('.'), value);
    // The unit that the sandbox names counts (CLS-07).
    const seconds = secondsInsteadOf(path);
    if (seconds !== undefined) place(settings, seconds.split('.'), undefined);
  }
  return settings;
}

/** The configuration of a sandbox: `own` overrides the active configuration (SBX-36). */
export function withOwnSettings(inForce: ConfigurationSnapshot, own: OwnSettings): ConfigurationSnapshot {
  const settings = laidOver(inForce, own);
  for (const { key, byDefault } of contradictionsOf(settings)) place(settings, key.split('.'), byDefault);
  const certificates = own.get(certificatesKey);
  const rules = profileRules(settings);
  return {
    ...inForce,
    settings,
    ...(own.has(serviceProvidersKey)
      ? { serviceProviders: declaredServiceProviders(settings.saml.service_providers, undefined).declared }
      : {}),
    // Fixed since the start, for every namespace (SBX-37).
    rules: {
      ...rules,
      rateLimitEnabled: inForce.rules.rateLimitEnabled,
      defaultCorsOrigins: inForce.rules.defaultCorsOrigins,
      allowCredentialsOfEveryOrigin: inForce.rules.allowCredentialsOfEveryOrigin,
    },
    profileOverride: own.has('security_profile') ? undefined : inForce.profileOverride,
    paths: {
      ...inForce.paths,
      ...(Array.isArray(certificates) ? { spCertificates: certificates.map((pem) => ({ pem: String(pem) })) } : {}),
    },
  };
}

/** Sets a value in `root`. Its sections are copied on the way, because all namespaces share the active ones. */
function place(root: object, [key = '', ...below]: readonly string[], value: unknown): void {
  const present: unknown = Reflect.get(root, key);
  const placed = below.length === 0 ? value : { ...Object(present) };
  Reflect.set(root, key, placed);
  if (below.length > 0) place(placed, below, value);
}
