// A fetched and validated client metadata document, cached under its address (CMD-14, CMD-15).
import type { Instant } from '#shared/base/clock.ts';
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';

const cachedDocumentsMax = 100;
const fetchesPerMinuteMax = 30;

export interface MetadataDocument {
  /** The https address, which is the client_id. */
  readonly client_id: string;
  readonly entry: ClientEntry;
  readonly fetchedAt: Instant;
  readonly freshUntil: Instant;
}

/** Whether a fetched document is cached beside `others` documents. `oldestUnheld` may be evicted (CMD-15). */
export function makeRoomForDocument(
  others: number,
  oldestUnheld: () => string | undefined,
): { readonly outcome: 'kept'; readonly evict?: string } | { readonly outcome: 'full' } {
  if (others < cachedDocumentsMax) return { outcome: 'kept' };
  const evict = oldestUnheld();
  return evict === undefined ? { outcome: 'full' } : { outcome: 'kept', evict };
}

const minuteMilliseconds = 60_000;

/** The fetches of the last minute including this one. undefined: the limit per minute is reached (CMD-10). */
export function withFetch(fetches: readonly Instant[], now: Instant): readonly Instant[] | undefined {
  const recent = fetches.filter((fetchedAt) => fetchedAt <= now && now - fetchedAt < minuteMilliseconds);
  return recent.length >= fetchesPerMinuteMax ? undefined : [...recent, now];
}
