// Login without a page: in persona mode with login.auto_login a login_hint names the user (AUT-30, LOG-08).

import type { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { typedUsername } from '#shared/engine/login/typed-username.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { RefusalForClient } from './client-response.ts';
import { continueWithLogin } from './continue-with-login.ts';
import type { LoginInProgress } from './find-login.ts';

/** @throws RefusalForClient invalid_request for a name that is no user's. */
export async function completeAutoLogin(
  typed: string,
  inProgress: LoginInProgress,
  request: ParsedRequest,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply> {
  const username = await typedUsername(typed, context);
  const found = await findEffectiveUser(context.snapshot, context.store, username);
  if (found === undefined) {
    throw new RefusalForClient(oauthError(authorizeRefusals.login_hint_user_unknown), inProgress.transaction.request);
  }
  const authenticatedAt = context.clock.now();
  const login = { username, method: 'persona', authenticatedAt, amr: undefined } as const;
  return continueWithLogin(inProgress, { login, autoLogin: true }, { request, context, note });
}
