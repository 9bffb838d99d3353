import type { Instant } from '#shared/base/clock.ts';
import type { MetadataDocument } from '#shared/model/domain/metadata-document.ts';

export interface MetadataDocuments {
  /** Returns a document that is fresh, or that a live transaction or code still holds. */
  find(clientId: string, now: Instant): Promise<MetadataDocument | undefined>;
  /** Returns the document only if it needs no new fetch. */
  findFresh(clientId: string, now: Instant): Promise<MetadataDocument | undefined>;
  list(now: Instant): Promise<readonly MetadataDocument[]>;
  /**
   * Stores a document and evicts the oldest fetched one that no live transaction or code holds. `full` when all 100 are
   * held (CMD-15).
   */
  save(document: MetadataDocument, now: Instant): Promise<'kept' | 'full'>;
  /**
   * Deletes the document with its live codes. False when it was not cached (CMD-20). Its transactions stay: the next
   * POST of each reports that the client was deleted (AUT-46). A transaction may also belong to a declared or runtime
   * client of that name.
   */
  remove(clientId: string, now: Instant): Promise<boolean>;
  /** Takes one of the 30 fetches per minute of real time. False when they are used up (CMD-10, TIM-18). */
  admitFetch(real: Instant): Promise<boolean>;
}
