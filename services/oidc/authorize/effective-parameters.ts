// The effective parameters of an authorization request, from the query, a request object, or a pushed request. A
// rejection goes to the redirect URI of the query if the client registered it. Otherwise it is a page.

import type { Parameters } from '#shared/base/parameters.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { EffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { pushedRequestUri, takePushedRequest } from '../pushed/take-pushed-request.ts';
import { checkClient } from './check-client.ts';
import { checkClientId, checkPresence } from './check-presence.ts';
import { checkRedirectUri } from './check-redirect-uri.ts';
import { areRequestObjectsRead } from './check-request-objects.ts';
import { modeForErrors } from './check-response-mode.ts';
import { RefusalForClient } from './client-response.ts';
import { checkNamedOnce, withRequestObject } from './read-request-object.ts';

interface EffectiveParameters {
  readonly parameters: Parameters;
  /** The request_uri of the pushed request. */
  readonly pushed?: string;
}

/** @throws OAuthError, RefusalForClient */
export async function effectiveParameters(query: Parameters, context: ProtocolContext): Promise<EffectiveParameters> {
  const read = readerOf(query, context);
  if (read === undefined) return { parameters: query };
  const effective = await checkClient(checkClientId(query), context);
  try {
    checkNamedOnce(query);
    return await read(effective);
  } catch (error) {
    throw forClient(error, query, effective, context);
  }
}

type Read = (effective: EffectiveClient) => Promise<EffectiveParameters>;

/** undefined: the query itself is effective. */
function readerOf(query: Parameters, context: ProtocolContext): Read | undefined {
  const pushed = pushedRequestUri(query, context);
  if (pushed !== undefined) {
    return async (effective) => ({ parameters: await takePushedRequest(pushed, effective, context), pushed });
  }
  const namesObject = query.value('request') !== undefined || query.value('request_uri') !== undefined;
  if (!namesObject || !areRequestObjectsRead(context.snapshot)) return undefined;
  return async ({ client }) => ({ parameters: await withRequestObject(query, client, context) });
}

function forClient(
  error: unknown,
  query: Parameters,
  { client }: EffectiveClient,
  { snapshot }: Pick<ProtocolContext, 'snapshot'>,
): unknown {
  const redirectUri = query.value('redirect_uri');
  if (!(error instanceof OAuthError) || redirectUri === undefined) return error;
  try {
    checkPresence(query);
    checkRedirectUri(redirectUri, client, snapshot);
  } catch (problem) {
    // Parameters beside a request_uri do not count (RFC 9101 §6.3), so the response reports the error of the
    // request_uri.
    return problem instanceof OAuthError ? error : problem;
  }
  const [response_mode, state] = [modeForErrors(query, snapshot), query.value('state')];
  return new RefusalForClient(error, { client_id: client.client_id, redirect_uri: redirectUri, response_mode, state });
}
