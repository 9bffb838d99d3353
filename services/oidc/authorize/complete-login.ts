// Turns a completed login into one code (AUT-31, AUT-37, AUT-44). The login belongs to a stored transaction, consumed
// in the same step, or to a request without one (direct POST, auto-login). For the implicit flow the code is redeemed
// at once and never shown.

import type { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import type { AuthorizationCodeRecord } from '#shared/model/domain/authorization-code.ts';
import type { Candidate } from '#shared/model/domain/next-authorization-step.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import type { LogIn } from '#shared/state/store/ports/index.ts';
import { codeResponse, RefusalForClient } from './client-response.ts';
import { type LoginInProgress, unknownTransaction } from './find-login.ts';
import { implicitResponse } from './implicit-response.ts';

/** The user of the response, and what the ID token says about the login. */
export interface Answering {
  readonly who: Candidate;
  readonly acr: string | undefined;
  /** The session begins with the code. */
  readonly logIn: LogIn | undefined;
  readonly autoLogin: boolean;
  /** The session was used without a login page. */
  readonly fromSession: boolean;
}

/** `session_over`: the session for this response has ended meanwhile. */
export async function completeLogin(
  inProgress: LoginInProgress,
  { who, acr, logIn, autoLogin, fromSession }: Answering,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply | 'session_over'> {
  const accepted = inProgress.transaction.request;
  const code = await issueCode(inProgress, { who, acr, logIn }, context);
  if (code === undefined) return 'session_over';
  note.succeeded(
    {
      username: who.username,
      client_id: accepted.client_id,
      details: {
        scope: accepted.scope.join(' '),
        pkce: accepted.code_challenge !== undefined,
        ...(accepted.ignored_parameters && { ignored_parameters: accepted.ignored_parameters }),
        ...(accepted.ignored_scopes && { ignored_scopes: accepted.ignored_scopes }),
        ...(autoLogin ? { auto_login: true } : {}),
        ...(fromSession ? { sso: true } : {}),
      },
    },
    { done: true },
  );
  return accepted.response_type === undefined
    ? codeResponse(code, accepted, context)
    : implicitResponse(code, accepted.response_type, inProgress, context);
}

async function issueCode(
  { transaction, stored, client }: LoginInProgress,
  { who, acr, logIn }: Pick<Answering, 'who' | 'acr' | 'logIn'>,
  { store, snapshot, clock, random }: ProtocolContext,
): Promise<string | undefined> {
  const now = clock.now();
  const { pushed } = transaction.request;
  // When several logins complete one pushed request, only the first gets a response.
  if (pushed !== undefined && !(await store.pushedRequests.use(pushed, transaction.transaction_id, now))) {
    throw unknownTransaction();
  }
  const user = await findEffectiveUser(snapshot, store, who.username);
  const record: AuthorizationCodeRecord = {
    code: random.token(),
    request: transaction.request,
    clientInstance: client.instanceId,
    username: who.username,
    userInstance: user?.instanceId,
    authenticatedAt: who.authenticatedAt,
    method: who.method,
    amr: who.amr,
    // Without a session the ID token has no context claims (SSO-01).
    ...(who.sid === undefined && logIn === undefined ? {} : { sid: who.sid, acr }),
    claims: who.claims,
    issuedAt: now,
    lifetime: snapshot.settings.oauth.authorization_code_expiry_seconds,
  };
  // A metadata document must outlive the code that names its client (CMD-16).
  const options = { holdDocument: client.origin === 'cimd', logIn };
  const outcome = stored
    ? await store.transactions.complete(transaction.transaction_id, transaction.browser, record, now, options)
    : await store.codes.issue(record, now, options);
  if (outcome === 'session_over') return undefined;
  if (outcome === 'gone') throw unknownTransaction();
  if (outcome === 'client_not_held') {
    if (stored) await store.transactions.end(transaction.transaction_id, now);
    throw new RefusalForClient(oauthError(authorizeRefusals.metadata_document_not_kept), transaction.request);
  }
  return record.code;
}
