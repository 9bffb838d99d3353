// First check: exactly one client_id and one redirect_uri (AUT-05, AUT-08, RFC 6749 §4.1.2.1).
import type { Parameters } from '#shared/http/parameters.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';

export function checkPresence(query: Parameters): { readonly clientId: string; readonly redirectUri: string } {
  return { clientId: exactlyOne(query, 'client_id'), redirectUri: exactlyOne(query, 'redirect_uri') };
}

function exactlyOne(query: Parameters, name: string): string {
  const [value, second] = query.values(name);
  if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is required.`);
  if (second !== undefined) throw new OAuthError('invalid_request', `The parameter ${name} must be sent only once.`);
  return value;
}
