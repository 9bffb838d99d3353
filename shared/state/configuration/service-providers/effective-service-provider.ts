// A registered service provider as every flow uses it: the entry's values first, then its metadata's, then the defaults
// (SPM-04, SPM-05), with certificates read once (SPM-03).
import type { Instant } from '#shared/base/clock.ts';
import type { FindingLevel } from '#shared/model/configuration/finding.ts';
import { merged, type ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import { type MetadataFinding, readMetadata } from './read-metadata.ts';
import { isPem, readCertificates } from './rsa-certificates.ts';

/** A finding about the entry: `field` is its dotted path below the entry. */
interface EntryFinding {
  readonly level: FindingLevel;
  readonly field: string;
  readonly message: string;
}

export interface Sources {
  /**
   * The text of a file that the entry names. `problem` says why none exists, and continues after the field's name.
   */
  readonly read: (path: string) => { readonly text: string } | { readonly problem: string };
  readonly now: Instant;
}

interface Metadata {
  readonly text: string;
}

export interface EffectiveReading {
  readonly findings: readonly EntryFinding[];
  readonly metadataFindings: readonly MetadataFinding[];
  /** undefined with a finding of level `error`. */
  readonly serviceProvider: ServiceProvider | undefined;
}

/** `metadata`: its text, if it is not read from the file that the entry names. */
export function effectiveServiceProvider(
  entry: ServiceProviderEntry,
  sources: Sources,
  metadata?: Metadata,
): EffectiveReading {
  const findings: EntryFinding[] = [];
  const note = (level: FindingLevel, field: string, message: string) => findings.push({ level, field, message });

  const certificates = entry.certificates?.flatMap((text, index) =>
    certificatesOf(text, `certificates[${index}]`, sources, note),
  );
  const ownEncryptionCertificate =
    entry.encryption_certificate === undefined
      ? undefined
      : certificatesOf(entry.encryption_certificate, 'encryption_certificate', sources, note)[0];

  const file = metadata ?? fileOf(entry, sources, note);
  const reading =
    file && readMetadata(file.text, { entityId: entry.entity_id, signers: certificates ?? [], now: sources.now });
  const described = reading?.described;
  const entityId = entry.entity_id ?? described?.entity_id;
  const failedMetadata = file !== undefined && described === undefined;
  if (entityId === undefined && !failedMetadata && !hasError(findings)) {
    note('error', 'entity_id', 'is missing. Write it, or name a metadata_file');
  }
  if (described !== undefined && entityId !== described.entity_id) {
    note('warning', 'entity_id', 'differs from the entityID in its metadata');
  }

  const serviceProvider = entityId === undefined ? undefined : merged(entityId, entry, described, certificates);
  const ready = serviceProvider && {
    ...serviceProvider,
    encryption_certificate: ownEncryptionCertificate ?? described?.encryption_certificate,
  };
  if (ready !== undefined && !failedMetadata) checkWhole(ready, entry, note);
  const failed = hasError(findings) || reading?.findings.some(({ level }) => level === 'error') === true;
  return {
    findings,
    metadataFindings: reading?.findings ?? [],
    serviceProvider: failed ? undefined : ready,
  };
}

type Note = (level: FindingLevel, field: string, message: string) => void;

function hasError(findings: readonly EntryFinding[]): boolean {
  return findings.some(({ level }) => level === 'error');
}

function certificatesOf(text: string, field: string, sources: Sources, note: Note): readonly string[] {
  const read = isPem(text) ? { text } : sources.read(text);
  if ('problem' in read) {
    note('error', field, read.problem);
    return [];
  }
  const reading = readCertificates(read.text, sources.now);
  if (reading.outcome === 'refused') {
    note('error', field, reading.message);
    return [];
  }
  if (reading.expired) note('warning', field, 'has expired. The server still uses it');
  return reading.certificates;
}

function fileOf(entry: ServiceProviderEntry, sources: Sources, note: Note): Metadata | undefined {
  if (entry.metadata_file === undefined) return undefined;
  const read = sources.read(entry.metadata_file);
  if ('text' in read) return read;
  note('error', 'metadata_file', read.problem);
  return undefined;
}

function checkWhole(provider: ServiceProvider, entry: ServiceProviderEntry, note: Note): void {
  for (const [index, { binding }] of (entry.acs ?? []).entries()) {
    if (binding !== undefined && binding !== 'HTTP-POST') {
      note('warning', `acs[${index}].binding`, 'has no effect, because responses are always posted');
    }
  }
  if (provider.encrypt.length > 0 && provider.encryption_certificate === undefined) {
    note(
      'error',
      'encrypt',
      `of ${JSON.stringify(provider.entity_id)} requires an encryption_certificate in the entry or in its metadata`,
    );
  }
  if (provider.audiences.length > 0 && !provider.audiences.includes(provider.entity_id)) {
    note('warning', 'audiences', 'does not contain its entity_id, so it may reject its assertions');
  }
  const { content, key } = provider.encryption;
  const weak = [...(content.endsWith('-cbc') ? [content] : []), ...(key === 'rsa-1_5' ? [key] : [])];
  for (const name of weak) {
    note('warning', 'encryption', `names ${name}, which is vulnerable to padding oracles. Use it only to test that`);
  }
  if (provider.want_signed_requests && provider.certificates.length === 0) {
    note('warning', 'want_signed_requests', 'is on, but no certificate is known, so every request is rejected');
  }
}
