// The statements about `logout_deliveries`.
import { logoutDeliveriesMax } from '#shared/domain/logout-delivery.ts';
import { deliveryRow, takenUpAtOnce } from '../rows/logout-delivery.ts';
import { namespaceRow } from '../rows/namespace.ts';
import { command, query, removeBeyond, type StatementTexts } from './text.ts';

export const logoutDeliveryTexts = {
  insert: command(
    `INSERT INTO logout_deliveries (namespace, id, record, attempts, due_at)
     VALUES (@ns, @id, @record, @attempts, @due_at)`,
  ),
  due: query(
    `SELECT id, attempts, record FROM logout_deliveries WHERE namespace = @ns AND due_at <= @real
     ORDER BY due_at LIMIT ${takenUpAtOnce}`,
    deliveryRow,
  ),
  takeUp: command('UPDATE logout_deliveries SET due_at = @until WHERE namespace = @ns AND id = @id'),
  postpone: command(
    'UPDATE logout_deliveries SET due_at = @due_at, attempts = attempts + 1 WHERE namespace = @ns AND id = @id',
  ),
  remove: command('DELETE FROM logout_deliveries WHERE namespace = @ns AND id = @id'),
  makeRoom: removeBeyond('logout_deliveries', logoutDeliveriesMax),
  namespaces: query('SELECT DISTINCT namespace FROM logout_deliveries WHERE due_at <= @real', namespaceRow),
} satisfies StatementTexts;
