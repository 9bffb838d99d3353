// Sessions and consents in SQLite. What must leave an audit event puts it into the outbox in the same transaction.
import { widenedConsent } from '#shared/domain/consent.ts';
import { familiesOfSession } from '#shared/domain/refresh-family.ts';
import { encode } from '../json-columns.ts';
import type { AddLogoutDeliveries } from '../operations/logout-deliveries.ts';
import type { TokenMemory } from '../operations/token-memory.ts';
import type { ConsentFilter, Consents, Sessions } from '../ports/sessions.ts';
import { consentOf, consentRow } from '../rows/consent.ts';
import { consentTexts } from '../statements/consents.ts';
import { query } from '../statements/text.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Outbox } from './outbox.ts';
import type { SessionRows } from './session-rows.ts';

const texts = {
  ...consentTexts,
  matching: query(
    `SELECT username, client_id, scope, given_at FROM consents WHERE namespace = @ns
       AND (@username IS NULL OR username = @username) AND (@client_id IS NULL OR client_id = @client_id)
     ORDER BY seq DESC`,
    consentRow,
  ),
};

export function sessionsAdapter(
  { database }: NamespaceContext,
  rows: SessionRows,
  outbox: Outbox,
  addDeliveries: AddLogoutDeliveries,
  memory: TokenMemory,
): Sessions {
  return {
    logIn: (login, now) => outbox.change(() => rows.logIn(login, now)),
    accounts: (cookie, clientId, limits, now) => database.read(() => rows.accounts(cookie, clientId, limits, now)),
    use: (sid, now) => database.write(() => rows.use(sid, now)),
    join: (sid, participant, now) =>
      database.write(() => rows.use(sid, now) && rows.join(sid, participant) === 'joined'),
    list: (filter, limits, now) => database.read(() => rows.list(filter, limits, now)),
    end: (filter, limits, now, event, telling) =>
      outbox.release(() => {
        const ended = rows.list(filter, limits, now);
        for (const session of ended) {
          rows.remove(session.sid);
          outbox.put(event(session));
          if (telling === undefined) continue;
          addDeliveries(telling.deliveries(session), telling.until);
          const { revokesFamiliesUntil: until } = telling;
          if (until !== undefined) memory.remember('family', familiesOfSession(session.sid), 2, until);
        }
        return ended;
      }),
  };
}

export function consentsAdapter(context: NamespaceContext, outbox: Outbox): Consents {
  const { database, ns } = context;
  const sql = database.prepare(texts);
  const isRoomFor = byteBoundsOf(context);
  const matching = ({ username, client_id }: ConsentFilter) =>
    sql.matching.all({ ns, username: username ?? null, client_id: client_id ?? null }).map(consentOf);

  return {
    find: (username, client_id) => database.read(() => sql.find.get({ ns, username, client_id })?.scope),
    give: ({ username, client_id, scope, givenAt }) =>
      database.write(() => {
        const before = sql.find.get({ ns, username, client_id })?.scope ?? [];
        const widened = encode(widenedConsent(before, scope));
        sql.remove.run({ ns, username, client_id });
        while (!isRoomFor('consents', username, client_id, widened)) if (sql.removeOldest.run({ ns }) === 0) return;
        sql.insert.run({ ns, username, client_id, scope: widened, given_at: givenAt });
        sql.makeRoom.run({ ns });
      }),
    list: (filter) => database.read(() => matching(filter)),
    forget: (filter, event) =>
      outbox.release(() => {
        const forgotten = matching(filter);
        for (const consent of forgotten) {
          sql.remove.run({ ns, username: consent.username, client_id: consent.client_id });
          outbox.put(event(consent));
        }
        return forgotten.length;
      }),
  };
}
