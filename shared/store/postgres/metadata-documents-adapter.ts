// Cached client metadata documents in PostgreSQL. A document is isHeld by every live transaction of its client_id and by
// every code that was issued for it and whose time is not over (CMD-15, CMD-16).
import * as z from 'zod';
import { makeRoomForDocument, takeFetch } from '#shared/domain/metadata-document.ts';
import { countRow, encode } from '../json-columns.ts';
import { defaultNamespace } from '../namespace-id.ts';
import type { MetadataDocuments } from '../ports/metadata-documents.ts';
import { documentColumns, documentOf, documentRow, fetchesRow, isHeld } from '../rows/metadata-document.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { command, query } from './statement.ts';

/** Fetches reach others, so all namespaces share one budget (CMD-10, SBX-32). */
const everybody = defaultNamespace;

const sql = {
  find: query(
    `SELECT ${documentColumns} FROM metadata_documents d
     WHERE namespace = @ns AND client_id = @client_id AND (fresh_until > @now OR ${isHeld})`,
    documentRow,
  ),
  findFresh: query(
    `SELECT ${documentColumns} FROM metadata_documents
     WHERE namespace = @ns AND client_id = @client_id AND fresh_until > @now`,
    documentRow,
  ),
  list: query(
    `SELECT ${documentColumns} FROM metadata_documents d
     WHERE namespace = @ns AND (fresh_until > @now OR ${isHeld}) ORDER BY client_id`,
    documentRow,
  ),
  countOthers: query(
    'SELECT count(*) AS count FROM metadata_documents WHERE namespace = @ns AND client_id <> @client_id',
    countRow,
  ),
  oldestUnheld: query(
    `SELECT client_id FROM metadata_documents d
     WHERE namespace = @ns AND client_id <> @client_id AND NOT ${isHeld} ORDER BY fetched_at, client_id LIMIT 1`,
    z.object({ client_id: z.string() }),
  ),
  remove: command('DELETE FROM metadata_documents WHERE namespace = @ns AND client_id = @client_id'),
  keep: command(
    `INSERT INTO metadata_documents (namespace, client_id, fetched_at, fresh_until, entry)
     VALUES (@ns, @client_id, @fetched_at, @fresh_until, @entry)
     ON CONFLICT (namespace, md5(client_id)) DO UPDATE SET
       fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until, entry = excluded.entry`,
  ),
  removeCodes: command('DELETE FROM codes WHERE namespace = @ns AND client_id = @client_id AND holds_document = 1'),
  fetches: query('SELECT fetches FROM metadata_fetches WHERE namespace = @ns', fetchesRow),
  noteFetches: command(
    `INSERT INTO metadata_fetches (namespace, fetches) VALUES (@ns, @fetches)
     ON CONFLICT (namespace) DO UPDATE SET fetches = excluded.fetches`,
  ),
};

export function metadataDocumentsAdapter(context: NamespaceContext): MetadataDocuments {
  const { database, ns } = context;
  const isRoomFor = byteBoundsOf(context);
  return {
    find: (clientId, now) =>
      database.read(async (on) => documentOf(await sql.find.get(on, { ns, client_id: clientId, now }))),
    findFresh: (clientId, now) =>
      database.read(async (on) => documentOf(await sql.findFresh.get(on, { ns, client_id: clientId, now }))),
    list: (now) => database.read(async (on) => (await sql.list.all(on, { ns, now })).map((row) => documentOf(row))),
    keep: ({ client_id, entry, fetchedAt, freshUntil }, now) =>
      database.write('metadata_documents', async (on) => {
        const others = (await sql.countOthers.get(on, { ns, client_id }))?.count ?? 0;
        const unheld = await sql.oldestUnheld.get(on, { ns, client_id, now });
        const room = makeRoomForDocument(others, () => unheld?.client_id);
        const text = JSON.stringify(entry);
        if (room.outcome === 'full' || !(await isRoomFor(on, 'metadata_documents', text, client_id))) return 'full';
        if (room.evict !== undefined) await sql.remove.run(on, { ns, client_id: room.evict });
        const times = { fetched_at: fetchedAt, fresh_until: freshUntil };
        await sql.keep.run(on, { ns, client_id, ...times, entry: text });
        return 'kept';
      }),
    forget: (clientId) =>
      database.write('metadata_documents', async (on) => {
        if ((await sql.remove.run(on, { ns, client_id: clientId })) === 0) return false;
        await sql.removeCodes.run(on, { ns, client_id: clientId });
        return true;
      }),
    takeFetch: (now) =>
      database.write({ everywhere: 'metadata fetches' }, async (on) => {
        const fetches = takeFetch((await sql.fetches.get(on, { ns: everybody }))?.fetches ?? [], now);
        if (fetches === undefined) return false;
        await sql.noteFetches.run(on, { ns: everybody, fetches: encode(fetches) });
        return true;
      }),
  };
}
