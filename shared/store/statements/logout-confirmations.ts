// The statements about `logout_confirmations`.
import { logoutConfirmationsMax } from '#shared/domain/logout-confirmation.ts';
import { confirmationRow } from '../rows/logout.ts';
import { command, query, removeBeyond, removeOldest, type StatementTexts } from './text.ts';

export const logoutConfirmationTexts = {
  insert: command(
    `INSERT INTO logout_confirmations (namespace, logout_id, expires_at, record)
     VALUES (@ns, @logout_id, @expires_at, @record)`,
  ),
  find: query(
    'SELECT record FROM logout_confirmations WHERE namespace = @ns AND logout_id = @logout_id',
    confirmationRow,
  ),
  remove: command('DELETE FROM logout_confirmations WHERE namespace = @ns AND logout_id = @logout_id'),
  removeOldest: removeOldest('logout_confirmations'),
  makeRoom: removeBeyond('logout_confirmations', logoutConfirmationsMax),
} satisfies StatementTexts;
