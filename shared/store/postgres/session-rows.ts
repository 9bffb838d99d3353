// Sessions and who takes part in them, as rows: what is done inside a transaction, whoever began it. How long ago a session
// was used is a number that grows with every use, so that neither a stopped nor a moved clock changes the order.
import * as z from 'zod';
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
import { groupByKey } from '#shared/group-by-key.ts';
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
import type { ChangeEvents } from './audit/change-events.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import { type NamespaceContext, purgeOf } from './namespace-context.ts';
import { prepared, type Runner, type Writer } from './statement.ts';
import type { Transaction } from './transaction.ts';

const nextUse = "nextval('session_uses')";
const longestUnused = (beyond: number, of: string) => `DELETE FROM sessions WHERE seq IN (
  SELECT seq FROM sessions WHERE namespace = @ns ${of} ORDER BY use_number DESC OFFSET ${beyond})`;

const matching = `SELECT ${sessionColumns} FROM sessions s WHERE s.namespace = @ns
     AND (@sid::text IS NULL OR s.sid = @sid) AND (@cookie::text IS NULL OR s.cookie = @cookie)
     AND (@username::text IS NULL OR s.username = @username) AND (@client_id::text IS NULL OR ${clientTakesPart})
     AND (@entity_id::text IS NULL OR ${providerTakesPart})
     AND (s.cookie <> '' OR @over_too::int = 1)
   ORDER BY s.seq`;

const sql = prepared({
  ...sessionTexts({ nextUse, participantKey: 'md5(participant)', held: ' FOR KEY SHARE' }),
  purge: purgeOf('sessions', 'forgotten_at'),
  accounts: query(
    `SELECT ${sessionColumns}, (p.seq IS NOT NULL)::int AS used_by_client FROM sessions s
     LEFT JOIN session_participants p
       ON p.namespace = s.namespace AND p.sid = s.sid AND p.kind = 'client' AND p.participant = @client_id
     WHERE s.namespace = @ns AND s.cookie = @cookie ORDER BY p.use_number DESC NULLS LAST, s.use_number DESC`,
    accountRow,
  ),
  matching: query(matching, sessionRow),
  /** Nobody takes part in them any more until the transaction ends, and afterwards they are gone. */
  matchingToEnd: query(`${matching} FOR UPDATE OF s`, sessionRow),
  participants: query(
    `SELECT sid, record FROM session_participants
     WHERE namespace = @ns AND sid IN (SELECT json_array_elements_text(@sids::json)) AND record IS NOT NULL ORDER BY seq`,
    participantRow.extend({ sid: z.string() }),
  ),
  beyondBrowser: command(longestUnused(accountsOfBrowserMax, 'AND cookie = @cookie')),
  beyondNamespace: command(longestUnused(sessionsMax, '')),
});

/** Work on the rows of sessions, each piece to be done inside a transaction. */
export interface SessionRows {
  /** Takes a transaction under `locksOfLogin`. */
  logIn(on: Transaction, login: LogIn, now: Instant): Promise<Session>;
  accounts(
    on: Runner,
    cookie: string,
    clientId: string | undefined,
    limits: SessionLimits,
    now: Instant,
  ): Promise<readonly Account[]>;
  use(on: Runner, sid: string, now: Instant): Promise<boolean>;
  /** A code of the session was given to the client. */
  useByClient(on: Writer, sid: string, clientId: string, now: Instant): Promise<boolean>;
  /** After `use` in the same transaction, which holds the session's row; but for a code, which may come at its very end. */
  join(on: Runner, sid: string, participant: SessionParticipant): Promise<Joined>;
  list(
    on: Runner,
    filter: SessionFilter,
    limits: SessionLimits,
    now: Instant,
    toEnd?: boolean,
  ): Promise<readonly SessionWithParticipants[]>;
  /** False: somebody else did. */
  remove(on: Runner, sid: string): Promise<boolean>;
  /** Removes those whose time has passed. */
  endOver(on: Writer, limits: SessionLimits, now: Instant): Promise<void>;
}

/** The browser's sessions under the name it comes with and the one it gets. */
export function locksOfLogin({ cookie, formerCookie }: LogIn): readonly string[] {
  return [...new Set([cookie, formerCookie ?? cookie])].map((name) => `cookie ${name}`);
}

