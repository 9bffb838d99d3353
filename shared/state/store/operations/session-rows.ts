// Sessions and their participants as rows: parts of the writes of several operations. The order of last use is a number
// that grows with every use, so that a stopped or moved clock does not change it.
import * as z from 'zod';
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import { groupByKey } from '#shared/base/group-by-key.ts';
import { endOfMemory } from '#shared/model/domain/saml-logout.ts';
import {
  accountsOfBrowserMax,
  isSessionLive,
  isSessionOver,
  joinedAgain,
  longestSessionSeconds,
  type Session,
  type SessionLimits,
  type SessionParticipant,
  sessionsMax,
  sessionToRenew,
} from '#shared/model/domain/session.ts';
import { encode, encoded, instantColumn, participantShape, sessionShape } from '../json-columns.ts';
import type { Account, Joined, LogIn, SessionFilter, SessionWithParticipants } from '../ports/sessions.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import type { Dialect, OperationContext, Work } from './work.ts';

const sessionRow = z.object({
  sid: z.string(),
  username: z.string(),
  last_used_at: instantColumn,
  record: encoded(sessionShape),
});

const participantRow = z.object({ record: encoded(participantShape) });
const columns = 's.sid, s.username, s.last_used_at, s.record';

const clientTakesPart = `EXISTS (SELECT 1 FROM session_participants p WHERE p.namespace = s.namespace AND p.sid = s.sid
  AND p.kind = 'client' AND p.participant = @client_id AND p.record IS NOT NULL)`;

const providerTakesPart = `EXISTS (SELECT 1 FROM session_participants p WHERE p.namespace = s.namespace AND p.sid = s.sid
  AND p.kind = 'service_provider' AND p.participant = @entity_id)`;

const fitsIfGiven = (parameter: string, condition: string) => `(CAST(${parameter} AS text) IS NULL OR ${condition})`;

const matching = `SELECT ${columns} FROM sessions s WHERE s.namespace = @ns
  AND ${fitsIfGiven('@sid', 's.sid = @sid')} AND ${fitsIfGiven('@cookie', 's.cookie = @cookie')}
  AND ${fitsIfGiven('@username', 's.username = @username')} AND ${fitsIfGiven('@client_id', clientTakesPart)}
  AND ${fitsIfGiven('@entity_id', providerTakesPart)} AND (s.cookie <> '' OR CAST(@over_too AS int) = 1)
  ORDER BY s.seq`;

