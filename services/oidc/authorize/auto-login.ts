// Completes a login without a page (AUT-30, LOG-08, LIN-01 to LIN-03).

import type { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { type AutomaticLogin, completedAutomatically } from '#shared/engine/login/automatic-login.ts';
import { typedUsername } from '#shared/engine/login/typed-username.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { RefusalForClient } from './client-response.ts';
import { continueWithLogin } from './continue-with-login.ts';
import type { LoginInProgress } from './find-login.ts';

/** @throws RefusalForClient invalid_request for a name in a hint that is no user's. */
export async function completeAutoLogin(
  { name, by }: AutomaticLogin,
  inProgress: LoginInProgress,
  request: ParsedRequest,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply> {
  const username = await typedUsername(name, context);
  const found = await findEffectiveUser(context.snapshot, context.store, username);
  if (found === undefined) {
    throw new RefusalForClient(oauthError(authorizeRefusals.login_hint_user_unknown), inProgress.transaction.request);
  }
  const login = completedAutomatically(username, context);
  const asked = by === 'setting' ? withoutPages(inProgress) : inProgress;
  return continueWithLogin(asked, { login, autoLogin: true }, { request, context, note });
}

/** Prompts and max_age count as satisfied. `none` still forbids the page of login.consent (LIN-03). */
function withoutPages(inProgress: LoginInProgress): LoginInProgress {
  const { transaction } = inProgress;
  const { asks } = transaction.request;
  if (asks === undefined) return inProgress;
  const prompts = asks.prompts.filter((prompt) => prompt === 'none');
  const request = { ...transaction.request, asks: { ...asks, prompts, maxAgeSeconds: undefined } };
  return { ...inProgress, transaction: { ...transaction, request } };
}
