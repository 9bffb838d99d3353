// Request objects are not supported while they are off. In-request registration is never supported (AUT-24, OIDC Core
// §3.1.2.6).

import type { Parameters } from '#shared/base/parameters.ts';
import { decodeToken } from '#shared/engine/tokens/verify-token.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { ResponseMode } from '#shared/model/domain/authorization-request.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { type OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';

/** Parameters of a request object that was read are already removed (read-request-object.ts). */
export function checkRequestObjects(query: Parameters): void {
  for (const name of ['request', 'request_uri', 'registration'] as const) {
    if (query.value(name) !== undefined) {
      throw oauthError(authorizeRefusals[`${name}_not_supported`]);
    }
  }
}

export function areRequestObjectsRead({ settings }: Pick<ConfigurationSnapshot, 'settings'>): boolean {
  return settings.oauth.request_objects === 'on';
}

/**
 * The response mode inside a rejected request object, when the query names none: only this member is read (SSO-48).
 * undefined: the default mode.
 */
export function modeWithinRefusedObject(error: OAuthError, query: Parameters): ResponseMode | undefined {
  if (error.error !== 'request_not_supported' || query.value('response_mode') !== undefined) return undefined;
  const responseMode = decodeToken(query.value('request') ?? '')?.payload.response_mode;
  return responseMode === 'form_post' ? responseMode : undefined;
}
