// Messages that tell the participants of a session of its end, in SQLite. A process that takes one up moves its `due_at` into the
// future, so that one column says when it is due, that somebody has it in hand, and how long it pauses after a failure.
import type { Instant } from '#shared/clock.ts';
import type { LogoutDelivery } from '#shared/domain/logout-delivery.ts';
import { encode } from '../json-columns.ts';
import type { LogoutDeliveries } from '../ports/logout-deliveries.ts';
import { logoutDeliveryTexts } from '../statements/logout-deliveries.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Outbox } from './outbox.ts';

/** To be run inside the transaction that ends a session; whoever runs it has them until `until`. */
export type AddLogoutDeliveries = (deliveries: readonly LogoutDelivery[], until: Instant) => void;

export function addLogoutDeliveries({ database, ns }: NamespaceContext): AddLogoutDeliveries {
  const sql = database.prepare(logoutDeliveryTexts);
  return (deliveries, until) => {
    for (const { id, attempts, ...record } of deliveries) {
      sql.insert.run({ ns, id, attempts, record: encode(record), due_at: until });
    }
    if (deliveries.length > 0) sql.makeRoom.run({ ns });
  };
}

export function logoutDeliveriesAdapter({ database, ns }: NamespaceContext, outbox: Outbox): LogoutDeliveries {
  const sql = database.prepare(logoutDeliveryTexts);
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
