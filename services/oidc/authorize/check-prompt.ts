// prompt: `none` cannot be had, since this endpoint asks for its own login every time, auto-login excepted (AUT-25,
// AUT-26, AUT-42, OIDC Core §3.1.2.1).
import type { Parameters } from '#shared/http/parameters.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { authorizeRefusals } from '#shared/refusals/families/authorize.ts';

export function checkPrompt(query: Parameters, autoLogin: boolean): void {
  const prompts = new Set((query.value('prompt') ?? '').split(' ').filter((name) => name !== ''));
  if (!prompts.has('none')) return;
  if (prompts.size > 1) throw oauthError(authorizeRefusals.prompt_none_not_alone);
  if (autoLogin) return;
  throw oauthError(authorizeRefusals.prompt_none_needs_login);
}
