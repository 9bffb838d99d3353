// Logouts that wait for an answer, in SQLite. An answered one is deleted.
import { endOfLogoutConfirmation, isAnswerable, type LogoutConfirmation } from '#shared/domain/logout-confirmation.ts';
import { encode } from '../json-columns.ts';
import type { LogoutConfirmations } from '../ports/logout-confirmations.ts';
import { logoutConfirmationTexts } from '../statements/logout-confirmations.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import { type NamespaceContext, purgeOf } from './namespace-context.ts';

const texts = {
  ...logoutConfirmationTexts,
  purge: purgeOf('logout_confirmations'),
};

export function logoutConfirmationsAdapter(context: NamespaceContext): LogoutConfirmations {
  const { database, ns } = context;
  const sql = database.prepare(texts);
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
