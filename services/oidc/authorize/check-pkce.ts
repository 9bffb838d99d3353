// PKCE: who must send a challenge, and by which method (AUT-19 to AUT-21, PRF-01 to PRF-03, RFC 7636 §4.3).
import { type Client, isPublicClient } from '#shared/configuration/model/client-entry.ts';
import type { ProfileRules } from '#shared/configuration/profile-rules.ts';
import type { AuthorizationRequest } from '#shared/domain/authorization-request.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';

type Pkce = Pick<AuthorizationRequest, 'code_challenge' | 'code_challenge_method'>;

export function checkPkce(query: Parameters, client: Client, rules: ProfileRules): Pkce {
  const challenge = query.value('code_challenge');
  const method = query.value('code_challenge_method');
  if (method !== undefined && method !== 'plain' && method !== 'S256') {
    throw invalid('The code_challenge_method must be S256 or plain.');
  }
  if (challenge === undefined) {
    if (isPublicClient(client)) throw invalid('A public client must send a code_challenge (PKCE, RFC 7636).');
    if (rules.requirePkce) throw invalid('A code_challenge (PKCE, RFC 7636) is required here.');
    // Its sender believes to be using PKCE (RFC 7636 §4.3 wants the challenge), and no verifier would ever be checked.
    if (method !== undefined) throw invalid('A code_challenge_method was sent without a code_challenge.');
    return { code_challenge: undefined, code_challenge_method: undefined };
  }
  if (method !== 'S256') {
    const sent = method === undefined ? 'an omitted code_challenge_method means plain' : 'plain is refused';
    if (isPublicClient(client)) throw invalid(`A public client must use code_challenge_method=S256; ${sent}.`);
    if (!rules.allowPlainPkce) throw invalid(`This security profile wants code_challenge_method=S256; ${sent}.`);
  }
  return { code_challenge: challenge, code_challenge_method: method ?? 'plain' };
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_request', description);
}
