// Request objects while they are off, and in-request registration always, are not supported (AUT-24, OIDC Core §3.1.2.6).

import type { Parameters } from '#shared/base/parameters.ts';
import { decodeToken } from '#shared/engine/tokens/verify-token.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { ResponseMode } from '#shared/model/domain/authorization-request.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { type OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';

/** What was read of a request object is no longer among the parameters (read-request-object.ts). */
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
 * The mode in which the sender of an unread request object waits for its refusal, when the query names none: the one thing
 * that is looked for in the object (SSO-48). Undefined: nothing special.
 */
export function modeWithinRefusedObject(error: OAuthError, query: Parameters): ResponseMode | undefined {
  if (error.error !== 'request_not_supported' || query.value('response_mode') !== undefined) return undefined;
  const asked = decodeToken(query.value('request') ?? '')?.payload.response_mode;
  return asked === 'form_post' ? asked : undefined;
}