export function sessionRows(context: NamespaceContext, events: ChangeEvents): SessionRows {
  const { ns } = context;
  const isRoomFor = byteBoundsOf(context);

  /** The session that was longest unused gives way to a text that finds no room. */
  const makeRoom = async (on: Runner, kind: 'sessions' | 'session_participants', sid: string, ...texts: string[]) => {
    while (!(await isRoomFor(on, kind, ...texts)))
      if ((await sql.longestUnused.run(on, { ns, sid })) === 0) return false;
    return true;
  };

  return {
    logIn: async (on, login, now) => {
      const { cookie, formerCookie, limits, username } = login;
      sql.purge.put(on, { ns, now });
      const present =
        formerCookie === undefined ? [] : (await sql.ofCookie.all(on, { ns, cookie: formerCookie })).map(sessionOf);
      for (const session of present) {
        const { sid } = session;
        if (isSessionOver(session, limits, now))
          sql.part.put(on, { ns, sid, forgotten_at: endOfMemory(session, limits) });
        else if (!isSessionLive(session, limits, now)) sql.remove.put(on, { ns, sid });
      }
      if (formerCookie !== undefined) sql.renameCookie.put(on, { ns, cookie, former: formerCookie });
      const renewed = sessionToRenew(present, username, limits, now);
      const session = sessionOfLogin(login, renewed?.sid ?? login.sid, now);
      const record = recordOfSession(session);
      const forgotten_at = plusSeconds(login.authenticatedAt, longestSessionSeconds);
      await makeRoom(on, 'sessions', session.sid, username, record);
      if (renewed !== undefined) {
        sql.renew.put(on, { ns, sid: renewed.sid, now, forgotten_at, record });
        return session;
      }
      sql.insert.put(on, { ns, sid: session.sid, cookie, username, now, forgotten_at, record });
      sql.beyondBrowser.put(on, { ns, cookie });
      sql.beyondNamespace.put(on, { ns });
      events.put(on, login.event(session.sid));
      return session;
    },
    accounts: async (on, cookie, clientId, limits, now) =>
      (await sql.accounts.all(on, { ns, cookie, client_id: clientId ?? null }))
        .map((row) => ({ ...sessionOf(row), usedByClient: row.used_by_client === 1 }))
        .filter((session) => isSessionLive(session, limits, now)),
    use: async (on, sid, now) => (await sql.use.run(on, { ns, sid, now })) === 1,
    useByClient: async (on, sid, clientId, now) => {
      if ((await sql.use.run(on, { ns, sid, now })) === 0) return false;
      if (await makeRoom(on, 'session_participants', sid, clientId))
        sql.useByClient.put(on, { ns, sid, client_id: clientId });
      return true;
    },
    join: async (on, sid, participant) => {
      const { kind } = participant;
      const name = kind === 'client' ? participant.client_id : participant.entity_id;
      const before =
        kind === 'client' ? undefined : (await sql.participant.get(on, { ns, sid, kind, participant: name }))?.record;
      const record = encode(joinedAnew(before, participant));
      if (!(await makeRoom(on, 'session_participants', sid, name, record))) return 'full';
      return (await sql.join.run(on, { ns, sid, kind, participant: name, record })) === 1 ? 'joined' : 'session_over';
    },
    list: async (on, { sid, cookie, username, client_id, entity_id, overToo }, limits, now, toEnd = false) => {
      const rows = await (toEnd ? sql.matchingToEnd : sql.matching).all(on, {
        ns,
        sid: sid ?? null,
        cookie: cookie ?? null,
        username: username ?? null,
        client_id: client_id ?? null,
        entity_id: entity_id ?? null,
        over_too: overToo === true ? 1 : 0,
      });
      const live = rows
        .map(sessionOf)
        .filter((session) => isSessionLive(session, limits, now))
        .toSorted((one, other) => other.authenticatedAt - one.authenticatedAt);
      const sids = live.map((session) => session.sid);
      const participants = groupByKey(
        sids.length === 0 ? [] : await sql.participants.all(on, { ns, sids: JSON.stringify(sids) }),
        (row) => row.sid,
      );
      return live.map((session) => ({
        ...session,
        participants: (participants.get(session.sid) ?? []).map(({ record }) => record),
      }));
    },
    remove: async (on, sid) => (await sql.remove.run(on, { ns, sid })) === 1,
    endOver: async (on, limits, now) => {
      const over = (await sql.all.all(on, { ns })).filter((row) => isSessionOver(sessionOf(row), limits, now));
      for (const { sid } of over) sql.remove.put(on, { ns, sid });
    },
  };
}
