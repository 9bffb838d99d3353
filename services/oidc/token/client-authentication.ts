// Who is calling /token, /introspect, /revoke and /device_authorization (CLT-01 to CLT-14, RFC 6749 §2.3). One registered
// method for each client; every failure gets the same sentence, so that nobody learns which clients exist.
import { isPublicClient } from '#shared/configuration/model/client-entry.ts';
import { type EffectiveClient, findEffectiveClient } from '#shared/domain/effective-identities.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { type BasicCredentials, basicCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { secretsEqual } from '#shared/protocol/secrets-equal.ts';
import { AuditedRefusal } from './audited-refusal.ts';

export type ClientSurface = 'token' | 'introspect' | 'revoke' | 'device_authorization';

/** @throws OAuthError invalid_client */
export async function authenticateClient(
  request: ParsedRequest,
  context: RequestContext,
  surface: ClientSurface,
): Promise<EffectiveClient> {
  const basic = basicCredentials(request.headers.authorization);
  const clientId = namedClient(request, basic, surface);
  const found = await findEffectiveClient(context.snapshot, context.store, clientId, context.clock.now());
  if (found === undefined) {
    // The same work as for a wrong secret.
    secretsEqual(request.form.value('client_secret') ?? '', clientId);
    throw refusal(surface, basic, 'Unknown client');
  }
  const problem = isPublicClient(found.client)
    ? publicClientProblem(request, basic, found, surface)
    : confidentialClientProblem(request, basic, found);
  if (problem !== undefined) throw refusal(surface, basic, problem);
  return found;
}

/** The client that a request names, authenticated or not: for audit entries of refusals. */
export function claimedClientId(request: ParsedRequest): string | undefined {
  const basic = basicCredentials(request.headers.authorization);
  return request.form.value('client_id') ?? (basic.kind === 'credentials' ? basic.user || undefined : undefined);
}

/** The form field, else the Basic user name; both together must agree (CLT-02). */
function namedClient(request: ParsedRequest, basic: BasicCredentials, surface: ClientSurface): string {
  const inBody = request.form.value('client_id');
  if (basic.kind === 'malformed') throw refusal(surface, basic, malformedBasic);
  if (basic.kind === 'credentials' && inBody !== undefined && inBody !== basic.user) {
    throw refusal(surface, basic, 'The Basic user name and client_id differ', { body_client_id: inBody });
  }
  const named = inBody ?? (basic.kind === 'credentials' ? basic.user : '');
  if (named === '') throw refusal(surface, basic, 'The request names no client');
  return named;
}

/** A public client never proves anything: /token and /revoke ignore what else it sends (CLT-07, CLT-08, CLT-12 to 14). */
function publicClientProblem(
  request: ParsedRequest,
  basic: BasicCredentials,
  { origin }: EffectiveClient,
  surface: ClientSurface,
): string | undefined {
  if (surface === 'introspect') return 'A public client may not introspect';
  if (surface !== 'device_authorization') return undefined;
  if (origin === 'cimd') return 'A client of a metadata document may not use the device grant';
  const sendsSecret = basic.kind !== 'absent' || request.form.value('client_secret') !== undefined;
  return sendsSecret ? 'A public client sent credentials' : undefined;
}

function confidentialClientProblem(
  request: ParsedRequest,
  basic: BasicCredentials,
  { client }: EffectiveClient,
): string | undefined {
  const inBody = request.form.value('client_secret');
  const presented = basic.kind === 'credentials' ? basic.password : undefined;
  const expected = client.client_secret ?? '';
  if (client.token_endpoint_auth_method === 'client_secret_basic') {
    if (inBody !== undefined) return 'A client_secret_basic client sent client_secret in the body';
    if (presented === undefined) return 'A client_secret_basic client sent no Basic credentials';
    if (expected !== '' && secretsEqual(presented, expected)) return undefined;
    const wasRaw = basic.kind === 'credentials' && secretsEqual(basic.rawPassword, expected);
    return wasRaw ? rawSecret : 'Wrong client secret';
  }
  if (presented !== undefined) return 'A client_secret_post client sent Basic credentials';
  if (inBody === undefined) return 'A client_secret_post client sent no client_secret';
  return expected !== '' && secretsEqual(inBody, expected) ? undefined : 'Wrong client secret';
}

const malformedBasic =
  'Malformed Basic credentials: they are the base64 of client_id, colon and secret, both form-encoded ' +
  '(RFC 6749 section 2.3.1)';

/** The commonest reason of a right secret that is refused: a client that leaves out the encoding (CLT-06). */
const rawSecret =
  'Wrong client secret: it is right as it stands in the header, but Basic credentials are form-encoded before the ' +
  'base64 step (RFC 6749 section 2.3.1), so that + and % must be sent as %2B and %25';

const sentence =
  'Client authentication failed. Send client_id with the secret by the one method registered for the client: ' +
  'client_secret_basic in the Authorization header, client_secret_post in the form, none with client_id alone.';

/** /token answers 401 with a challenge only to whoever tried Basic, the other endpoints always (CLT-09, CLT-10). */
function refusal(
  surface: ClientSurface,
  basic: BasicCredentials,
  reason: string,
  details: Readonly<Record<string, unknown>> = {},
): AuditedRefusal {
  const challenged = surface !== 'token' || basic.kind !== 'absent';
  return new AuditedRefusal('invalid_client', sentence, {
    reason,
    details,
    ...(challenged ? { status: 401, headers: { 'WWW-Authenticate': 'Basic' } } : {}),
  });
}
