// Rows of `sessions` and `session_participants` as the domain sees them.
import * as z from 'zod';
import type { Instant } from '#shared/clock.ts';
import type { Session } from '#shared/domain/session.ts';
import { encode, encoded, instantColumn, participantShape, sessionShape } from '../json-columns.ts';
import type { LogIn } from '../ports/sessions.ts';

export const sessionRow = z.object({
  sid: z.string(),
  username: z.string(),
  last_used_at: instantColumn,
  record: encoded(sessionShape),
});

export const accountRow = sessionRow.extend({ used_by_client: z.number() });
export const participantRow = z.object({ record: encoded(participantShape) });
export const sessionColumns = 's.sid, s.username, s.last_used_at, s.record';

export const clientTakesPart = `EXISTS (SELECT 1 FROM session_participants p WHERE p.namespace = s.namespace AND p.sid = s.sid
       AND p.kind = 'client' AND p.participant = @client_id AND p.record IS NOT NULL)`;

export const providerTakesPart = `EXISTS (SELECT 1 FROM session_participants p WHERE p.namespace = s.namespace AND p.sid = s.sid
       AND p.kind = 'service_provider' AND p.participant = @entity_id)`;

export function sessionOf({ sid, username, last_used_at, record }: z.output<typeof sessionRow>): Session {
  return { sid, username, lastUsedAt: last_used_at, ...record };
}

export function sessionOfLogin(login: LogIn, sid: string, now: Instant): Session {
  const { browser, username, method, amr, acr, authenticatedAt, credentials, claims } = login;
  const typed = claims && { claims };
  return { sid, browser, username, method, amr, acr, authenticatedAt, lastUsedAt: now, credentials, ...typed };
}

export function recordOfSession({ browser, method, amr, acr, authenticatedAt, credentials, claims }: Session): string {
  return encode({ browser, method, amr, acr, authenticatedAt, credentials, ...(claims && { claims }) });
}
