// First check: exactly one client_id and one redirect_uri (AUT-05, AUT-08, RFC 6749 §4.1.2.1).
import type { Parameters } from '#shared/base/parameters.ts';
import { refuseNul } from '#shared/model/oauth-rules/nul-parameter.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { type OAuthRefusalRow, oauthError } from '#shared/model/refusals/oauth-error.ts';
import type { Refusal } from '#shared/model/refusals/refusal.ts';

export function checkPresence(query: Parameters): { readonly clientId: string; readonly redirectUri: string } {
  return {
    clientId: checkClientId(query),
    redirectUri: exactlyOne(query, 'redirect_uri', authorizeRefusals.redirect_uri_missing),
  };
}

export function checkClientId(query: Parameters): string {
  return exactlyOne(query, 'client_id', authorizeRefusals.client_id_missing);
}

function exactlyOne(query: Parameters, name: string, missing: OAuthRefusalRow & Refusal): string {
  const [value, second] = query.values(name);
  if (value === undefined) throw oauthError(missing);
  if (second !== undefined) throw oauthError(authorizeRefusals.parameter_repeated, { parameter: name });
  refuseNul(query, new Set([name]));
  return value;
}
