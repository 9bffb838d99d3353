// Rows of `metadata_documents` and `metadata_fetches` as the domain sees them.
import * as z from 'zod';
import { clientEntryModel } from '#shared/configuration/model/client-entry.ts';
import type { MetadataDocument } from '#shared/domain/metadata-document.ts';
import { encoded, instantColumn } from '../json-columns.ts';

export const documentRow = z.object({
  client_id: z.string(),
  fetched_at: instantColumn,
  fresh_until: instantColumn,
  entry: encoded(clientEntryModel),
});

export const fetchesRow = z.object({ fetches: encoded(z.array(instantColumn).readonly()) });

/** What began while the clock was further on holds nothing; both live 600 s, and another request may read the clock a second later. */
const begunBy = (row: string) => `${row}.expires_at - 601000 <= @now`;

/** Somebody still needs the document `d`. */
export const isHeld = `(EXISTS (SELECT 1 FROM transactions t
     WHERE t.namespace = d.namespace AND t.client_id = d.client_id AND t.expires_at > @now AND ${begunBy('t')})
   OR EXISTS (SELECT 1 FROM codes c
     WHERE c.namespace = d.namespace AND c.client_id = d.client_id AND c.holds_document = 1 AND c.expires_at > @now
       AND ${begunBy('c')}))`;

export const documentColumns = 'client_id, fetched_at, fresh_until, entry';

export function documentOf(row: z.output<typeof documentRow>): MetadataDocument;
export function documentOf(row: z.output<typeof documentRow> | undefined): MetadataDocument | undefined;
export function documentOf(row: z.output<typeof documentRow> | undefined): MetadataDocument | undefined {
  return (
    row && {
      client_id: row.client_id,
      entry: row.entry,
      fetchedAt: row.fetched_at,
      freshUntil: row.fresh_until,
    }
  );
}
