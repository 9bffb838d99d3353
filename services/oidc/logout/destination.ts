// Where a logout leads: to the address in the request, or to a page that explains why not (OUT-04 to OUT-09, LGO-09).

import { nulProblem } from '#shared/base/untrusted-values.ts';
import type { LogoutDestination } from '#shared/engine/exchange/output-hooks.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { areSessionsOn } from '#shared/engine/login/browser-sessions.ts';
import type { LogoutRequest } from '#shared/model/domain/logout-confirmation.ts';
import { matchRedirectUri, registeredForLogout } from '#shared/model/oauth-rules/match-redirect-uri.ts';
import { acceptableRedirectUri } from '#shared/protocol/oauth2/acceptable-redirect-uri.ts';
import { type NotFollowed, notFollowedSentence } from '#shared/web/pages/logout/not-followed-notice.tsx';

/**
 * The address for the redirect, or the page without one, which explains why the server does not follow the address in
 * the request.
 */
export type Destination = { readonly follow: LogoutDestination } | NotFollowed;

/** What the audit records (AUD-22): that an address was sent, and why it is not followed. */
export function auditedDestination(
  { address }: LogoutRequest,
  destination: Destination,
): { readonly has_redirect: boolean; readonly reason?: string } {
  const has_redirect = address !== undefined;
  if ('follow' in destination || destination.reason === undefined) return { has_redirect };
  return { has_redirect, reason: notFollowedSentence(destination.reason) };
}

export function notFollowed({ address }: LogoutRequest, reason: string): NotFollowed {
  return address === undefined ? {} : { address, reason };
}

/** `isAgreed`: the user confirmed the logout. Used only while sessions are on. */
export async function destinationOf(
  request: LogoutRequest,
  context: ProtocolContext,
  isAgreed = false,
): Promise<Destination> {
  const { address, state } = request;
  if (address === undefined) return {};
  const reason =
    reasonInRequest(address, request, context) ?? (await reasonAgainst(address, request, context, isAgreed));
  return reason === undefined ? { follow: { address, state } } : { address, reason };
}

function reasonInRequest(
  address: string,
  { clientId, hint, state }: LogoutRequest,
  { snapshot }: Pick<ProtocolContext, 'snapshot'>,
): string | undefined {
  if (state?.includes('\0')) return `its state ${nulProblem}`;
  if (acceptableRedirectUri(address, snapshot.rules) !== undefined) return 'it is not the URL of an application';
  if (hint?.clientId !== undefined && hint.clientId !== clientId) {
    return 'client_id and id_token_hint name different clients';
  }
  return undefined;
}

async function reasonAgainst(
  address: string,
  { clientId, hint }: LogoutRequest,
  context: ProtocolContext,
  isAgreed: boolean,
): Promise<string | undefined> {
  const { snapshot, store, clock } = context;
  const isProved = hint !== undefined || !areSessionsOn(context);
  if (!isProved && clientId === undefined) return 'neither id_token_hint nor client_id names the application';
  if (!isProved && !isAgreed) return 'the request has no id_token_hint, and the user did not confirm the logout';
  const found = clientId === undefined ? undefined : await findEffectiveClient(snapshot, store, clientId, clock.now());
  const listed = found && registeredForLogout(found.client);
  if (listed !== undefined && matchRedirectUri(address, listed, snapshot.rules).how !== 'none') return undefined;
  if (listed !== undefined && [...listed.uris, ...listed.patterns].length > 0) {
    return 'it is not one of the post_logout_redirect_uris of the client';
  }
  if (!snapshot.rules.followUnlistedPostLogoutRedirect) {
    return found === undefined
      ? 'neither client_id nor id_token_hint names an existing client, and this security profile follows only registered URIs'
      : 'the client has no post_logout_redirect_uris, and this security profile follows only registered URIs';
  }
  return isProved
    ? undefined
    : 'the client did not register it, and without id_token_hint only registered URIs are followed';
}