const texts = ({ purge, nextSessionUse, indexed, isAmong, beyond, locked }: Dialect) => {
  const removeLongestUnused = (kept: number, of: string) =>
    command(
      `DELETE FROM sessions WHERE seq IN (
         SELECT seq FROM sessions WHERE namespace = @ns ${of} ORDER BY use_number DESC ${beyond(kept)})`,
    );
  return {
    purge: purge('sessions', 'forgotten_at'),
    ofCookie: query(
      `SELECT ${columns} FROM sessions s WHERE s.namespace = @ns AND s.cookie = @cookie ORDER BY s.use_number DESC`,
      sessionRow,
    ),
    all: query(`SELECT ${columns} FROM sessions s WHERE s.namespace = @ns`, sessionRow),
    accounts: query(
      `SELECT ${columns}, CASE WHEN p.seq IS NULL THEN 0 ELSE 1 END AS used_by_client FROM sessions s
       LEFT JOIN session_participants p
         ON p.namespace = s.namespace AND p.sid = s.sid AND p.kind = 'client' AND p.participant = @client_id
       WHERE s.namespace = @ns AND s.cookie = @cookie ORDER BY p.use_number DESC NULLS LAST, s.use_number DESC`,
      sessionRow.extend({ used_by_client: z.number() }),
    ),
    matching: query(matching, sessionRow),
    /** Locks the sessions: no participant joins until the transaction ends, and then they are deleted. */
    matchingToEnd: query(`${matching}${locked('FOR UPDATE OF s')}`, sessionRow),
    participant: query(
      `SELECT record FROM session_participants WHERE namespace = @ns AND sid = @sid AND kind = @kind
         AND participant = @participant AND record IS NOT NULL`,
      participantRow,
    ),
    participants: query(
      `SELECT sid, record FROM session_participants
       WHERE namespace = @ns AND ${isAmong('sid', '@sids')} AND record IS NOT NULL ORDER BY seq`,
      participantRow.extend({ sid: z.string() }),
    ),
    renameCookie: command('UPDATE sessions SET cookie = @cookie WHERE namespace = @ns AND cookie = @former'),
    /** The session has expired and no longer belongs to a browser. It is stored for a while for SAML logouts (SLO-04). */
    part: command("UPDATE sessions SET cookie = '', forgotten_at = @forgotten_at WHERE namespace = @ns AND sid = @sid"),
    remove: command('DELETE FROM sessions WHERE namespace = @ns AND sid = @sid'),
    removeLongestUnusedOther: command(
      `DELETE FROM sessions WHERE seq = (
         SELECT seq FROM sessions WHERE namespace = @ns AND sid <> @sid ORDER BY use_number LIMIT 1)`,
    ),
    removeBeyondBrowser: removeLongestUnused(accountsOfBrowserMax, 'AND cookie = @cookie'),
    removeBeyondNamespace: removeLongestUnused(sessionsMax, ''),
    insert: command(
      `INSERT INTO sessions (namespace, sid, cookie, username, last_used_at, use_number, forgotten_at, record)
       VALUES (@ns, @sid, @cookie, @username, @now, ${nextSessionUse}, @forgotten_at, @record)`,
    ),
    renew: command(
      `UPDATE sessions SET last_used_at = @now, use_number = ${nextSessionUse}, forgotten_at = @forgotten_at,
         record = @record
       WHERE namespace = @ns AND sid = @sid`,
    ),
    use: command(
      `UPDATE sessions SET last_used_at = @now, use_number = ${nextSessionUse}
       WHERE namespace = @ns AND sid = @sid AND cookie <> ''`,
    ),
    useByClient: command(
      `INSERT INTO session_participants (namespace, sid, kind, participant, use_number)
       SELECT namespace, sid, 'client', @client_id, use_number FROM sessions WHERE namespace = @ns AND sid = @sid
       ON CONFLICT (namespace, sid, kind, ${indexed('participant')}) DO UPDATE SET use_number = excluded.use_number`,
    ),
    join: command(
      `INSERT INTO session_participants (namespace, sid, kind, participant, use_number, record)
       SELECT namespace, sid, @kind, @participant, use_number, @record FROM sessions
       WHERE namespace = @ns AND sid = @sid${locked('FOR KEY SHARE')}
       ON CONFLICT (namespace, sid, kind, ${indexed('participant')}) DO UPDATE SET record = excluded.record`,
    ),
  } satisfies StatementTexts;
};

export interface SessionRows {
  /** Within a write that holds `loginLocks`. */
  logIn(login: LogIn, now: Instant): Work<Session>;
  accounts(cookie: string, clientId: string | undefined, limits: SessionLimits, now: Instant): Work<readonly Account[]>;
  /** Returns false if the session has ended. */
  use(sid: string, now: Instant): Work<boolean>;
  /** Stores that the client got a code of the session. Returns false if the session has ended. */
  useByClient(sid: string, clientId: string, now: Instant): Work<boolean>;
  /**
   * Runs after `use` in the same write, which locks the row of the session. Only the redemption of a code skips `use`,
   * because the code may arrive at the very end of the session.
   */
  join(sid: string, participant: SessionParticipant): Work<Joined>;
  /** `toEnd`: within the write that ends them. */
  list(
    filter: SessionFilter,
    limits: SessionLimits,
    now: Instant,
    toEnd?: boolean,
  ): Work<readonly SessionWithParticipants[]>;
  /** Returns false if another operation removed it. */
  remove(sid: string): Work<boolean>;
  /** Removes those that have expired. */
  endExpired(limits: SessionLimits, now: Instant): Work<void>;
}

/** The browser's sessions under its current cookie and its next one. */
export function loginLocks({ cookie, formerCookie }: LogIn): readonly string[] {
  return [...new Set([cookie, formerCookie ?? cookie])].map((name) => `cookie ${name}`);
}

