// The entries of saml.service_providers in a load, with the files that they name, and all errors in either (SPM-01 to
// SPM-07).
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Instant, systemClock } from '#shared/base/clock.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { Finding, FindingLevel, KeyPath } from '#shared/model/configuration/finding.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import {
  checkServiceProviderEntry,
  type ServiceProviderEntry,
} from '#shared/model/configuration/service-provider-entry.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { baseDirectory } from '../load/base-directory.ts';
import { type EffectiveReading, effectiveServiceProvider, type Sources } from './effective-service-provider.ts';
import { isPem } from './rsa-certificates.ts';

interface DeclaredServiceProviders {
  /** Complete if there is no error. */
  readonly declared: ReadonlyMap<string, ServiceProvider>;
  /** `path` begins at the list. */
  readonly notes: readonly { readonly level: FindingLevel; readonly path: KeyPath; readonly message: string }[];
  /** Findings about files that entries name. */
  readonly findings: readonly Finding[];
}

const referencedBytesMax = 1024 * 1024;

/** `base`: the base of relative paths; undefined: entries contain texts in place of paths. */
export function declaredServiceProviders(
  entries: readonly ServiceProviderEntry[],
  base: string | undefined,
): DeclaredServiceProviders {
  const declared = new Map<string, ServiceProvider>();
  const notes: DeclaredServiceProviders['notes'][number][] = [];
  const findings: Finding[] = [];
  const sources = sourcesAt(base, systemClock.now());
  for (const [index, entry] of entries.entries()) {
    const note = (level: FindingLevel, field: string, message: string) =>
      notes.push({ level, path: [index, ...keysOf(field)], message });
    const problem = checkServiceProviderEntry(entry);
    if (problem !== undefined) note('error', problem.field, problem.message);
    const reading = effectiveServiceProvider(entry, sources);
    for (const { level, field, message } of reading.findings) note(level, field, message);
    const otherFile = resolve(base ?? '', entry.metadata_file ?? '');
    for (const finding of reading.metadataFindings) {
      findings.push({ ...finding, file: 'settings.yaml', otherFile, path: undefined });
    }
    const provider = reading.serviceProvider;
    if (provider === undefined) continue;
    if (declared.has(provider.entity_id))
      note('error', 'entity_id', 'is already the entity_id of an earlier service provider');
    else declared.set(provider.entity_id, provider);
  }
  return { declared, notes, findings };
}

/** An entry with the files that it names, as a load of this directory would read it. */
export function loadedServiceProvider(
  entry: ServiceProviderEntry,
  { directory }: Pick<ConfigurationSnapshot, 'directory'>,
  now: Instant,
): EffectiveReading {
  return effectiveServiceProvider(entry, sourcesAt(baseDirectory(directory), now));
}

/** `base` as above. */
function sourcesAt(base: string | undefined, now: Instant): Sources {
  return { read: (path) => textOfFile(path, base), now };
}

/** The entry of settings.yaml for a service provider: each entry makes exactly one, in the same order. */
export function declaredEntry(
  { settings, serviceProviders }: Pick<ConfigurationSnapshot, 'settings' | 'serviceProviders'>,
  entityId: string,
): ServiceProviderEntry | undefined {
  if (!serviceProviders.has(entityId)) return undefined;
  return settings.saml.service_providers[[...serviceProviders.keys()].indexOf(entityId)];
}

/** Whether entries name other files too, which a reload reads again (SPM-04). */
export function namesOtherFiles({ settings }: { readonly settings: Settings }): boolean {
  return settings.saml.service_providers.some(
    ({ metadata_file, certificates = [], encryption_certificate }) =>
      metadata_file !== undefined ||
      [...certificates, encryption_certificate].some((each) => each !== undefined && !isPem(each)),
  );
}

/** `acs[0].binding` as keys. */
function keysOf(field: string): KeyPath {
  return field.split(/[.[\]]+/).flatMap((key) => (key === '' ? [] : [/^\d+$/.test(key) ? Number(key) : key]));
}

/** `base` undefined: the value is the text itself. */
function textOfFile(path: string, base: string | undefined): ReturnType<Sources['read']> {
  if (base === undefined) return { text: path };
  try {
    const absolute = resolve(base, path);
    if (statSync(absolute).size > referencedBytesMax) return { problem: 'names a file that is larger than 1 MiB' };
    return { text: readFileSync(absolute, 'utf8') };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { problem: `names a file that cannot be read (${code})` };
  }
}
