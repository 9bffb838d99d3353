// Consents: what a user allowed a client.
import * as z from 'zod';
import { type Consent, consentsMax, widenedConsent } from '#shared/model/domain/consent.ts';
import { encode, encoded, instantColumn, namesShape } from '../json-columns.ts';
import type { ConsentFilter, Consents } from '../ports/consents.ts';
import { command, query, removeBeyond, removeOldest, type StatementTexts } from '../statements/text.ts';
import type { OperationContext, Step } from './work.ts';

const consentRow = z
  .object({ username: z.string(), client_id: z.string(), scope: encoded(namesShape), given_at: instantColumn })
  .transform(({ given_at, ...consent }): Consent => ({ ...consent, givenAt: given_at }));

const columns = 'username, client_id, scope, given_at';

const texts = () =>
  ({
    find: query(
      `SELECT ${columns} FROM consents WHERE namespace = @ns AND username = @username AND client_id = @client_id`,
      consentRow,
    ),
    matching: query(
      `SELECT ${columns} FROM consents WHERE namespace = @ns
         AND (CAST(@username AS text) IS NULL OR username = @username)
         AND (CAST(@client_id AS text) IS NULL OR client_id = @client_id)
       ORDER BY seq DESC`,
      consentRow,
    ),
    insert: command(
      `INSERT INTO consents (namespace, username, client_id, scope, given_at)
       VALUES (@ns, @username, @client_id, @scope, @given_at)`,
    ),
    remove: command('DELETE FROM consents WHERE namespace = @ns AND username = @username AND client_id = @client_id'),
    removeOldest: removeOldest('consents'),
    removeBeyondMax: removeBeyond('consents', consentsMax),
  }) satisfies StatementTexts;

export function consents({ ns, prepare, read, write, release, record, hasRoomFor }: OperationContext): Consents {
  const sql = prepare(texts);
  const matching = ({ username, client_id }: ConsentFilter): Step<readonly Consent[]> =>
    sql.matching.all({ ns, username: username ?? null, client_id: client_id ?? null });

  return {
    find: async (username, client_id) => (await read(() => sql.find.get({ ns, username, client_id })))?.scope,
    grant: ({ username, client_id, scope, givenAt }) =>
      write('consents', function* () {
        const before = (yield* sql.find.get({ ns, username, client_id }))?.scope ?? [];
        const widened = encode(widenedConsent(before, scope));
        sql.remove.put({ ns, username, client_id });
        while (!(yield* hasRoomFor('consents', username, client_id, widened))) {
          if ((yield* sql.removeOldest.run({ ns })) === 0) return;
        }
        sql.insert.put({ ns, username, client_id, scope: widened, given_at: givenAt });
        sql.removeBeyondMax.put({ ns });
      }),
    list: (filter) => read(() => matching(filter)),
    remove: (filter, event) =>
      release('consents', function* () {
        const forgotten = yield* matching(filter);
        for (const consent of forgotten) {
          sql.remove.put({ ns, username: consent.username, client_id: consent.client_id });
          record(event(consent));
        }
        return forgotten.length;
      }),
  };
}
