// Continues after a completed login, and writes its `login` event (AUD-23, D49).
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { CompletedLogin } from '#shared/engine/login/login-step.ts';
import { joinAttempt } from '#shared/engine/login/record-attempt.ts';
import { RefusalForClient } from './client-response.ts';
import { continueAuthorization } from './continue-authorization.ts';
import type { LoginInProgress } from './find-login.ts';
import type { AuthorizeRequest } from './select-account.ts';

/**
 * A correct TOTP code is consumed only together with its transaction (AUT-63). So no step comes before
 * continueAuthorization, not even the audit entry: a concurrent post of the same code could log in, too.
 */
export async function continueWithLogin(
  inProgress: LoginInProgress,
  input: { readonly login: CompletedLogin; readonly autoLogin?: boolean },
  authorizeRequest: AuthorizeRequest,
): Promise<Reply> {
  const { client_id } = inProgress.transaction.request;
  const join = () =>
    joinAttempt({ step: 'completed', login: input.login }, { surface: '/authorize', client_id }, authorizeRequest);
  let reply: Reply;
  try {
    reply = await continueAuthorization(inProgress, input, authorizeRequest);
  } catch (error) {
    // The client gets no code, because another user was requested (SSO-24, SSO-34), but the credentials were right.
    if (error instanceof RefusalForClient) join();
    throw error;
  }
  join();
  return reply;
}
