// Events that belong to a change of runtime state wait here, written in the transaction of the change, until they are
// in the audit database (AUD-10). The two files cannot be committed as one, so each event carries a delivery id and the
// audit takes each id once; whoever comes next finishes a delivery that a crash cut short.
//
// What waits is read inside the audit's transaction: a process that was stopped for however long between reading and
// writing never brings an event that others delivered, and the audit forgot, in between.
import * as z from 'zod';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { auditEventShape, encoded, encodeEvent, presentRow } from '../json-columns.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import type { Statements } from './database.ts';
import type { NamespaceContext, StoreContext } from './namespace-context.ts';

export interface Delivery {
  readonly id: string;
  readonly namespace: string;
  readonly event: AuditEvent;
}

/** The outbox as one namespace uses it. */
export interface Outbox {
  /** Puts an event in; only inside the transaction of its change. */
  put(event: AuditEvent): void;
  /** Puts an event in by itself, for the next one who delivers. */
  keep(event: AuditEvent): Promise<void>;
  /**
   * After a transaction that put events in: waits until they can be read (AUD-09). An audit that stays locked or full after the commit
   * fails nothing any more: the change stands and so does its event, every reader of the audit delivers before it reads, and an
   * answer of 503 would only invite the client to do the same thing twice.
   */
  committed(): Promise<void>;
}

export interface OutboxDelivery {
  /** Moves everything that waits, of all namespaces, into the audit, in the order of the changes. Cheap when nothing waits. */
  deliver(): Promise<void>;
}

/** Commits what `waiting` answers, asked inside the transaction of the audit; answers it. */
type TakeDeliveries = (waiting: () => readonly Delivery[]) => Promise<readonly Delivery[]>;

const waitingRow = z.object({
  namespace: z.string(),
  delivery: z.string(),
  event: encoded(auditEventShape),
});

const statements = (sql: Statements) => ({
  put: sql.command('INSERT INTO outbox (namespace, delivery, event) VALUES (@ns, @delivery, @event)'),
  any: sql.query('SELECT 1 AS present FROM outbox LIMIT 1', presentRow),
  waiting: sql.query('SELECT namespace, delivery, event FROM outbox ORDER BY seq', waitingRow),
  remove: sql.command('DELETE FROM outbox WHERE delivery = @delivery'),
});

export function outboxDelivery(
  { database, onStep }: Pick<StoreContext, 'database' | 'onStep'>,
  take: TakeDeliveries,
): OutboxDelivery {
  const { any, waiting, remove } = database.prepared(statements);

  return {
    deliver: async () => {
      if ((await database.read(() => any.get({}))) === undefined) return;
      const taken = await take(() => {
        const deliveries = waiting.all({}).map(({ delivery, ...rest }) => ({ id: delivery, ...rest }));
        onStep?.('event_taken');
        return deliveries;
      });
      onStep?.('event_in_audit');
      await database.free(() => {
        for (const { id } of taken) remove.run({ delivery: id });
      });
      onStep?.('event_delivered');
    },
  };
}

export function outboxOf({ database, ns, random, log, onStep }: NamespaceContext, { deliver }: OutboxDelivery): Outbox {
  const { put } = database.prepared(statements);
  const add = (event: AuditEvent) => {
    put.run({ ns, delivery: random.token(16), event: encodeEvent(event) });
    onStep?.('event_in_outbox');
  };

  const committed = async () => {
    onStep?.('change_committed');
    try {
      await deliver();
    } catch (error) {
      if (!(error instanceof RuntimeStoreUnavailableError)) throw error;
      log.warn({ err: error.cause }, 'the event of a committed change waits for the audit');
    }
  };
  return {
    put: add,
    keep: (event) => database.write(() => add(event)),
    committed,
  };
}
