import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { Consent } from '#shared/model/domain/consent.ts';
import type { SessionFilter } from './sessions.ts';

export type ConsentFilter = Pick<SessionFilter, 'username' | 'client_id'>;

export interface Consents {
  /** Returns the scopes that the user allowed the client. undefined: no consent is stored. */
  find(username: string, clientId: string): Promise<readonly string[] | undefined>;
  /** Adds a consent to what was allowed before. At most 10000 are stored. The oldest is evicted. */
  grant(consent: Consent): Promise<void>;
  /** The consents that match the filter, the newest first. */
  list(filter: ConsentFilter): Promise<readonly Consent[]>;
  /** Deletes the matching consents and returns their number. Each deletion records an event. */
  remove(filter: ConsentFilter, event: (consent: Consent) => AuditEvent): Promise<number>;
}
