import type { Instant } from '#shared/base/clock.ts';
import type { MetadataDocument } from '#shared/model/domain/metadata-document.ts';

export interface MetadataDocuments {
  /** A document that is fresh, or that a live transaction or code still holds. */
  find(clientId: string, now: Instant): Promise<MetadataDocument | undefined>;
  /** Only one that needs no new fetch. */
  findFresh(clientId: string, now: Instant): Promise<MetadataDocument | undefined>;
  list(now: Instant): Promise<readonly MetadataDocument[]>;
  /**
   * Keeps a document, evicting the oldest fetched that no live transaction or code holds; `full` when all 100 are held
   * (CMD-15).
   */
  keep(document: MetadataDocument, now: Instant): Promise<'kept' | 'full'>;
  /**
   * Drops the document with its live codes; false when it was not cached (CMD-20). Its transactions stay: the next POST of
   * each answers that the client is gone (AUT-46), and one may belong to a declared or runtime client of that name.
   */
  forget(clientId: string, now: Instant): Promise<boolean>;
  /** Takes one of the 30 fetches a minute of real time; false when they are used up (CMD-10, TIM-18). */
  takeFetch(real: Instant): Promise<boolean>;
}
