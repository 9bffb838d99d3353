// prompt: `none` cannot be had, since this endpoint asks for its own login every time, auto-login excepted (AUT-25,
// AUT-26, AUT-42, OIDC Core §3.1.2.1).
import type { Parameters } from '#shared/http/parameters.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';

export function checkPrompt(query: Parameters, autoLogin: boolean): void {
  const prompts = new Set((query.value('prompt') ?? '').split(' ').filter((name) => name !== ''));
  if (!prompts.has('none')) return;
  if (prompts.size > 1) throw new OAuthError('invalid_request', 'The prompt none must stand alone.');
  if (autoLogin) return;
  throw new OAuthError('login_required', 'prompt=none cannot be satisfied: this server asks for a login every time.');
}
