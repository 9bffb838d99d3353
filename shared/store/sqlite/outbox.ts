// Events that belong to a change of runtime state wait here, written in the transaction of the change, until they are
// in the audit database (AUD-10). The two files cannot be committed as one, so each event carries a delivery id and the
// audit takes each id once; whoever comes next finishes a delivery that a crash cut short.
import * as z from 'zod';
import type { AuditEvent } from '#shared/audit/audit-event.ts';
import type { NamespaceContext } from './namespace.ts';
import { auditEventShape, encoded, encodeEvent } from './records.ts';

export interface Delivery {
  readonly id: string;
  readonly namespace: string;
  readonly event: AuditEvent;
}

export interface Outbox {
  /** Puts an event in; only inside the transaction of its change. */
  put(event: AuditEvent): void;
  /** Moves everything that waits into the audit, in the order of the changes. Cheap when nothing waits. */
  deliver(): Promise<void>;
}

const waitingRow = z.object({
  namespace: z.string(),
  delivery: z.string(),
  event: encoded(auditEventShape),
});

export function openOutbox(
  { database, ns, random }: NamespaceContext,
  take: (deliveries: readonly Delivery[]) => Promise<void>,
): Outbox {
  const put = database.command('INSERT INTO outbox (namespace, delivery, event) VALUES (@ns, @delivery, @event)');
  const waiting = database.query('SELECT namespace, delivery, event FROM outbox ORDER BY seq', waitingRow);
  const remove = database.command('DELETE FROM outbox WHERE delivery = @delivery');
  return {
    put: (event) => {
      put.run({ ns, delivery: random.token(16), event: encodeEvent(event) });
    },
    deliver: async () => {
      const rows = await database.read(() => waiting.all({}));
      if (rows.length === 0) return;
      await take(rows.map(({ delivery, namespace, event }) => ({ id: delivery, namespace, event })));
      await database.write(() => {
        for (const { delivery } of rows) remove.run({ delivery });
      });
    },
  };
}
