// Checks metadata before it is registered: its errors, and the resulting entry of settings.yaml (SPM-25).
import type { Instant } from '#shared/base/clock.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import { type DescribedServiceProvider, type MetadataFinding, readMetadata } from './read-metadata.ts';

interface MetadataCheck {
  readonly valid: boolean;
  readonly findings: MetadataFinding[];
  /** null: no entry results. */
  readonly entry: Record<string, unknown> | null;
}

/** `entityId`: selects one of several described service providers. */
export function checkMetadata(text: string, now: Instant, entityId?: string): MetadataCheck {
  const { findings, described } = readMetadata(text, { entityId, signers: [], now });
  const valid = !findings.some(({ level }) => level === 'error');
  return { valid, findings: [...findings], entry: described === undefined ? null : entryOf(described) };
}

/** In the form of settings.yaml: without absent and empty values. */
function entryOf(described: DescribedServiceProvider): Record<string, unknown> {
  // Both signatures meet WantAssertionsSigned, and libraries that want a signed Response, too (SRE-02).
  const { want_assertions_signed, ...members } = described;
  const entry = {
    ...members,
    ...(want_assertions_signed === true ? { sign: 'both' satisfies ServiceProviderEntry['sign'] } : {}),
  };
  const isSaid = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => isSaid(value)));
}
