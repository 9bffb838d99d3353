// Logouts that wait for an answer, in PostgreSQL. An answered one is deleted.
import { endOfLogoutConfirmation, isAnswerable, type LogoutConfirmation } from '#shared/domain/logout-confirmation.ts';
import { encode } from '../json-columns.ts';
import type { LogoutConfirmations } from '../ports/logout-confirmations.ts';
import { logoutConfirmationTexts } from '../statements/logout-confirmations.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import { type NamespaceContext, purgeOf } from './namespace-context.ts';
import { prepared, type Runner } from './statement.ts';

const sql = prepared({
  ...logoutConfirmationTexts,
  purge: purgeOf('logout_confirmations'),
});

export function logoutConfirmationsAdapter(context: NamespaceContext): LogoutConfirmations {
  const { database, ns } = context;
  const isRoomFor = byteBoundsOf(context);
  const find = async (on: Runner, logout_id: string, browser: string, now: LogoutConfirmation['askedAt']) => {
    const confirmation = (await sql.find.get(on, { ns, logout_id }))?.record;
    return confirmation && isAnswerable(confirmation, browser, now) ? confirmation : undefined;
  };
  return {
    ask: (confirmation, now) =>
      database.write('logout_confirmations', async (on) => {
        await sql.purge.run(on, { ns, now });
        const record = encode(confirmation);
        while (!(await isRoomFor(on, 'logout_confirmations', record)))
          if ((await sql.removeOldest.run(on, { ns })) === 0) return;
        const { logout_id } = confirmation;
        await sql.insert.run(on, { ns, logout_id, expires_at: endOfLogoutConfirmation(confirmation), record });
        await sql.makeRoom.run(on, { ns });
      }),
    find: (logoutId, browser, now) => database.read((on) => find(on, logoutId, browser, now)),
    answer: (logoutId, browser, now) =>
      database.write('logout_confirmations', async (on) => {
        const confirmation = await find(on, logoutId, browser, now);
        if (confirmation !== undefined) await sql.remove.run(on, { ns, logout_id: logoutId });
        return confirmation;
      }),
  };
}
