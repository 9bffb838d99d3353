// POST /par: a client sends its authorization request directly, and gets a request_uri for the browser (RFC 9126 §2).
// The request is checked as /authorize will check it again, so that the client receives errors at once.

import { Parameters } from '#shared/base/parameters.ts';
import { type AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { documentReply } from '#shared/engine/exchange/output-hooks.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { EffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import {
  endOfPushedRequest,
  pushedRequestBytesMax,
  pushedRequestPrefix,
  pushedRequestSeconds,
} from '#shared/model/domain/pushed-request.ts';
import { refuseDoubledParameters } from '#shared/model/oauth-rules/doubled-parameter.ts';
import { refuseNul } from '#shared/model/oauth-rules/nul-parameter.ts';
import { ignoredParameters } from '#shared/model/oauth-rules/resource.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { dpopRefusals } from '#shared/model/refusals/families/dpop.ts';
import { pushedRequestRefusals } from '#shared/model/refusals/families/pushed-requests.ts';
import { OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { parametersReadBy, singleParametersOf } from '#shared/model/secrets/known-parameters.ts';
import { acceptParameters } from '../authorize/accept-request.ts';
import { checkClient, noteRefusedDocument } from '../authorize/check-client.ts';
import { areRequestObjectsRead } from '../authorize/check-request-objects.ts';
import { RefusalForClient } from '../authorize/client-response.ts';
import { effectiveParameters } from '../authorize/effective-parameters.ts';
import { authenticateClient } from '../client-authentication/authenticate-client.ts';
import { claimedClientId } from '../client-authentication/presented-credentials.ts';
import { nonceHeaders, proveKey } from '../dpop/prove-key.ts';
import { requireForm } from '../require-form.ts';

const singleParameters = singleParametersOf('client');

/** Parameters of the client alone, not of the authorization request. */
const credentials: ReadonlySet<string> = new Set(parametersReadBy('client').filter((name) => name !== 'client_id'));

export const postPushedRequest = audited(
  { event_type: 'pushed_authorization_request', endpoint: '/par' },
  async (request, context, note) => {
    const { form } = request;
    note.add({ client_id: claimedClientId(request), details: ignoredParameters(form, context.snapshot.settings) });
    requireForm(request);
    refuseDoubledParameters(form, singleParameters);
    refuseNul(form);
    await fetchDocument(request, context, note);
    const effective = await authenticateClient(request, context, 'par');
    if (form.has('request_uri')) throw oauthError(pushedRequestRefusals.request_uri_pushed);
    if (request.body.length > pushedRequestBytesMax) throw oauthError(pushedRequestRefusals.pushed_request_too_long);
    const provenKey = await proveKey(request, context, { path: '/par' });
    const sent = requestOf(form, effective, context);
    const parameters = withProvenKey(await acceptedParameters(sent, context), provenKey);
    const requestUri = await push(parameters, effective, context);
    note.succeeded({ client_id: effective.client.client_id, details: { scope: parameters.value('scope') } });
    const reply = await answer(requestUri, context);
    return provenKey === undefined
      ? reply
      : { ...reply, headers: { ...reply.headers, ...(await nonceHeaders(context)) } };
  },
);

/** A client by metadata document is known once its document was fetched, as at /authorize (CMD-01). */
async function fetchDocument(request: ParsedRequest, context: ProtocolContext, note: AuditNote): Promise<void> {
  const clientId = claimedClientId(request);
  if (clientId?.startsWith('https://') !== true) return;
  try {
    await checkClient(clientId, context);
  } catch (error) {
    // Such a client gets the same error as every client that cannot authenticate.
    if (error instanceof OAuthError && error.refusal === authorizeRefusals.client_id_unknown) return;
    if (error instanceof OAuthError && error.refusal === authorizeRefusals.metadata_document_refused) {
      noteRefusedDocument(error, clientId, context, note);
    }
    throw error;
  }
}

/**
 * client_id is a parameter of the request like any other (RFC 9126 §2.1). A request object is the whole request (§3),
 * regardless of the other parameters.
 */
function requestOf(
  form: Parameters,
  { client }: EffectiveClient,
  { snapshot }: Pick<ProtocolContext, 'snapshot'>,
): Parameters {
  const isObject = form.value('request') !== undefined && areRequestObjectsRead(snapshot);
  if (!isObject) return new Parameters(form.pairs.filter(([name]) => !credentials.has(name)));
  return new Parameters([...form.pairs.filter(([name]) => name === 'request'), ['client_id', client.client_id]]);
}

/**
 * @throws OAuthError: errors that /authorize would send to the redirect URI go to the client itself here (RFC 9126
 * §2.3).
 */
async function acceptedParameters(sent: Parameters, context: ProtocolContext): Promise<Parameters> {
  try {
    const { parameters } = await effectiveParameters(sent, context);
    await acceptParameters(parameters, context, { mayAutoLogin: false, isPushing: true });
    return parameters;
  } catch (error) {
    throw error instanceof RefusalForClient ? error.refusal : error;
  }
}

/** A proof binds the code as dpop_jkt does (RFC 9449 §10.1). */
function withProvenKey(parameters: Parameters, provenKey: string | undefined): Parameters {
  if (provenKey === undefined) return parameters;
  const named = parameters.value('dpop_jkt');
  if (named === undefined) return new Parameters([...parameters.pairs, ['dpop_jkt', provenKey]]);
  if (named !== provenKey) throw oauthError(dpopRefusals.dpop_jkt_differs);
  return parameters;
}

async function push(
  { pairs }: Parameters,
  { client, instanceId }: EffectiveClient,
  { store, clock, random }: ProtocolContext,
): Promise<string> {
  const request_uri = pushedRequestPrefix + random.token();
  const now = clock.now();
  const pushed = {
    ...{ request_uri, client_id: client.client_id, clientInstance: instanceId },
    ...{ parameters: pairs, expiresAt: endOfPushedRequest(now) },
  };
  if ((await store.pushedRequests.push(pushed, now)) === 'pushed') return request_uri;
  const headers = { 'Retry-After': String(pushedRequestSeconds) };
  throw oauthError(pushedRequestRefusals.too_many_pushed_requests, undefined, { headers });
}

function answer(request_uri: string, { outputHooks }: ProtocolContext): Promise<Reply> {
  return documentReply(201, { request_uri, expires_in: pushedRequestSeconds }, outputHooks);
}
