// Authenticates the client at /token, /introspect, /revoke, /device_authorization and /par (CLT-01 to CLT-14, RFC 6749
// §2.3). Each client has one registered method. An unknown client and a wrong secret get the same message, so that
// callers cannot find out which clients exist.

import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type EffectiveClient, findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import {
  hasOptionalSecret,
  isPublicClient,
  takesMethod,
  withoutItsSecret,
} from '#shared/model/configuration/client-authentication.ts';
import { clientOfAssertion } from '#shared/model/oauth-rules/client-assertion.ts';
import { clientAuthenticationRefusals as refusals } from '#shared/model/refusals/families/client-authentication.ts';
import { type OAuthAbout, type OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { basicChallenge } from '#shared/protocol/oauth2/authorization-header.ts';
import { secretsEqual } from '#shared/protocol/secrets-equal.ts';
import type { ClientSurface } from './method.ts';
import { methodNamed, methodUsed } from './methods.ts';
import { type PresentedCredentials, presentedCredentials } from './presented-credentials.ts';

/** @throws OAuthError invalid_client */
export async function authenticateClient(
  request: ParsedRequest,
  context: ProtocolContext,
  surface: ClientSurface,
): Promise<EffectiveClient> {
  const presented = presentedCredentials(request);
  const challenge = challengeOf(surface, presented, context);
  const clientId = namedClient(presented, challenge);
  const found = await findEffectiveClient(context.snapshot, context.store, clientId, context.clock.now());
  const used = methodUsed(presented);
  if (found === undefined) {
    // The same work as for a wrong secret.
    secretsEqual(request.form.value('client_secret') ?? '', clientId);
    throw oauthError(refusals.client_unknown, { used }, challenge);
  }
  const effective = isWithoutOptionalSecret(found, used, context)
    ? { ...found, client: withoutItsSecret(found.client) }
    : found;
  const problem = isPublicClient(effective.client)
    ? publicClientProblem(used, effective, surface, challenge)
    : await confidentialClientProblem(presented, used, effective, { surface, challenge }, context);
  if (problem !== undefined) throw problem;
  return effective;
}

/** The whole request is then one of a public client (CLS-08). */
function isWithoutOptionalSecret({ client }: EffectiveClient, used: string, { snapshot }: ProtocolContext): boolean {
  return used === 'none' && hasOptionalSecret(client) && snapshot.rules.allowOptionalClientSecret;
}

/**
 * The form field, else the assertion, else the Basic user name. The Basic user name must agree with one of the others
 * if both are sent (CLT-02).
 */
function namedClient({ basic, form }: PresentedCredentials, challenge: Challenge): string {
  const inBody = form.value('client_id') ?? clientOfAssertion(form.value('client_assertion'));
  if (basic.kind === 'malformed') throw oauthError(refusals.basic_credentials_malformed, undefined, challenge);
  if (basic.kind === 'credentials' && inBody !== undefined && inBody !== basic.user) {
    const details = { body_client_id: inBody };
    throw oauthError(refusals.client_named_twice, undefined, { ...challenge, details });
  }
  const named = inBody ?? (basic.kind === 'credentials' ? basic.user : '');
  if (named === '') throw oauthError(refusals.client_not_named, undefined, challenge);
  return named;
}

/**
 * A public client never proves anything: /token and /revoke ignore any credentials it sends (CLT-07, CLT-08, CLT-12 to
 * 14).
 */
function publicClientProblem(
  used: string,
  { origin }: EffectiveClient,
  surface: ClientSurface,
  challenge: Challenge,
): OAuthError | undefined {
  if (surface === 'introspect') return oauthError(refusals.introspection_by_public_client, undefined, challenge);
  if (surface !== 'device_authorization') return undefined;
  if (origin === 'cimd') return oauthError(refusals.device_authorization_by_metadata_document, undefined, challenge);
  return used === 'none' ? undefined : oauthError(refusals.public_client_sent_credentials, { used }, challenge);
}

async function confidentialClientProblem(
  presented: PresentedCredentials,
  used: string,
  { client }: EffectiveClient,
  { surface, challenge }: { readonly surface: ClientSurface; readonly challenge: Challenge },
  context: ProtocolContext,
): Promise<OAuthError | undefined> {
  const registered = client.token_endpoint_auth_method;
  const method = methodNamed(used);
  if (!takesMethod(client, used) || method === undefined) {
    return oauthError(refusals.client_authentication_method_differs, { used, registered }, challenge);
  }
  const proof = await method.prove(presented, client, context, surface);
  if (proof === 'right') return undefined;
  if (typeof proof === 'object') {
    if ('unusable' in proof) {
      return oauthError(refusals.client_keys_unusable, { used, problem: proof.unusable }, challenge);
    }
    return oauthError(refusals.client_assertion_refused, { used, problem: proof.problem }, challenge);
  }
  const refusal = proof === 'not_encoded' ? refusals.client_secret_not_encoded : refusals.client_secret_wrong;
  return oauthError(refusal, { used }, challenge);
}

type Challenge = Pick<OAuthAbout, 'status' | 'headers'>;

/**
 * /token responds 401 with a challenge only to a client that tried Basic, the other endpoints always (CLT-09, CLT-10).
 */
function challengeOf(surface: ClientSurface, { basic }: PresentedCredentials, { issuer }: ProtocolContext): Challenge {
  if (surface === 'token' && basic.kind === 'absent') return {};
  return { status: 401, headers: { 'WWW-Authenticate': basicChallenge(issuer) } };
}
