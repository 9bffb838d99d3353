// Logouts that wait for the user's confirmation. An answered one is deleted.
import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import {
  endOfLogoutConfirmation,
  isAnswerable,
  type LogoutConfirmation,
  logoutConfirmationsMax,
} from '#shared/model/domain/logout-confirmation.ts';
import { encode, encoded, logoutConfirmationShape } from '../json-columns.ts';
import type { LogoutConfirmations } from '../ports/logout-confirmations.ts';
import { command, query, removeBeyond, removeOldest, type StatementTexts } from '../statements/text.ts';
import type { Dialect, OperationContext, Work } from './work.ts';

const texts = ({ purge }: Dialect) =>
  ({
    purge: purge('logout_confirmations'),
    insert: command(
      `INSERT INTO logout_confirmations (namespace, logout_id, expires_at, record)
       VALUES (@ns, @logout_id, @expires_at, @record)`,
    ),
    find: query(
      'SELECT record FROM logout_confirmations WHERE namespace = @ns AND logout_id = @logout_id',
      z.object({ record: encoded(logoutConfirmationShape) }),
    ),
    remove: command('DELETE FROM logout_confirmations WHERE namespace = @ns AND logout_id = @logout_id'),
    removeOldest: removeOldest('logout_confirmations'),
    removeBeyondMax: removeBeyond('logout_confirmations', logoutConfirmationsMax),
  }) satisfies StatementTexts;

export function logoutConfirmations({ ns, prepare, read, write, hasRoomFor }: OperationContext): LogoutConfirmations {
  const sql = prepare(texts);

  function* find(logout_id: string, browser: string, now: Instant): Work<LogoutConfirmation | undefined> {
    const confirmation = (yield* sql.find.get({ ns, logout_id }))?.record;
    return confirmation !== undefined && isAnswerable(confirmation, browser, now) ? confirmation : undefined;
  }

  return {
    ask: (confirmation, now) =>
      write('logout_confirmations', function* () {
        sql.purge.put({ ns, now });
        const record = encode(confirmation);
        while (!(yield* hasRoomFor('logout_confirmations', record))) {
          if ((yield* sql.removeOldest.run({ ns })) === 0) return;
        }
        const { logout_id } = confirmation;
        sql.insert.put({ ns, logout_id, expires_at: endOfLogoutConfirmation(confirmation), record });
        sql.removeBeyondMax.put({ ns });
      }),
    find: (logoutId, browser, now) => read(() => find(logoutId, browser, now)),
    answer: (logoutId, browser, now) =>
      write('logout_confirmations', function* () {
        const confirmation = yield* find(logoutId, browser, now);
        if (confirmation !== undefined) sql.remove.put({ ns, logout_id: logoutId });
        return confirmation;
      }),
  };
}
