// Goes on with a login that was completed, and writes its `login` event (AUD-23, D49).
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { CompletedLogin } from '#shared/engine/login/login-step.ts';
import { joinAttempt } from '#shared/engine/login/record-attempt.ts';
import { RefusalForClient } from './client-response.ts';
import { type AuthorizeRequest, continueAuthorization } from './continue-authorization.ts';
import type { LoginInProgress } from './find-login.ts';

/** Nothing may come between a right code and the end of its transaction: whoever sends it a second time is too late, and logs in nowhere. */
export async function continueWithLogin(
  inProgress: LoginInProgress,
  said: { readonly login: CompletedLogin; readonly autoLogin?: boolean },
  inHand: AuthorizeRequest,
): Promise<Reply> {
  const { client_id } = inProgress.transaction.request;
  const join = () =>
    joinAttempt({ step: 'completed', login: said.login }, { surface: '/authorize', client_id }, inHand);
  let reply: Reply;
  try {
    reply = await continueAuthorization(inProgress, said, inHand);
  } catch (error) {
    // The client gets no code, as where another user was asked for (SSO-24, SSO-34), but the credentials were right.
    if (error instanceof RefusalForClient) join();
    throw error;
  }
  join();
  return reply;
}
