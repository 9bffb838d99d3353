// Sessions and consents in PostgreSQL. What must leave an audit event puts it into the outbox in the same transaction.
import { widenedConsent } from '#shared/domain/consent.ts';
import { familiesOfSession } from '#shared/domain/refresh-family.ts';
import { encode } from '../json-columns.ts';
import type { AddLogoutDeliveries } from '../operations/logout-deliveries.ts';
import type { TokenMemory } from '../operations/token-memory.ts';
import { writing } from '../operations/work.ts';
import type { ConsentFilter, Consents, Sessions, SessionWithParticipants } from '../ports/sessions.ts';
import { consentOf, consentRow } from '../rows/consent.ts';
import { consentTexts } from '../statements/consents.ts';
import { query } from '../statements/text.ts';
import type { ChangeEvents } from './audit/change-events.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { locksOfLogin, type SessionRows } from './session-rows.ts';
import { prepared, type Runner } from './statement.ts';
import { carryOut } from './steps.ts';

const sql = prepared({
  ...consentTexts,
  matching: query(
    `SELECT username, client_id, scope, given_at FROM consents WHERE namespace = @ns
       AND (@username::text IS NULL OR username = @username) AND (@client_id::text IS NULL OR client_id = @client_id)
     ORDER BY seq DESC`,
    consentRow,
  ),
});

export function sessionsAdapter(
  { database }: NamespaceContext,
  rows: SessionRows,
  events: ChangeEvents,
  addDeliveries: AddLogoutDeliveries,
  memory: TokenMemory,
): Sessions {
  return {
    logIn: (login, now) => database.write(locksOfLogin(login), (on) => rows.logIn(on, login, now)),
    accounts: (cookie, clientId, limits, now) =>
      database.read((on) => rows.accounts(on, cookie, clientId, limits, now)),
    use: (sid, now) => database.write([], (on) => rows.use(on, sid, now)),
    join: (sid, participant, now) =>
      database.write(
        [],
        async (on) => (await rows.use(on, sid, now)) && (await rows.join(on, sid, participant)) === 'joined',
      ),
    list: (filter, limits, now) => database.read((on) => rows.list(on, filter, limits, now)),
    end: (filter, limits, now, event, telling) =>
      database.write('end of sessions', async (on) => {
        const ended: SessionWithParticipants[] = [];
        for (const session of await rows.list(on, filter, limits, now, true)) {
          // Evicted by a login meanwhile: nobody is told of those.
          if (!(await rows.remove(on, session.sid))) continue;
          ended.push(session);
          events.put(on, event(session));
          if (telling === undefined) continue;
          await carryOut(on, () => writing(() => addDeliveries(telling.deliveries(session), telling.until)));
          const { revokesFamiliesUntil: until } = telling;
          if (until !== undefined)
            await carryOut(on, () =>
              writing(() => memory.remember('family', familiesOfSession(session.sid), 2, until)),
            );
        }
        return ended;
      }),
  };
}

export function consentsAdapter(context: NamespaceContext, events: ChangeEvents): Consents {
  const { database, ns } = context;
  const isRoomFor = byteBoundsOf(context);
  const matching = async (on: Runner, { username, client_id }: ConsentFilter) =>
    (await sql.matching.all(on, { ns, username: username ?? null, client_id: client_id ?? null })).map(consentOf);

  return {
    find: (username, client_id) =>
      database.read(async (on) => (await sql.find.get(on, { ns, username, client_id }))?.scope),
    give: ({ username, client_id, scope, givenAt }) =>
      database.write('consents', async (on) => {
        const before = (await sql.find.get(on, { ns, username, client_id }))?.scope ?? [];
        const widened = encode(widenedConsent(before, scope));
        sql.remove.put(on, { ns, username, client_id });
        while (!(await isRoomFor(on, 'consents', username, client_id, widened)))
          if ((await sql.removeOldest.run(on, { ns })) === 0) return;
        sql.insert.put(on, { ns, username, client_id, scope: widened, given_at: givenAt });
        sql.makeRoom.put(on, { ns });
      }),
    list: (filter) => database.read((on) => matching(on, filter)),
    forget: (filter, event) =>
      database.write('consents', async (on) => {
        const forgotten = await matching(on, filter);
        for (const consent of forgotten) {
          sql.remove.put(on, { ns, username: consent.username, client_id: consent.client_id });
          events.put(on, event(consent));
        }
        return forgotten.length;
      }),
  };
}
