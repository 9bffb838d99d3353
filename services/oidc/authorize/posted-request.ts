// An authorization request that was sent as a form (OIDC Core §3.1.2.1, SSO-47). It is handled as a GET with the same
// parameters, from any site. Every other post is a step of a login.

import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { postedRequestBytesMax } from '#shared/model/domain/authorization-request.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { pushedRequestUri } from '../pushed/take-pushed-request.ts';

/** Fields that only the pages of a login post. */
const fieldsOfPages = [
  ...['transaction_id', 'username', 'password', 'totp_code', 'account', 'use_another', 'consent', 'cancel'],
  ...['change_username', 'fill_username'],
] as const;

export function isPostedRequest({ rawQuery, form }: ParsedRequest, snapshot: ConfigurationSnapshot): boolean {
  if (!snapshot.settings.oauth.authorize_by_post || rawQuery !== '') return false;
  if (form.value('client_id') === undefined) return false;
  // The pushed request contains the response_type itself.
  if (form.value('response_type') === undefined && pushedRequestUri(form, { snapshot }) === undefined) return false;
  return !fieldsOfPages.some((name) => form.has(name));
}

/** @throws OAuthError invalid_request */
export function asGet({ form, body }: ParsedRequest, { path }: Pick<ProtocolContext, 'path'>): Reply {
  if (body.length > postedRequestBytesMax) throw oauthError(authorizeRefusals.posted_request_too_long);
  const query = new URLSearchParams(form.pairs.map(([name, value]) => [name, value]));
  return { ...redirect(`${path('/authorize')}?${query}`), status: 303 };
}
