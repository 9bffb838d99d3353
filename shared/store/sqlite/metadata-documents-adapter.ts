// Cached client metadata documents in SQLite. A document is held by every live transaction of its client_id and by
// every code that was issued for it and whose time is not over (CMD-15, CMD-16).
import * as z from 'zod';
import { clientEntryModel } from '#shared/configuration/model/client-entry.ts';
import { cachedDocumentsMax, fetchesPerMinuteMax, type MetadataDocument } from '#shared/domain/metadata-document.ts';
import type { MetadataDocuments } from '../ports/metadata-documents.ts';
import type { NamespaceContext } from './namespace.ts';
import { countRow, encoded, instantColumn } from './records.ts';

const clientRow = z.object({ client_id: z.string() });
const documentRow = z.object({
  client_id: z.string(),
  fetched_at: instantColumn,
  fresh_until: instantColumn,
  entry: encoded(clientEntryModel),
});

const minuteMilliseconds = 60_000;

/** Somebody still needs the document `d`. */
const held = `(EXISTS (SELECT 1 FROM transactions t
     WHERE t.namespace = d.namespace AND t.client_id = d.client_id AND t.expires_at > @now)
   OR EXISTS (SELECT 1 FROM codes c
     WHERE c.namespace = d.namespace AND c.client_id = d.client_id AND c.holds_document = 1 AND c.expires_at > @now))`;

export function metadataDocumentsAdapter({ database, ns }: NamespaceContext): MetadataDocuments {
  const columns = 'client_id, fetched_at, fresh_until, entry';
  const find = database.query(
    `SELECT ${columns} FROM metadata_documents d
     WHERE namespace = @ns AND client_id = @client_id AND (fresh_until > @now OR ${held})`,
    documentRow,
  );
  const findFresh = database.query(
    `SELECT ${columns} FROM metadata_documents
     WHERE namespace = @ns AND client_id = @client_id AND fresh_until > @now`,
    documentRow,
  );
  const list = database.query(
    `SELECT ${columns} FROM metadata_documents d
     WHERE namespace = @ns AND (fresh_until > @now OR ${held}) ORDER BY client_id`,
    documentRow,
  );
  const countOthers = database.query(
    'SELECT count(*) AS count FROM metadata_documents WHERE namespace = @ns AND client_id <> @client_id',
    countRow,
  );
  const oldestUnheld = database.query(
    `SELECT client_id FROM metadata_documents d
     WHERE namespace = @ns AND client_id <> @client_id AND NOT ${held} ORDER BY fetched_at, client_id LIMIT 1`,
    clientRow,
  );
  const remove = database.command('DELETE FROM metadata_documents WHERE namespace = @ns AND client_id = @client_id');
  const keep = database.command(
    `INSERT INTO metadata_documents (namespace, client_id, fetched_at, fresh_until, entry)
     VALUES (@ns, @client_id, @fetched_at, @fresh_until, @entry)
     ON CONFLICT (namespace, client_id) DO UPDATE SET
       fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until, entry = excluded.entry`,
  );
  const removeCodes = database.command(
    'DELETE FROM codes WHERE namespace = @ns AND client_id = @client_id AND holds_document = 1',
  );
  const removeTransactions = database.command(
    'DELETE FROM transactions WHERE namespace = @ns AND client_id = @client_id',
  );
  const forgetFetches = database.command(
    'DELETE FROM metadata_fetches WHERE namespace = @ns AND (fetched_at <= @minuteAgo OR fetched_at > @now)',
  );
  const countFetches = database.query('SELECT count(*) AS count FROM metadata_fetches WHERE namespace = @ns', countRow);
  const noteFetch = database.command('INSERT INTO metadata_fetches (namespace, fetched_at) VALUES (@ns, @now)');

  return {
    find: (clientId, now) => database.read(() => documentOf(find.get({ ns, client_id: clientId, now }))),
    findFresh: (clientId, now) => database.read(() => documentOf(findFresh.get({ ns, client_id: clientId, now }))),
    list: (now) => database.read(() => list.all({ ns, now }).map((row) => documentOf(row))),
    keep: ({ client_id, entry, fetchedAt, freshUntil }, now) =>
      database.write(() => {
        if ((countOthers.get({ ns, client_id })?.count ?? 0) >= cachedDocumentsMax) {
          const oldest = oldestUnheld.get({ ns, client_id, now });
          if (oldest === undefined) return 'full';
          remove.run({ ns, client_id: oldest.client_id });
        }
        keep.run({
          ns,
          client_id,
          fetched_at: fetchedAt,
          fresh_until: freshUntil,
          entry: JSON.stringify(entry),
        });
        return 'kept';
      }),
    forget: (clientId) =>
      database.write(() => {
        if (remove.run({ ns, client_id: clientId }) === 0) return false;
        removeCodes.run({ ns, client_id: clientId });
        removeTransactions.run({ ns, client_id: clientId });
        return true;
      }),
    takeFetch: (now) =>
      database.write(() => {
        forgetFetches.run({ ns, now, minuteAgo: now - minuteMilliseconds });
        if ((countFetches.get({ ns })?.count ?? 0) >= fetchesPerMinuteMax) return false;
        noteFetch.run({ ns, now });
        return true;
      }),
  };
}

function documentOf(row: z.output<typeof documentRow>): MetadataDocument;
function documentOf(row: z.output<typeof documentRow> | undefined): MetadataDocument | undefined;
function documentOf(row: z.output<typeof documentRow> | undefined): MetadataDocument | undefined {
  return (
    row && {
      client_id: row.client_id,
      entry: row.entry,
      fetchedAt: row.fetched_at,
      freshUntil: row.fresh_until,
    }
  );
}
