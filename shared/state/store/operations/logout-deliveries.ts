// Messages that notify the participants of a session of its end. A process that claims one moves its `due_at` into the
// future. So one column holds when it is due, that a process works on it, and how long it pauses after a failure.
import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import { type LogoutDelivery, logoutDeliveriesMax } from '#shared/model/domain/logout-delivery.ts';
import { encode, encoded, nameIdShape } from '../json-columns.ts';
import type { LogoutDeliveries } from '../ports/logout-deliveries.ts';
import { namespaceRow } from '../rows/namespace.ts';
import { command, query, removeBeyond, type StatementTexts } from '../statements/text.ts';
import type { OperationContext } from './work.ts';

const common = { sid: z.string(), username: z.string(), issuer: z.string() };

const recordShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('client'), ...common, client_id: z.string(), jti: z.string() }),
  z.object({
    kind: z.literal('service_provider'),
    ...common,
    entity_id: z.string(),
    name_id: nameIdShape,
    session_indexes: z.array(z.string()),
    request_id: z.string(),
  }),
]);

/** How many are claimed at once. The next call returns the rest. */
const takenUpAtOnce = 100;

const texts = () =>
  ({
    insert: command(
      `INSERT INTO logout_deliveries (namespace, id, record, attempts, due_at)
       VALUES (@ns, @id, @record, @attempts, @due_at)`,
    ),
    due: query(
      `SELECT id, attempts, record FROM logout_deliveries WHERE namespace = @ns AND due_at <= @real
       ORDER BY due_at LIMIT ${takenUpAtOnce}`,
      z.object({ id: z.string(), attempts: z.number(), record: encoded(recordShape) }),
    ),
    takeUp: command('UPDATE logout_deliveries SET due_at = @until WHERE namespace = @ns AND id = @id'),
    postpone: command(
      'UPDATE logout_deliveries SET due_at = @due_at, attempts = attempts + 1 WHERE namespace = @ns AND id = @id',
    ),
    remove: command('DELETE FROM logout_deliveries WHERE namespace = @ns AND id = @id'),
    removeBeyondMax: removeBeyond('logout_deliveries', logoutDeliveriesMax),
    namespaces: query('SELECT DISTINCT namespace FROM logout_deliveries WHERE due_at <= @real', namespaceRow),
  }) satisfies StatementTexts;

/** Used within the write that ends a session. The process that runs the write works on the deliveries until `until`. */
export type AddLogoutDeliveries = (deliveries: readonly LogoutDelivery[], until: Instant) => void;

export function addLogoutDeliveries({ ns, prepare }: OperationContext): AddLogoutDeliveries {
  const sql = prepare(texts);
  return (deliveries, until) => {
    for (const { id, attempts, ...record } of deliveries) {
      sql.insert.put({ ns, id, attempts, record: encode(record), due_at: until });
    }
    if (deliveries.length > 0) sql.removeBeyondMax.put({ ns });
  };
}

export function logoutDeliveries({ ns, prepare, read, write, release, record }: OperationContext): LogoutDeliveries {
  const sql = prepare(texts);
  const lock = 'logout_deliveries';
  return {
    takeUp: (real, until) =>
      write(lock, function* () {
        const due = yield* sql.due.all({ ns, real });
        for (const { id } of due) sql.takeUp.put({ ns, id, until });
        return due.map(({ record: delivery, ...rest }) => ({ ...rest, ...delivery }));
      }),
    settle: (id, event) =>
      release(lock, function* () {
        const isOurs = (yield* sql.remove.run({ ns, id })) === 1;
        if (isOurs) record(event);
        return isOurs;
      }),
    drop: (id) =>
      release(lock, function* () {
        yield* sql.remove.run({ ns, id });
      }),
    postpone: (id, due_at) =>
      release(lock, function* () {
        yield* sql.postpone.run({ ns, id, due_at });
      }),
    namespacesWithDue: (real) =>
      read(function* () {
        return (yield* sql.namespaces.all({ real })).map(({ namespace }) => namespace);
      }),
  };
}
