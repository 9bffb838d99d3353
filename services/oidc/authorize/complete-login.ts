// A completed login becomes one code: of a stored transaction, consumed in the same step, or of a request that needs
// none (direct POST, auto-login) (AUT-31, AUT-37, AUT-44).
import type { AuthorizationCodeRecord } from '#shared/domain/authorization-code.ts';
import type { Reply } from '#shared/http/reply.ts';
import { auditEvent, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import type { CompletedLogin } from '#shared/login/login-step.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { codeResponse, RefusalForClient } from './client-response.ts';
import { type LoginInProgress, unknownTransaction } from './find-login.ts';

export async function completeLogin(
  inProgress: LoginInProgress,
  login: CompletedLogin,
  request: ParsedRequest,
  context: RequestContext,
  { autoLogin }: { readonly autoLogin: boolean } = { autoLogin: false },
): Promise<Reply> {
  const accepted = inProgress.transaction.request;
  const code = await issueCode(inProgress, login, context);
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'authorization_request',
      endpoint: '/authorize',
      status: 'success',
      username: login.username,
      client_id: accepted.client_id,
      details: {
        scope: accepted.scope.join(' '),
        pkce: accepted.code_challenge !== undefined,
        ...(autoLogin ? { auto_login: true } : {}),
      },
    }),
    { done: true },
  );
  return codeResponse(code, accepted, context);
}

async function issueCode(
  { transaction, stored, client }: LoginInProgress,
  login: CompletedLogin,
  { store, clock, random }: RequestContext,
): Promise<string> {
  const now = clock.now();
  const record: AuthorizationCodeRecord = {
    code: random.token(),
    request: transaction.request,
    username: login.username,
    authenticatedAt: login.authenticatedAt,
    method: login.method,
    amr: login.amr,
    issuedAt: now,
  };
  // A metadata document must outlive the code that names its client (CMD-16).
  const options = { holdDocument: client.origin === 'cimd' };
  const outcome = stored
    ? await store.transactions.complete(transaction.transaction_id, transaction.browser, record, now, options)
    : await store.codes.issue(record, now, options);
  if (outcome === 'gone') throw unknownTransaction();
  if (outcome === 'client_not_held') {
    if (stored) await store.transactions.end(transaction.transaction_id, now);
    throw new RefusalForClient(
      new OAuthError('temporarily_unavailable', 'The metadata document of this client cannot be kept at the moment.'),
      transaction.request,
    );
  }
  return record.code;
}
