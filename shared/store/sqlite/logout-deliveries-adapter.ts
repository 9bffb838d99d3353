// The ends of sessions on their way to those who took part, in SQLite. Who has one moved its `due_at` into the future, so that taking up, lease and
// pause are one column.
import * as z from 'zod';
import type { Instant } from '#shared/clock.ts';
import { type LogoutDelivery, logoutDeliveriesMax } from '#shared/domain/logout-delivery.ts';
import { encode } from '../json-columns.ts';
import type { LogoutDeliveries } from '../ports/logout-deliveries.ts';
import { deliveryRow, takenUpAtOnce } from '../rows/logout-delivery.ts';
import type { Statements } from './database.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Outbox } from './outbox.ts';

const statements = (sql: Statements) => ({
  insert: sql.command(
    `INSERT INTO logout_deliveries (namespace, id, record, attempts, due_at)
     VALUES (@ns, @id, @record, @attempts, @due_at)`,
  ),
  due: sql.query(
    `SELECT id, attempts, record FROM logout_deliveries WHERE namespace = @ns AND due_at <= @real
     ORDER BY due_at LIMIT ${takenUpAtOnce}`,
    deliveryRow,
  ),
  takeUp: sql.command('UPDATE logout_deliveries SET due_at = @until WHERE namespace = @ns AND id = @id'),
  postpone: sql.command(
    'UPDATE logout_deliveries SET due_at = @due_at, attempts = attempts + 1 WHERE namespace = @ns AND id = @id',
  ),
  remove: sql.command('DELETE FROM logout_deliveries WHERE namespace = @ns AND id = @id'),
  makeRoom: sql.command(
    `DELETE FROM logout_deliveries WHERE seq IN (
       SELECT seq FROM logout_deliveries WHERE namespace = @ns ORDER BY seq DESC LIMIT -1 OFFSET ${logoutDeliveriesMax})`,
  ),
  namespaces: sql.query(
    'SELECT DISTINCT namespace FROM logout_deliveries WHERE due_at <= @real',
    z.object({ namespace: z.string() }),
  ),
});

/** To be run inside the transaction that ends a session; whoever runs it has them until `until`. */
export type AddLogoutDeliveries = (deliveries: readonly LogoutDelivery[], until: Instant) => void;

export function addLogoutDeliveries({ database, ns }: NamespaceContext): AddLogoutDeliveries {
  const sql = database.prepared(statements);
  return (deliveries, until) => {
    for (const { id, attempts, ...record } of deliveries) {
      sql.insert.run({ ns, id, attempts, record: encode(record), due_at: until });
    }
    if (deliveries.length > 0) sql.makeRoom.run({ ns });
  };
}

export function logoutDeliveriesAdapter({ database, ns }: NamespaceContext, outbox: Outbox): LogoutDeliveries {
  const sql = database.prepared(statements);
  return {
    takeUp: (real, until) =>
      database.write(() => {
        const due = sql.due.all({ ns, real });
        for (const { id } of due) sql.takeUp.run({ ns, id, until });
        return due.map(({ id, attempts, record }) => ({ id, attempts, ...record }));
      }),
    settle: (id, event) =>
      outbox.release(() => {
        const isOurs = sql.remove.run({ ns, id }) === 1;
        if (isOurs) outbox.put(event);
        return isOurs;
      }),
    drop: (id) => database.free(() => void sql.remove.run({ ns, id })),
    postpone: (id, due) => database.free(() => void sql.postpone.run({ ns, id, due_at: due })),
    namespacesWithDue: (real) => database.read(() => sql.namespaces.all({ real }).map(({ namespace }) => namespace)),
  };
}
