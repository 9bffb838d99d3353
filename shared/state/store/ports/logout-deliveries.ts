import type { Instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { LogoutDelivery } from '#shared/model/domain/logout-delivery.ts';

/**
 * Logout tokens that clients have yet to be told, by real time. They come into being with the end of a session
 * (`Sessions.end`), taken up by whoever ended it; whoever has one is the only one who tells it (LGO-16).
 */
export interface LogoutDeliveries {
  /** Takes up those that are due and nobody has; until `until` nobody else gets them. */
  takeUp(real: Instant, until: Instant): Promise<readonly LogoutDelivery[]>;
  /** It was told, refused or given up: puts the event in, once. False: somebody else did. */
  settle(id: string, event: AuditEvent): Promise<boolean>;
  /** Forgets a delivery that nobody is to get. */
  drop(id: string): Promise<void>;
  /** It was tried once more and is due again then. */
  postpone(id: string, due: Instant): Promise<void>;
  /** The namespaces in which something is due, whichever asks. */
  namespacesWithDue(real: Instant): Promise<readonly string[]>;
}
