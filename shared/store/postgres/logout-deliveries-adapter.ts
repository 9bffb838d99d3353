// Messages that tell the participants of a session of its end, in PostgreSQL. A process that takes one up moves its `due_at` into the
// future, so that one column says when it is due, that somebody has it in hand, and how long it pauses after a failure.
import type { Instant } from '#shared/clock.ts';
import type { LogoutDelivery } from '#shared/domain/logout-delivery.ts';
import { encode } from '../json-columns.ts';
import type { LogoutDeliveries } from '../ports/logout-deliveries.ts';
import { logoutDeliveryTexts } from '../statements/logout-deliveries.ts';
import type { ChangeEvents } from './audit/change-events.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { prepared, type Runner } from './statement.ts';

const sql = prepared(logoutDeliveryTexts);

/** To be run inside the transaction that ends a session; whoever runs it has them until `until`. */
export type AddLogoutDeliveries = (on: Runner, deliveries: readonly LogoutDelivery[], until: Instant) => Promise<void>;

export function addLogoutDeliveries({ ns }: NamespaceContext): AddLogoutDeliveries {
  return async (on, deliveries, until) => {
    for (const { id, attempts, ...record } of deliveries) {
      await sql.insert.run(on, { ns, id, attempts, record: encode(record), due_at: until });
    }
    if (deliveries.length > 0) await sql.makeRoom.run(on, { ns });
  };
}

export function logoutDeliveriesAdapter({ database, ns }: NamespaceContext, events: ChangeEvents): LogoutDeliveries {
  return {
    takeUp: (real, until) =>
      database.write('logout_deliveries', async (on) => {
        const due = await sql.due.all(on, { ns, real });
        for (const { id } of due) await sql.takeUp.run(on, { ns, id, until });
        return due.map(({ id, attempts, record }) => ({ id, attempts, ...record }));
      }),
    settle: (id, event) =>
      database.write('logout_deliveries', async (on) => {
        const isOurs = (await sql.remove.run(on, { ns, id })) === 1;
        if (isOurs) await events.put(on, event);
        return isOurs;
      }),
    drop: (id) => database.write('logout_deliveries', async (on) => void (await sql.remove.run(on, { ns, id }))),
    postpone: (id, due) =>
      database.write('logout_deliveries', async (on) => void (await sql.postpone.run(on, { ns, id, due_at: due }))),
    namespacesWithDue: (real) =>
      database.read(async (on) => (await sql.namespaces.all(on, { real })).map(({ namespace }) => namespace)),
  };
}
