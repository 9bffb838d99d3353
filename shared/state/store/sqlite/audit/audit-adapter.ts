// The audit port of one namespace: recorder, entries and outbox.
import type { Logger } from '#shared/base/logger.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { AuditLog } from '../../ports/audit.ts';
import { RuntimeStoreUnavailableError } from '../../runtime-store-unavailable.ts';
import type { Outbox, OutboxDelivery } from '../outbox.ts';
import type { AuditDatabase } from './audit-database.ts';
import type { AuditRecorder } from './audit-recorder.ts';

interface AuditParts {
  readonly recorder: AuditRecorder;
  readonly entries: AuditDatabase;
  readonly outbox: Outbox;
  readonly delivery: OutboxDelivery;
  readonly ns: NamespaceKey;
  readonly log: Logger;
}

export function auditAdapter({ recorder, entries, outbox, delivery, ns, log }: AuditParts): AuditLog {
  return {
    record: async (event, { done = false } = {}) => {
      try {
        await recorder.record(ns, event);
      } catch (error) {
        if (!done || !(error instanceof RuntimeStoreUnavailableError)) throw error;
        log.warn(
          { err: error.cause, event_type: event.event_type },
          'the audit event of a completed change waits until the audit is available',
        );
        await outbox.keep(event);
      }
    },
    // A reader delivers what a dead process left in the outbox, so that the audit is complete (AUD-10).
    read: async (query) => {
      await delivery.deliver();
      return entries.read(ns, query);
    },
    pieces: async function* (query) {
      await delivery.deliver();
      yield* entries.pieces(ns, query);
    },
    counters: async () => {
      await delivery.deliver();
      return entries.counters(ns);
    },
    clear: async () => {
      await delivery.deliver();
      await entries.clear(ns);
    },
    close: () => recorder.settled(),
  };
}
