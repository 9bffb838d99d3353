import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { Consent } from '#shared/model/domain/consent.ts';
import type { SessionFilter } from './sessions.ts';

export type ConsentFilter = Pick<SessionFilter, 'username' | 'client_id'>;

export interface Consents {
  /** The scopes that the user allowed the client; undefined: there was no consent. */
  find(username: string, clientId: string): Promise<readonly string[] | undefined>;
  /** Remembers a consent beside what was allowed before; of 10000 the one given first gives way. */
  give(consent: Consent): Promise<void>;
  /** The consents that match the filter, the newest first. */
  list(filter: ConsentFilter): Promise<readonly Consent[]>;
  /** Forgets those that fit and answers how many they were; each puts an event in. */
  forget(filter: ConsentFilter, event: (consent: Consent) => AuditEvent): Promise<number>;
}
