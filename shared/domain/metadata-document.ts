// A fetched and validated client metadata document, held under its address (CMD-14, CMD-15).
import type { Instant } from '#shared/clock.ts';
import type { ClientEntry } from '#shared/configuration/model/client-entry.ts';

export const cachedDocumentsMax = 100;
export const fetchesPerMinuteMax = 30;

export interface MetadataDocument {
  /** The https address, which is the client_id. */
  readonly client_id: string;
  readonly entry: ClientEntry;
  readonly fetchedAt: Instant;
  readonly freshUntil: Instant;
}