export function sessionRows({ ns, prepare, record: recordEvent, hasRoomFor }: OperationContext): SessionRows {
  const sql = prepare(texts);

  /** Evicts the least recently used sessions until the records fit. */
  function* makeRoom(kind: 'sessions' | 'session_participants', sid: string, ...records: string[]): Work<boolean> {
    while (!(yield* hasRoomFor(kind, ...records))) {
      if ((yield* sql.removeLongestUnusedOther.run({ ns, sid })) === 0) return false;
    }
    return true;
  }

  return {
    *logIn(login, now) {
      const { cookie, formerCookie, limits, username } = login;
      sql.purge.put({ ns, now });
      const rows = formerCookie === undefined ? [] : yield* sql.ofCookie.all({ ns, cookie: formerCookie });
      const present = rows.map(sessionOf);
      for (const session of present) {
        const { sid } = session;
        if (isSessionOver(session, limits, now)) {
          sql.part.put({ ns, sid, forgotten_at: endOfMemory(session, limits) });
        } else if (!isSessionLive(session, limits, now)) {
          sql.remove.put({ ns, sid });
        }
      }
      if (formerCookie !== undefined) sql.renameCookie.put({ ns, cookie, former: formerCookie });
      const renewed = sessionToRenew(present, username, limits, now);
      const session = sessionOfLogin(login, renewed?.sid ?? login.sid, now);
      const record = recordOfSession(session);
      const forgotten_at = plusSeconds(login.authenticatedAt, longestSessionSeconds);
      yield* makeRoom('sessions', session.sid, username, record);
      if (renewed !== undefined) {
        sql.renew.put({ ns, sid: renewed.sid, now, forgotten_at, record });
        return session;
      }
      sql.insert.put({ ns, sid: session.sid, cookie, username, now, forgotten_at, record });
      sql.removeBeyondBrowser.put({ ns, cookie });
      sql.removeBeyondNamespace.put({ ns });
      recordEvent(login.event(session.sid));
      return session;
    },
    *accounts(cookie, clientId, limits, now) {
      const rows = yield* sql.accounts.all({ ns, cookie, client_id: clientId ?? null });
      return rows
        .map((row) => ({ ...sessionOf(row), usedByClient: row.used_by_client === 1 }))
        .filter((session) => isSessionLive(session, limits, now));
    },
    *use(sid, now) {
      return (yield* sql.use.run({ ns, sid, now })) === 1;
    },
    *useByClient(sid, clientId, now) {
      if ((yield* sql.use.run({ ns, sid, now })) === 0) return false;
      if (yield* makeRoom('session_participants', sid, clientId)) {
        sql.useByClient.put({ ns, sid, client_id: clientId });
      }
      return true;
    },
    *join(sid, participant) {
      const { kind } = participant;
      const name = kind === 'client' ? participant.client_id : participant.entity_id;
      const before =
        kind === 'client' ? undefined : (yield* sql.participant.get({ ns, sid, kind, participant: name }))?.record;
      const record = encode(joinedAgain(before, participant));
      if (!(yield* makeRoom('session_participants', sid, name, record))) return 'full';
      return (yield* sql.join.run({ ns, sid, kind, participant: name, record })) === 1 ? 'joined' : 'session_over';
    },
    *list({ sid, cookie, username, client_id, entity_id, includeEnded: overToo }, limits, now, toEnd = false) {
      const rows = yield* (toEnd ? sql.matchingToEnd : sql.matching).all({
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
      if (live.length === 0) return [];
      const sids = JSON.stringify(live.map((session) => session.sid));
      const participants = groupByKey(yield* sql.participants.all({ ns, sids }), (row) => row.sid);
      return live.map((session) => ({
        ...session,
        participants: (participants.get(session.sid) ?? []).map(({ record }) => record),
      }));
    },
    *remove(sid) {
      return (yield* sql.remove.run({ ns, sid })) === 1;
    },
    *endExpired(limits, now) {
      const expired = (yield* sql.all.all({ ns })).filter((row) => isSessionOver(sessionOf(row), limits, now));
      for (const { sid } of expired) sql.remove.put({ ns, sid });
    },
  };
}

function sessionOf({ sid, username, last_used_at, record }: z.output<typeof sessionRow>): Session {
  return { sid, username, lastUsedAt: last_used_at, ...record };
}

function sessionOfLogin(login: LogIn, sid: string, now: Instant): Session {
  const { browser, username, method, amr, acr, authenticatedAt, credentials, claims } = login;
  const typed = claims && { claims };
  return { sid, browser, username, method, amr, acr, authenticatedAt, lastUsedAt: now, credentials, ...typed };
}

function recordOfSession({ browser, method, amr, acr, authenticatedAt, credentials, claims }: Session): string {
  return encode({ browser, method, amr, acr, authenticatedAt, credentials, ...(claims && { claims }) });
}
