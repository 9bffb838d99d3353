// An event that belongs to a change is committed with it, so there is no outbox (PGS-19).
import { auditEntryOf } from '#shared/model/audit/audit-entry.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { OnStoreStep } from '../../store-steps.ts';
import type { Transaction } from '../transaction.ts';
import { addition } from './entry-rows.ts';

export interface ChangeEvents {
  /** Stores an event. Only inside the transaction of its change. */
  put(on: Transaction, event: AuditEvent): void;
}

export function changeEvents(namespace: NamespaceKey, onStep: OnStoreStep | undefined): ChangeEvents {
  return {
    put: (on, event) => {
      const entry = auditEntryOf(event);
      on.put(addition(namespace, [entry]));
      on.recorded.push({ namespace, entry });
      onStep?.('event_in_outbox');
    },
  };
}
