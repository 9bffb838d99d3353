// Sessions and who takes part in them, as rows: what is done inside a transaction, whoever began it. How long ago a session
// was used is a number that grows with every use, so that neither a stopped nor a moved clock changes the order.
import { type Instant, plusSeconds } from '#shared/clock.ts';
import { endOfMemory } from '#shared/domain/saml-logout.ts';
import {
  accountsOfBrowserMax,
  isSessionLive,
  isSessionOver,
  joinedAnew,
  longestSessionSeconds,
  type Session,
  type SessionLimits,
  type SessionParticipant,
  sessionsMax,
  sessionToRenew,
} from '#shared/domain/session.ts';
import { encode } from '../json-columns.ts';
import type { Account, Joined, LogIn, SessionFilter, SessionWithParticipants } from '../ports/sessions.ts';
import {
  accountRow,
  clientTakesPart,
  participantRow,
  providerTakesPart,
  recordOfSession,
  sessionColumns,
  sessionOf,
  sessionOfLogin,
  sessionRow,
} from '../rows/session.ts';
import { sessionTexts } from '../statements/sessions.ts';
import { command, query } from '../statements/text.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import { type NamespaceContext, purgeOf } from './namespace-context.ts';
import type { Outbox } from './outbox.ts';

const nextUse = '(SELECT coalesce(max(latest.use_number), 0) + 1 FROM sessions latest WHERE latest.namespace = @ns)';
const longestUnused = (beyond: number, of: string) => `DELETE FROM sessions WHERE seq IN (
  SELECT seq FROM sessions WHERE namespace = @ns ${of} ORDER BY use_number DESC LIMIT -1 OFFSET ${beyond})`;

const texts = {
  ...sessionTexts({ nextUse, participantKey: 'participant', held: '' }),
  purge: purgeOf('sessions', 'forgotten_at'),
  accounts: query(
    `SELECT ${sessionColumns}, p.seq IS NOT NULL AS used_by_client FROM sessions s
     LEFT JOIN session_participants p
       ON p.namespace = s.namespace AND p.sid = s.sid AND p.kind = 'client' AND p.participant = @client_id
     WHERE s.namespace = @ns AND s.cookie = @cookie ORDER BY p.use_number DESC, s.use_number DESC`,
    accountRow,
  ),
  matching: query(
    `SELECT ${sessionColumns} FROM sessions s WHERE s.namespace = @ns
       AND (@sid IS NULL OR s.sid = @sid) AND (@cookie IS NULL OR s.cookie = @cookie)
       AND (@username IS NULL OR s.username = @username) AND (@client_id IS NULL OR ${clientTakesPart})
       AND (@entity_id IS NULL OR ${providerTakesPart})
       AND (s.cookie <> '' OR @over_too = 1)
     ORDER BY s.seq`,
    sessionRow,
  ),
  participants: query(
    `SELECT record FROM session_participants
     WHERE namespace = @ns AND sid = @sid AND record IS NOT NULL ORDER BY seq`,
    participantRow,
  ),
  beyondBrowser: command(longestUnused(accountsOfBrowserMax, 'AND cookie = @cookie')),
  beyondNamespace: command(longestUnused(sessionsMax, '')),
};

/** Work on the rows of sessions, each piece to be done inside a transaction. */
export interface SessionRows {
  logIn(login: LogIn, now: Instant): Session;
  accounts(cookie: string, clientId: string | undefined, limits: SessionLimits, now: Instant): readonly Account[];
  use(sid: string, now: Instant): boolean;
  /** A code of the session was given to the client. */
  useByClient(sid: string, clientId: string, now: Instant): boolean;
  join(sid: string, participant: SessionParticipant): Joined;
  list(filter: SessionFilter, limits: SessionLimits, now: Instant): readonly SessionWithParticipants[];
  remove(sid: string): void;
  /** Removes those whose time has passed. */
  endOver(limits: SessionLimits, now: Instant): void;
}

