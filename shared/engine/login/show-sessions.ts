// Sessions and consents as REST, tools and pages show them (SSO-41, SSO-43). The output cannot be used to make a
// cookie.
import type { Consent } from '#shared/model/domain/consent.ts';
import { endOfSession, type SessionLimits } from '#shared/model/domain/session.ts';
import type { SessionWithParticipants } from '#shared/state/store/ports/index.ts';

export function shownSession(session: SessionWithParticipants, limits: SessionLimits) {
  const { sid, username, browser, method, acr, authenticatedAt, lastUsedAt, participants } = session;
  return {
    ...{ sid, username, browser, method, acr: acr ?? null },
    authenticated_at: new Date(authenticatedAt).toISOString(),
    last_used_at: new Date(lastUsedAt).toISOString(),
    expires_at: new Date(endOfSession(session, limits)).toISOString(),
    clients: participants.flatMap((one) => (one.kind === 'client' ? [one.client_id] : [])),
    service_providers: participants.flatMap((one) => (one.kind === 'service_provider' ? [one.entity_id] : [])),
  };
}

export type ShownSession = ReturnType<typeof shownSession>;

export function shownConsent({ username, client_id, scope, givenAt }: Consent) {
  return { username, client_id, scope: scope.join(' '), given_at: new Date(givenAt).toISOString() };
}

export type ShownConsent = ReturnType<typeof shownConsent>;
