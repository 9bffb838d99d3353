// Cached client metadata documents in SQLite. A document is isHeld by every live transaction of its client_id and by
// every code that was issued for it and whose time is not over (CMD-15, CMD-16).
import * as z from 'zod';
import { makeRoomForDocument, takeFetch } from '#shared/domain/metadata-document.ts';
import { countRow, encode } from '../json-columns.ts';
import { defaultNamespace } from '../namespace-id.ts';
import type { MetadataDocuments } from '../ports/metadata-documents.ts';
import { documentColumns, documentOf, documentRow, fetchesRow, isHeld } from '../rows/metadata-document.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import type { Statements } from './database.ts';
import type { NamespaceContext } from './namespace-context.ts';

/** Fetches reach others, so all namespaces share one budget (CMD-10, SBX-32). */
const everybody = defaultNamespace;

const statements = (sql: Statements) => ({
  find: sql.query(
    `SELECT ${documentColumns} FROM metadata_documents d
     WHERE namespace = @ns AND client_id = @client_id AND (fresh_until > @now OR ${isHeld})`,
    documentRow,
  ),
  findFresh: sql.query(
    `SELECT ${documentColumns} FROM metadata_documents
     WHERE namespace = @ns AND client_id = @client_id AND fresh_until > @now`,
    documentRow,
  ),
  list: sql.query(
    `SELECT ${documentColumns} FROM metadata_documents d
     WHERE namespace = @ns AND (fresh_until > @now OR ${isHeld}) ORDER BY client_id`,
    documentRow,
  ),
  countOthers: sql.query(
    'SELECT count(*) AS count FROM metadata_documents WHERE namespace = @ns AND client_id <> @client_id',
    countRow,
  ),
  oldestUnheld: sql.query(
    `SELECT client_id FROM metadata_documents d
     WHERE namespace = @ns AND client_id <> @client_id AND NOT ${isHeld} ORDER BY fetched_at, client_id LIMIT 1`,
    z.object({ client_id: z.string() }),
  ),
  remove: sql.command('DELETE FROM metadata_documents WHERE namespace = @ns AND client_id = @client_id'),
  keep: sql.command(
    `INSERT INTO metadata_documents (namespace, client_id, fetched_at, fresh_until, entry)
     VALUES (@ns, @client_id, @fetched_at, @fresh_until, @entry)
     ON CONFLICT (namespace, client_id) DO UPDATE SET
       fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until, entry = excluded.entry`,
  ),
  removeCodes: sql.command('DELETE FROM codes WHERE namespace = @ns AND client_id = @client_id AND holds_document = 1'),
  fetches: sql.query('SELECT fetches FROM metadata_fetches WHERE namespace = @ns', fetchesRow),
  noteFetches: sql.command(
    `INSERT INTO metadata_fetches (namespace, fetches) VALUES (@ns, @fetches)
     ON CONFLICT (namespace) DO UPDATE SET fetches = excluded.fetches`,
  ),
});

export function metadataDocumentsAdapter(context: NamespaceContext): MetadataDocuments {
  const { database, ns } = context;
  const isRoomFor = byteBoundsOf(context);
  const sql = database.prepared(statements);
  return {
    find: (clientId, now) => database.read(() => documentOf(sql.find.get({ ns, client_id: clientId, now }))),
    findFresh: (clientId, now) => database.read(() => documentOf(sql.findFresh.get({ ns, client_id: clientId, now }))),
    list: (now) => database.read(() => sql.list.all({ ns, now }).map((row) => documentOf(row))),
    keep: ({ client_id, entry, fetchedAt, freshUntil }, now) =>
      database.write(() => {
        const others = sql.countOthers.get({ ns, client_id })?.count ?? 0;
        const room = makeRoomForDocument(others, () => sql.oldestUnheld.get({ ns, client_id, now })?.client_id);
        const text = JSON.stringify(entry);
        if (room.outcome === 'full' || !isRoomFor('metadata_documents', text, client_id)) return 'full';
        if (room.evict !== undefined) sql.remove.run({ ns, client_id: room.evict });
        const times = { fetched_at: fetchedAt, fresh_until: freshUntil };
        sql.keep.run({ ns, client_id, ...times, entry: text });
        return 'kept';
      }),
    forget: (clientId) =>
      database.write(() => {
        if (sql.remove.run({ ns, client_id: clientId }) === 0) return false;
        sql.removeCodes.run({ ns, client_id: clientId });
        return true;
      }),
    takeFetch: (now) =>
      database.write(() => {
        const fetches = takeFetch(sql.fetches.get({ ns: everybody })?.fetches ?? [], now);
        if (fetches === undefined) return false;
        sql.noteFetches.run({ ns: everybody, fetches: encode(fetches) });
        return true;
      }),
  };
}
