// The response to the client at its redirect URI: by query, in the fragment or by a page that posts itself, with state
// and iss (AUT-10, AUT-11, AUT-23, AUT-31, ISS-12).

import { type AuthorizationResponse, hooked } from '#shared/engine/exchange/output-hooks.ts';
import { notStored, type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { AuthorizationRequest } from '#shared/model/domain/authorization-request.ts';
import { appendToRedirectUri } from '#shared/model/oauth-rules/redirect-uri.ts';
import type { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { sendsIssuerParameter } from '#shared/protocol/oidc/issuer-parameter.ts';
import { clientLogoAddress } from '#shared/web/pages/client-logo.ts';
import { renderDeliveryPage } from '#shared/web/pages/delivery-page.tsx';
import { pageOfClient } from '#shared/web/pages/page-reply.ts';

/** Where and how a response is sent. A validated request has these members itself. */
type Recipient = Pick<AuthorizationRequest, 'client_id' | 'redirect_uri' | 'response_mode' | 'state' | 'pushed'>;

/** A rejection that may be sent to the client, since its redirect URI was validated. */
export class RefusalForClient extends Error {
  readonly refusal: OAuthError;
  readonly recipient: Recipient;
  constructor(refusal: OAuthError, recipient: Recipient) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
    this.recipient = recipient;
  }
}

export function codeResponse(code: string, recipient: Recipient, context: ProtocolContext): Promise<Reply> {
  return clientResponse([['code', code]], recipient, context);
}

/** The response of the implicit flow, named like the members of a token response (OIDC Core §3.2.2.5). */
export function tokensResponse(
  tokens: Readonly<Record<string, string | number>>,
  recipient: Recipient,
  context: ProtocolContext,
): Promise<Reply> {
  const answer = Object.entries(tokens).map(([name, value]) => [name, String(value)] as const);
  return clientResponse(answer, recipient, context);
}

export function errorResponse({ refusal, recipient }: RefusalForClient, context: ProtocolContext): Promise<Reply> {
  const { error, error_description } = refusal.body;
  return refusalResponse(error, error_description, recipient, context);
}

/** The error that a fault sets for this request, sent to its client. Usually undefined. */
export async function requestedRefusal(recipient: Recipient, context: ProtocolContext): Promise<Reply | undefined> {
  const refusal = await context.outputHooks.authorizationRefusal?.();
  if (refusal === undefined) return undefined;
  return refusalResponse(refusal.error, refusal.description, recipient, context);
}

/** A rejection uses up a pushed request as a code does: the client has to push another one (RFC 9126 §7.3). */
async function refusalResponse(
  error: string,
  description: string,
  recipient: Recipient,
  context: ProtocolContext,
): Promise<Reply> {
  const { store, clock } = context;
  if (recipient.pushed !== undefined) await store.pushedRequests.use(recipient.pushed, 'refusal', clock.now());
  return clientResponse(
    [
      ['error', error],
      ['error_description', description],
    ],
    recipient,
    context,
  );
}

type Answer = readonly (readonly [name: string, value: string])[];

async function clientResponse(answer: Answer, recipient: Recipient, context: ProtocolContext): Promise<Reply> {
  const { redirect_uri, response_mode, state } = recipient;
  const { issuer } = context;
  const parameters = [...answer];
  if (state !== undefined) parameters.push(['state', state]);
  if (sendsIssuerParameter(issuer)) parameters.push(['iss', issuer]);
  const response = { redirectUri: redirect_uri, mode: response_mode, parameters };
  const sent = await hooked(response, context.outputHooks.authorizationResponse);
  return writeResponse(sent, recipient.client_id, context);
}

async function writeResponse(
  response: AuthorizationResponse,
  clientId: string,
  context: ProtocolContext,
): Promise<Reply> {
  if (response.mode !== 'form_post') {
    return notStored(redirect(appendToRedirectUri(response.redirectUri, response.parameters, response.mode)));
  }
  const { snapshot, store, clock } = context;
  const client = (await findEffectiveClient(snapshot, store, clientId, clock.now()))?.client;
  return notStored(pageOfClient(200, await renderFormPost(response, client, context), client));
}

/** OAuth 2.0 Form Post Response Mode §2. */
async function renderFormPost(
  { redirectUri, parameters: fields }: AuthorizationResponse,
  client: Client | undefined,
  context: ProtocolContext,
): Promise<string> {
  const { error, error_description } = Object.fromEntries(fields);
  return renderDeliveryPage({
    title: 'Back to the application',
    heading: error === undefined ? undefined : 'No login',
    lead: error === undefined ? undefined : 'One more step takes you back to the application.',
    reason: error === undefined ? undefined : `${error_description ?? ''} (${error})`,
    client,
    path: context.path,
    logo: client && (await clientLogoAddress(client, context)),
    action: redirectUri,
    fields,
    recipient: redirectUri,
  });
}
