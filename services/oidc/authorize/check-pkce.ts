// PKCE: who must send a challenge, by which method, and of which form (AUT-19 to AUT-21, PRF-01 to PRF-03, RFC 7636 §4.2
// and §4.3). The form is enforced by the gated profiles alone; dev goes on and warns.
import { type Client, isPublicClient } from '#shared/configuration/model/client-entry.ts';
import type { AuthorizationRequest } from '#shared/domain/authorization-request.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { isCodeChallenge } from '#shared/protocol/oauth2/pkce.ts';

type Pkce = Pick<AuthorizationRequest, 'code_challenge' | 'code_challenge_method'>;

export function checkPkce(query: Parameters, client: Client, context: RequestContext): Pkce {
  const { rules } = context.snapshot;
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
  const pkce = { code_challenge: challenge, code_challenge_method: method ?? 'plain' } as const;
  if (!isCodeChallenge(challenge, pkce.code_challenge_method)) malformed(pkce.code_challenge_method, client, context);
  return pkce;
}

function malformed(
  method: 'S256' | 'plain',
  { client_id }: Client,
  { snapshot, log, requestId }: RequestContext,
): void {
  const grammar =
    method === 'S256'
      ? 'The code_challenge must be 43 base64url characters for S256 (RFC 7636 section 4.2).'
      : 'The code_challenge must be 43 to 128 unreserved characters for plain (RFC 7636 section 4.2).';
  if (snapshot.rules.refuseMalformedPkce) throw invalid(grammar);
  const who = snapshot.settings.logging.verbose_logging ? { client_id } : {};
  log.warn({ ...who, requestId, reason: grammar }, 'a malformed code_challenge is accepted under the profile dev');
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_request', description);
}
