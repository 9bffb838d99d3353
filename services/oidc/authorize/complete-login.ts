// A completed login becomes one code: of a stored transaction, consumed in the same step, or of a request that needs
// none (direct POST, auto-login) (AUT-31, AUT-37, AUT-44).
import type { AuthorizationCodeRecord } from '#shared/domain/authorization-code.ts';
import type { AuditNote } from '#shared/http/pipeline/audited.ts';
import type { Reply } from '#shared/http/reply.ts';
import type { RequestContext } from '#shared/http/request.ts';
import type { CompletedLogin } from '#shared/login/login-step.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { authorizeRefusals } from '#shared/refusals/families/authorize.ts';
import { codeResponse, RefusalForClient } from './client-response.ts';
import { type LoginInProgress, unknownTransaction } from './find-login.ts';

export async function completeLogin(
  inProgress: LoginInProgress,
  login: CompletedLogin,
  context: RequestContext,
  note: AuditNote,
  { autoLogin }: { readonly autoLogin: boolean } = { autoLogin: false },
): Promise<Reply> {
  const accepted = inProgress.transaction.request;
  const code = await issueCode(inProgress, login, context);
  note.succeeded(
    {
      username: login.username,
      client_id: accepted.client_id,
      details: {
        scope: accepted.scope.join(' '),
        pkce: accepted.code_challenge !== undefined,
        ...(accepted.ignored_parameters && { ignored_parameters: accepted.ignored_parameters }),
        ...(autoLogin ? { auto_login: true } : {}),
      },
    },
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
    throw new RefusalForClient(oauthError(authorizeRefusals.metadata_document_not_kept), transaction.request);
  }
  return record.code;
}
