// A look at metadata before it is registered: what is wrong with it, and the entry of settings.yaml that it makes (SPM-25).
import type { Instant } from '#shared/base/clock.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import { type DescribedServiceProvider, type MetadataFinding, readMetadata } from './read-metadata.ts';

interface MetadataCheck {
  readonly valid: boolean;
  readonly findings: MetadataFinding[];
  /** null: it makes none. */
  readonly entry: Record<string, unknown> | null;
}

/** `entityId`: which one, of metadata that describe several. */
export function checkMetadata(text: string, now: Instant, entityId?: string): MetadataCheck {
  const { findings, described } = readMetadata(text, { entityId, signers: [], now });
  const valid = !findings.some(({ level }) => level === 'error');
  return { valid, findings: [...findings], entry: described === undefined ? null : entryOf(described) };
}

/** As settings.yaml would have it: without what is absent or empty. */
function entryOf(described: DescribedServiceProvider): Record<string, unknown> {
  const { want_assertions_signed, ...members } = described;
  const entry = {
    ...members,
    ...(want_assertions_signed === true ? { sign: 'assertion' satisfies ServiceProvider['sign'] } : {}),
  };
  const isSaid = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => isSaid(value)));
}
