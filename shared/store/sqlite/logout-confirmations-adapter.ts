// Logouts that wait for an answer, in SQLite. An answered one is deleted.
import * as z from 'zod';
import {
  endOfLogoutConfirmation,
  isAnswerable,
  type LogoutConfirmation,
  logoutConfirmationsMax,
} from '#shared/domain/logout-confirmation.ts';
import { encode, encoded, logoutConfirmationShape } from '../json-columns.ts';
import type { LogoutConfirmations } from '../ports/logout-confirmations.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import type { Statements } from './database.ts';
import { type NamespaceContext, purge } from './namespace-context.ts';

const confirmationRow = z.object({ record: encoded(logoutConfirmationShape) });

const statements = (sql: Statements) => ({
  purge: purge(sql, 'logout_confirmations'),
  insert: sql.command(
    `INSERT INTO logout_confirmations (namespace, logout_id, expires_at, record)
     VALUES (@ns, @logout_id, @expires_at, @record)`,
  ),
  find: sql.query(
    'SELECT record FROM logout_confirmations WHERE namespace = @ns AND logout_id = @logout_id',
    confirmationRow,
  ),
  remove: sql.command('DELETE FROM logout_confirmations WHERE namespace = @ns AND logout_id = @logout_id'),
  removeOldest: sql.command(
    `DELETE FROM logout_confirmations WHERE seq = (
       SELECT seq FROM logout_confirmations WHERE namespace = @ns ORDER BY seq LIMIT 1)`,
  ),
  makeRoom: sql.command(
    `DELETE FROM logout_confirmations WHERE seq IN (
       SELECT seq FROM logout_confirmations WHERE namespace = @ns ORDER BY seq DESC LIMIT -1 OFFSET ${logoutConfirmationsMax})`,
  ),
});

export function logoutConfirmationsAdapter(context: NamespaceContext): LogoutConfirmations {
  const { database, ns } = context;
  const sql = database.prepared(statements);
  const isRoomFor = byteBoundsOf(context);
  const find = (logout_id: string, browser: string, now: LogoutConfirmation['askedAt']) => {
    const confirmation = sql.find.get({ ns, logout_id })?.record;
    return confirmation && isAnswerable(confirmation, browser, now) ? confirmation : undefined;
  };
  return {
    ask: (confirmation, now) =>
      database.write(() => {
        sql.purge.run({ ns, now });
        const record = encode(confirmation);
        while (!isRoomFor('logout_confirmations', record)) if (sql.removeOldest.run({ ns }) === 0) return;
        const { logout_id } = confirmation;
        sql.insert.run({ ns, logout_id, expires_at: endOfLogoutConfirmation(confirmation), record });
        sql.makeRoom.run({ ns });
      }),
    find: (logoutId, browser, now) => database.read(() => find(logoutId, browser, now)),
    answer: (logoutId, browser, now) =>
      database.write(() => {
        const confirmation = find(logoutId, browser, now);
        if (confirmation !== undefined) sql.remove.run({ ns, logout_id: logoutId });
        return confirmation;
      }),
  };
}
