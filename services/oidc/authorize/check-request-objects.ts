// Request objects and in-request registration are not supported (AUT-24, OIDC Core §3.1.2.6).
import type { Parameters } from '#shared/http/parameters.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { authorizeRefusals } from '#shared/refusals/families/authorize.ts';

export function checkRequestObjects(query: Parameters): void {
  for (const name of ['request', 'request_uri', 'registration'] as const) {
    if (query.value(name) !== undefined) {
      throw oauthError(authorizeRefusals[`${name}_not_supported`]);
    }
  }
}
