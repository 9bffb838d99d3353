// An authorization request by the request_uri of /par (RFC 9126 §4): only the pushed request counts, no other parameter
// of the query.

import { Parameters } from '#shared/base/parameters.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { EffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import {
  type PushedRequestWithheld,
  pushedRequestPrefix,
  pushedRequestSeconds,
} from '#shared/model/domain/pushed-request.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';

export function takesPushedRequests({ snapshot }: Pick<ProtocolContext, 'snapshot'>): boolean {
  return snapshot.settings.oauth.pushed_authorization_requests !== 'off';
}

/** Whether this client must push its requests (RFC 9126 §5, §6). */
export function needsPushedRequest(client: Client, context: Pick<ProtocolContext, 'snapshot'>): boolean {
  if (!takesPushedRequests(context)) return false;
  const { pushed_authorization_requests: mode } = context.snapshot.settings.oauth;
  return mode === 'required' || client.require_pushed_authorization_requests;
}

/** The request_uri of /par in a query. undefined: it has none, or an address of the client's own. */
export function pushedRequestUri(query: Parameters, context: Pick<ProtocolContext, 'snapshot'>): string | undefined {
  const named = query.value('request_uri');
  return takesPushedRequests(context) && named?.startsWith(pushedRequestPrefix) === true ? named : undefined;
}

const problems: Readonly<Record<PushedRequestWithheld, string>> = {
  unknown: `it is unknown, or older than ${pushedRequestSeconds} seconds`,
  used: 'it was already used',
  of_another_client: 'another client pushed it',
  of_another_browser: 'another browser already used it, or this browser does not store cookies',
};

/** @throws OAuthError invalid_request_uri */
export async function takePushedRequest(
  requestUri: string,
  { client: { client_id }, instanceId: clientInstance }: EffectiveClient,
  context: ProtocolContext,
): Promise<Parameters> {
  const { browser } = await context.session();
  const bearer = { client_id, clientInstance, browser };
  const pushed = await context.store.pushedRequests.redeem(requestUri, bearer, context.clock.now());
  if (typeof pushed === 'string')
    throw oauthError(authorizeRefusals.pushed_request_unusable, { problem: problems[pushed] });
  return new Parameters(pushed.parameters);
}