export function sessionRows(context: NamespaceContext, outbox: Outbox): SessionRows {
  const { database, ns } = context;
  const sql = database.prepare(texts);
  const isRoomFor = byteBoundsOf(context);

  /** The session that was longest unused gives way to a text that finds no room. */
  const makeRoom = (kind: 'sessions' | 'session_participants', sid: string, ...texts: string[]) => {
    while (!isRoomFor(kind, ...texts)) if (sql.longestUnused.run({ ns, sid }) === 0) return false;
    return true;
  };

  return {
    logIn: (login, now) => {
      const { cookie, formerCookie, limits, username } = login;
      sql.purge.run({ ns, now });
      const present = formerCookie === undefined ? [] : sql.ofCookie.all({ ns, cookie: formerCookie }).map(sessionOf);
      for (const session of present) {
        const { sid } = session;
        if (isSessionOver(session, limits, now)) sql.part.run({ ns, sid, forgotten_at: endOfMemory(session, limits) });
        else if (!isSessionLive(session, limits, now)) sql.remove.run({ ns, sid });
      }
      if (formerCookie !== undefined) sql.renameCookie.run({ ns, cookie, former: formerCookie });
      const renewed = sessionToRenew(present, username, limits, now);
      const session = sessionOfLogin(login, renewed?.sid ?? login.sid, now);
      const record = recordOfSession(session);
      const forgotten_at = plusSeconds(login.authenticatedAt, longestSessionSeconds);
      makeRoom('sessions', session.sid, username, record);
      if (renewed !== undefined) {
        sql.renew.run({ ns, sid: renewed.sid, now, forgotten_at, record });
        return session;
      }
      sql.insert.run({ ns, sid: session.sid, cookie, username, now, forgotten_at, record });
      sql.beyondBrowser.run({ ns, cookie });
      sql.beyondNamespace.run({ ns });
      outbox.put(login.event(session.sid));
      return session;
    },
    accounts: (cookie, clientId, limits, now) =>
      sql.accounts
        .all({ ns, cookie, client_id: clientId ?? null })
        .map((row) => ({ ...sessionOf(row), usedByClient: row.used_by_client === 1 }))
        .filter((session) => isSessionLive(session, limits, now)),
    use: (sid, now) => sql.use.run({ ns, sid, now }) === 1,
    useByClient: (sid, clientId, now) => {
      if (sql.use.run({ ns, sid, now }) === 0) return false;
      if (makeRoom('session_participants', sid, clientId)) sql.useByClient.run({ ns, sid, client_id: clientId });
      return true;
    },
    join: (sid, participant) => {
      const { kind } = participant;
      const name = kind === 'client' ? participant.client_id : participant.entity_id;
      const before = kind === 'client' ? undefined : sql.participant.get({ ns, sid, kind, participant: name })?.record;
      const record = encode(joinedAnew(before, participant));
      if (!makeRoom('session_participants', sid, name, record)) return 'full';
      return sql.join.run({ ns, sid, kind, participant: name, record }) === 1 ? 'joined' : 'session_over';
    },
    list: ({ sid, cookie, username, client_id, entity_id, overToo }, limits, now) =>
      sql.matching
        .all({
          ns,
          sid: sid ?? null,
          cookie: cookie ?? null,
          username: username ?? null,
          client_id: client_id ?? null,
          entity_id: entity_id ?? null,
          over_too: overToo === true ? 1 : 0,
        })
        .map(sessionOf)
        .filter((session) => isSessionLive(session, limits, now))
        .toSorted((one, other) => other.authenticatedAt - one.authenticatedAt)
        .map((session) => ({
          ...session,
          participants: sql.participants.all({ ns, sid: session.sid }).map(({ record }) => record),
        })),
    remove: (sid) => {
      sql.remove.run({ ns, sid });
    },
    endOver: (limits, now) => {
      const over = sql.all.all({ ns }).filter((row) => isSessionOver(sessionOf(row), limits, now));
      for (const { sid } of over) sql.remove.run({ ns, sid });
    },
  };
}
