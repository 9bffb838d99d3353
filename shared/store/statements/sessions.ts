// The statements about `sessions` and `session_participants`.
import { participantRow, sessionColumns, sessionRow } from '../rows/session.ts';
import { command, query } from './text.ts';

/** What each engine says in its own words. */
interface SessionWords {
  /** A number that is greater than that of every use before. */
  readonly nextUse: string;
  /** The key of a participant, as its index names it. */
  readonly participantKey: string;
  /** Behind a SELECT: the session that it finds is still there when the transaction ends. */
  readonly held: string;
}

export const sessionTexts = ({ nextUse, participantKey, held }: SessionWords) => ({
  ofCookie: query(
    `SELECT ${sessionColumns} FROM sessions s WHERE s.namespace = @ns AND s.cookie = @cookie ORDER BY s.use_number DESC`,
    sessionRow,
  ),
  all: query(`SELECT ${sessionColumns} FROM sessions s WHERE s.namespace = @ns`, sessionRow),
  participant: query(
    `SELECT record FROM session_participants WHERE namespace = @ns AND sid = @sid AND kind = @kind
       AND participant = @participant AND record IS NOT NULL`,
    participantRow,
  ),
  renameCookie: command('UPDATE sessions SET cookie = @cookie WHERE namespace = @ns AND cookie = @former'),
  /** It is over, and no browser's any more: only those who took part know it for a while. */
  part: command("UPDATE sessions SET cookie = '', forgotten_at = @forgotten_at WHERE namespace = @ns AND sid = @sid"),
  remove: command('DELETE FROM sessions WHERE namespace = @ns AND sid = @sid'),
  longestUnused: command(
    `DELETE FROM sessions WHERE seq = (
       SELECT seq FROM sessions WHERE namespace = @ns AND sid <> @sid ORDER BY use_number LIMIT 1)`,
  ),
  insert: command(
    `INSERT INTO sessions (namespace, sid, cookie, username, last_used_at, use_number, forgotten_at, record)
     VALUES (@ns, @sid, @cookie, @username, @now, ${nextUse}, @forgotten_at, @record)`,
  ),
  renew: command(
    `UPDATE sessions SET last_used_at = @now, use_number = ${nextUse}, forgotten_at = @forgotten_at, record = @record
     WHERE namespace = @ns AND sid = @sid`,
  ),
  use: command(
    `UPDATE sessions SET last_used_at = @now, use_number = ${nextUse}
     WHERE namespace = @ns AND sid = @sid AND cookie <> ''`,
  ),
  useByClient: command(
    `INSERT INTO session_participants (namespace, sid, kind, participant, use_number)
     SELECT namespace, sid, 'client', @client_id, use_number FROM sessions WHERE namespace = @ns AND sid = @sid
     ON CONFLICT (namespace, sid, kind, ${participantKey}) DO UPDATE SET use_number = excluded.use_number`,
  ),
  join: command(
    `INSERT INTO session_participants (namespace, sid, kind, participant, use_number, record)
     SELECT namespace, sid, @kind, @participant, use_number, @record FROM sessions WHERE namespace = @ns AND sid = @sid${held}
     ON CONFLICT (namespace, sid, kind, ${participantKey}) DO UPDATE SET record = excluded.record`,
  ),
});
