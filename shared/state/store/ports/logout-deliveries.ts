import type { Instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { LogoutDelivery } from '#shared/model/domain/logout-delivery.ts';

/**
 * Notifications of a session's end that still have to be delivered to its participants, by real time. `Sessions.end`
 * creates them, claimed by the process that ended the session. Only the process with the claim delivers them (LGO-16).
 */
export interface LogoutDeliveries {
  /** Claims the due deliveries that no process has claimed. Until `until` no other process gets them. */
  takeUp(real: Instant, until: Instant): Promise<readonly LogoutDelivery[]>;
  /** The delivery was accepted, rejected or given up. Records the event once. False: another process did so. */
  settle(id: string, event: AuditEvent): Promise<boolean>;
  /** Deletes a delivery that its participant does not want. */
  drop(id: string): Promise<void>;
  /** Records another attempt. The delivery is due again at `due`. */
  postpone(id: string, due: Instant): Promise<void>;
  /** Returns the namespaces with due deliveries, from any namespace. */
  namespacesWithDue(real: Instant): Promise<readonly string[]>;
}
