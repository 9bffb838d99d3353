// Events that belong to a change of runtime state wait here until they are in the audit database (AUD-10). They are
// written in the transaction of the change. The two files cannot be committed as one, so each event carries a delivery
// id, and the audit accepts each id once. The next process finishes a delivery that a crash interrupted.
//
// The outbox is read inside the audit's transaction. A process may be stopped for any time between reading and writing.
// Even then it never adds an event that another process has delivered and the audit has deleted since.
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

/** The outbox of one namespace. */
export interface Outbox {
  /** Stores an event. Only inside the transaction of its change. */
  put(event: AuditEvent): void;
  /** Stores an event in its own transaction. The next delivery takes it. */
  keep(event: AuditEvent): Promise<void>;
  /**
   * Called after a transaction that stored events: waits until they can be read (AUD-09). An audit that stays locked or
   * full after the commit is not an error: the change and its event are stored, and every reader of the audit delivers
   * before it reads. A 503 would only make the client repeat the change.
   */
  committed(): Promise<void>;
}

export interface OutboxDelivery {
  /**
   * Moves all waiting events, of all namespaces, into the audit, in the order of the changes. Cheap when none waits.
   */
  deliver(): Promise<void>;
}

/** Commits and returns what `waiting` returns. It is called inside the transaction of the audit. */
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
      log.warn({ err: error.cause }, 'the audit event of a completed change waits until the audit is available');
    }
  };
  return {
    put: add,
    keep: (event) => database.write(() => add(event)),
    committed,
  };
}
