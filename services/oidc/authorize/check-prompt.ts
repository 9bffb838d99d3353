// prompt: `none` cannot be combined with other values. While sessions are off it cannot be satisfied except by
// auto-login, since this endpoint requires a login every time (AUT-25, AUT-26, AUT-42, OIDC Core §3.1.2.1). While they
// are on, sessions decide (SSO-15).

import type { Parameters } from '#shared/base/parameters.ts';
import type { Prompt } from '#shared/model/domain/authorization-request.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';

const known = ['none', 'login', 'select_account', 'consent'] as const;

/** The values that have an effect (SSO-19). `satisfiable`: `none` need not be rejected here. */
export function checkPrompt(query: Parameters, satisfiable: boolean): readonly Prompt[] {
  const prompts = new Set((query.value('prompt') ?? '').split(' ').filter((name) => name !== ''));
  if (prompts.has('none')) {
    if (prompts.size > 1) throw oauthError(authorizeRefusals.prompt_none_not_alone);
    if (!satisfiable) throw oauthError(authorizeRefusals.prompt_none_needs_login);
  }
  return known.filter((name) => prompts.has(name));
}
