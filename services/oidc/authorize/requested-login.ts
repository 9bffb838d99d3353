// The login that a request demands: all parameters while sessions are on (SSO-19 to SSO-25, SSO-31, SSO-34). In any
// case, that no page may be shown.

import type { Parameters } from '#shared/base/parameters.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { AskedAcr, AskedLogin, Prompt } from '#shared/model/domain/authorization-request.ts';
import { type AskedIdTokenClaim, askedIdTokenClaim } from '#shared/model/oauth-rules/claims-request.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { readIdTokenHint } from '../id-token-hint.ts';

/** @throws OAuthError for an invalid max_age or hint, and for two users at once. */
export async function requestedLogin(
  query: Parameters,
  prompts: readonly Prompt[],
  client: Client,
  context: ProtocolContext,
): Promise<AskedLogin> {
  const claims = query.value('claims');
  return {
    prompts,
    maxAgeSeconds: maxAgeOf(query.value('max_age')) ?? client.default_max_age,
    ...(await subjectsOf(query.value('id_token_hint'), claims, context)),
    acr: acrOf(query.value('acr_values'), askedIdTokenClaim(claims, 'acr')),
  };
}

export const noRequestedLogin: AskedLogin = {
  prompts: [],
  maxAgeSeconds: undefined,
  subject: undefined,
  acr: undefined,
};

/** A login without a page may still lead to one that asks for consent (AUT-30, SSO-35, SSO-37). */
export function requestedWithoutSessions(prompts: readonly Prompt[]): AskedLogin | undefined {
  return prompts.includes('none') ? { ...noRequestedLogin, prompts: ['none'] } : undefined;
}

function maxAgeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[0-9]+$/.test(text)) throw oauthError(authorizeRefusals.max_age_malformed);
  // Capped for any number of digits: no session is that old.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

/** The hint names one user. `claims` names one or several, and each of them is accepted (OIDC Core §5.5.1). */
async function subjectsOf(
  token: string | undefined,
  claims: string | undefined,
  context: ProtocolContext,
): Promise<Pick<AskedLogin, 'subject' | 'otherSubjects'>> {
  const hint = token === undefined ? undefined : await readIdTokenHint(token, context);
  if (token !== undefined && hint === undefined) throw oauthError(authorizeRefusals.id_token_hint_wrong);
  const hinted = hint?.username;
  const claimed = askedIdTokenClaim(claims, 'sub')?.values ?? [];
  if (hinted !== undefined && claimed.length > 0 && !claimed.includes(hinted)) {
    throw oauthError(authorizeRefusals.users_asked_for_differ);
  }
  if (hinted !== undefined) return { subject: hinted };
  const [subject, ...otherSubjects] = claimed;
  return { subject, ...(otherSubjects.length > 0 ? { otherSubjects } : {}) };
}

/** An essential claim is stronger than the parameter (OIDC Core §5.5.1.1). */
function acrOf(parameter: string | undefined, claim: AskedIdTokenClaim | undefined): AskedAcr | undefined {
  if (claim?.essential === true && claim.values.length > 0) return { values: claim.values, essential: true };
  const values = [...(parameter ?? '').split(' ').filter((value) => value !== ''), ...(claim?.values ?? [])];
  return values.length === 0 ? undefined : { values, essential: false };
}
