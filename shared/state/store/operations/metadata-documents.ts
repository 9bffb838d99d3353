// Cached client metadata documents. A document is held by every live transaction of its client_id, and by every
// unexpired code that was issued for it (CMD-15, CMD-16).
import * as z from 'zod';
import { clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import { authorizationCodeSecondsMax } from '#shared/model/domain/authorization-code.ts';
import { transactionLifetimeSeconds } from '#shared/model/domain/authorization-transaction.ts';
import { type MetadataDocument, makeRoomForDocument, withFetch } from '#shared/model/domain/metadata-document.ts';
import { countRow, encode, encoded, instantColumn } from '../json-columns.ts';
import { defaultNamespace } from '../namespace-id.ts';
import type { MetadataDocuments } from '../ports/metadata-documents.ts';
import { simultaneousMilliseconds } from '../statements/pending.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import type { Dialect, OperationContext } from './work.ts';

/** Fetches reach other servers, so all namespaces share one budget (CMD-10, SBX-32). */
const shared = defaultNamespace;

const columns = 'client_id, fetched_at, fresh_until, entry';

const documentRow = z
  .object({
    client_id: z.string(),
    fetched_at: instantColumn,
    fresh_until: instantColumn,
    entry: encoded(clientEntryModel),
  })
  .transform(
    ({ client_id, entry, fetched_at, fresh_until }): MetadataDocument => ({
      ...{ client_id, entry, fetchedAt: fetched_at, freshUntil: fresh_until },
    }),
  );

/** A row that began while the clock was further ahead holds no document. */
const begunBy = (row: string, seconds: number) =>
  `${row}.expires_at - ${seconds * 1000 + simultaneousMilliseconds} <= @now`;

/** Whether a transaction or a code still needs the document `d`. */
const isHeld = `(EXISTS (SELECT 1 FROM transactions t
     WHERE t.namespace = d.namespace AND t.client_id = d.client_id AND t.expires_at > @now AND ${begunBy('t', transactionLifetimeSeconds)})
   OR EXISTS (SELECT 1 FROM codes c
     WHERE c.namespace = d.namespace AND c.client_id = d.client_id AND c.holds_document = 1 AND c.expires_at > @now
       AND ${begunBy('c', authorizationCodeSecondsMax)}))`;

const texts = ({ indexed }: Dialect) =>
  ({
    find: query(
      `SELECT ${columns} FROM metadata_documents d
       WHERE namespace = @ns AND client_id = @client_id AND (fresh_until > @now OR ${isHeld})`,
      documentRow,
    ),
    findFresh: query(
      `SELECT ${columns} FROM metadata_documents
       WHERE namespace = @ns AND client_id = @client_id AND fresh_until > @now`,
      documentRow,
    ),
    list: query(
      `SELECT ${columns} FROM metadata_documents d
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
       ON CONFLICT (namespace, ${indexed('client_id')}) DO UPDATE SET
         fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until, entry = excluded.entry`,
    ),
    removeCodes: command('DELETE FROM codes WHERE namespace = @ns AND client_id = @client_id AND holds_document = 1'),
    fetches: query(
      'SELECT fetches FROM metadata_fetches WHERE namespace = @ns',
      z.object({ fetches: encoded(z.array(instantColumn).readonly()) }),
    ),
    noteFetches: command(
      `INSERT INTO metadata_fetches (namespace, fetches) VALUES (@ns, @fetches)
       ON CONFLICT (namespace) DO UPDATE SET fetches = excluded.fetches`,
    ),
  }) satisfies StatementTexts;

export function metadataDocuments({ ns, prepare, read, write, hasRoomFor }: OperationContext): MetadataDocuments {
  const sql = prepare(texts);
  return {
    find: (client_id, now) => read(() => sql.find.get({ ns, client_id, now })),
    findFresh: (client_id, now) => read(() => sql.findFresh.get({ ns, client_id, now })),
    list: (now) => read(() => sql.list.all({ ns, now })),
    save: ({ client_id, entry, fetchedAt, freshUntil }, now) =>
      write('metadata_documents', function* () {
        const text = JSON.stringify(entry);
        const counting = sql.countOthers.get({ ns, client_id });
        const finding = sql.oldestUnheld.get({ ns, client_id, now });
        const measuring = hasRoomFor('metadata_documents', text, client_id);
        const others = (yield* counting)?.count ?? 0;
        const unheld = (yield* finding)?.client_id;
        const room = makeRoomForDocument(others, () => unheld);
        if (room.outcome === 'full' || !(yield* measuring)) return 'full';
        if (room.evict !== undefined) sql.remove.put({ ns, client_id: room.evict });
        sql.keep.put({ ns, client_id, fetched_at: fetchedAt, fresh_until: freshUntil, entry: text });
        return 'kept';
      }),
    remove: (client_id) =>
      write('metadata_documents', function* () {
        if ((yield* sql.remove.run({ ns, client_id })) === 0) return false;
        sql.removeCodes.put({ ns, client_id });
        return true;
      }),
    admitFetch: (now) =>
      write({ everywhere: 'metadata fetches' }, function* () {
        const fetches = withFetch((yield* sql.fetches.get({ ns: shared }))?.fetches ?? [], now);
        if (fetches === undefined) return false;
        sql.noteFetches.put({ ns: shared, fetches: encode(fetches) });
        return true;
      }),
  };
}
