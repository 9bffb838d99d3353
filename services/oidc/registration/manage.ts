// GET and DELETE /register/<client_id> (RFC 7592, DCR-22 to DCR-27), for the holder of the registration access token.
// The response does not say why a credential is wrong, and such an attempt leaves no audit entry (AUD-14).

import { empty, json, type Reply } from '#shared/engine/exchange/reply.ts';
import { auditEvent, type ParsedRequest, type ProtocolContext, requestFacts } from '#shared/engine/exchange/request.ts';
import { settleConsentsToClients } from '#shared/engine/login/end-invalid-sessions.ts';
import { latestExpiry } from '#shared/engine/tokens/latest-expiry.ts';
import { familiesOfClient } from '#shared/model/domain/refresh-family.ts';
import type { RuntimeClient } from '#shared/model/domain/runtime-identity.ts';
import { registrationRefusals } from '#shared/model/refusals/families/registration.ts';
import { type OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { bearerCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { hashOfAccessToken, registrationBody } from './registration-body.ts';

export async function readRegistration(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const accessToken = presentedAccessToken(request);
  const client = await managedClient(request, accessToken, context);
  if (client.registration === undefined) throw refusedCredential();
  return json(200, registrationBody(client.entry, client.registration, accessToken, context));
}

export async function deleteRegistration(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const accessToken = presentedAccessToken(request);
  const { name: clientId } = await managedClient(request, accessToken, context);
  const { store, snapshot, clock } = context;
  // The client's tokens are revoked with it (RFC 7592 §2.3). This comes first, since it takes effect once the client is
  // deleted.
  await store.tokenState.revokeFamily(familiesOfClient(clientId), latestExpiry(snapshot.settings, clock.now()));
  const event = auditEvent(request, context, {
    event_type: 'client_registration_deleted',
    endpoint: '/register/<client_id>',
    status: 'success',
    client_id: clientId,
  });
  const removal = await store.identities.unregister(clientId, hashOfAccessToken(accessToken), event);
  if (removal === 'unknown') throw refusedCredential();
  if (removal === 'promotion_in_progress') {
    throw oauthError(registrationRefusals.registration_being_promoted);
  }
  await settleConsentsToClients(context, { ...requestFacts(request, context), endpoint: event.endpoint }, clientId);
  return empty(204);
}

function presentedAccessToken({ headers }: ParsedRequest): string {
  const bearer = bearerCredentials(headers.authorization);
  if (bearer.kind !== 'token') throw refusedCredential();
  return bearer.token;
}

/** A declared client is managed in its file, even if the store still has an object of its name (DCR-27). */
async function managedClient(
  { pathParameters }: ParsedRequest,
  accessToken: string,
  { snapshot, store }: ProtocolContext,
): Promise<RuntimeClient> {
  const clientId = pathParameters.client_id ?? '';
  const client = await store.identities.findRegistration(clientId, hashOfAccessToken(accessToken));
  if (client === undefined || snapshot.clients.has(clientId)) throw refusedCredential();
  return client;
}

function refusedCredential(): OAuthError {
  return oauthError(registrationRefusals.registration_access_token_wrong);
}
