// Records a user's consent once its code was issued: stored if `login.consent` asks only once, and in the audit
// (SSO-36, SSO-46).

import { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { AuthorizationRequest } from '#shared/model/domain/authorization-request.ts';

export async function recordConsent(
  username: string,
  { client_id, scope }: AuthorizationRequest,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<void> {
  const { store, clock, snapshot } = context;
  if (snapshot.settings.login.consent === 'first') {
    await store.consents.grant({ username, client_id, scope, givenAt: clock.now() });
  }
  const given = new AuditNote();
  given.succeeded({ username, client_id, details: { client_id, scope: scope.join(' ') } }, { done: true });
  await given.write({ event_type: 'consent_given', endpoint: '/authorize' }, request, context);
}
