// GET and POST /authorize (RFC 6749 §3.1, OIDC Core §3.1.2). A GET validates a request once and stores it as a
// transaction, or shows the pending one again; a POST takes its login one step further. OAuth parameters are read from
// the query only, never from a body. Sessions of /login are neither used nor made here (AUT-42, LOG-29).
import { notStored, type Reply } from '#shared/http/reply.ts';
import { auditEvent, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import { attemptLogin, initialStep } from '#shared/login/attempt-login.ts';
import { withBrowserCookie } from '#shared/login/login-step-reply.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { acceptRequest } from './accept-request.ts';
import { answerStep, loginPage } from './answer-step.ts';
import { autoLoginName, completeAutoLogin } from './auto-login.ts';
import { beginTransaction, newTransaction } from './begin-transaction.ts';
import { UnknownClientError } from './check-client.ts';
import { errorResponse, RefusalForClient } from './client-response.ts';
import { findLogin, findOnlyLogin, type LoginInProgress } from './find-login.ts';
import { LostLoginError, lostLoginPage } from './lost-login.tsx';
import { isOAuthRequest, oauthFieldNames } from './oauth-parameters.ts';

export async function getAuthorize(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  return answeringRefusals(request, context, async () => {
    const reply = isOAuthRequest(request.query)
      ? await beginLogin(request, context)
      : await resumeLogin(request, context);
    // Back from the application must ask again: a kept page would post to a transaction that is used up.
    return notStored(reply);
  });
}

export async function postAuthorize(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  return answeringRefusals(request, context, async () => {
    const inProgress = await findLogin(request, context);
    const purpose = { surface: '/authorize', purpose: inProgress.transaction.transaction_id } as const;
    const step = await attemptLogin(request.form, context, purpose);
    return answerStep(step, inProgress, request, context);
  });
}

async function beginLogin(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const autoLogin = autoLoginName(request.query, context.snapshot);
  const accepted = await acceptRequest(request.query, context, autoLogin !== undefined);
  const transaction = await newTransaction(accepted.request, request.query, context, { direct: false });
  const inProgress: LoginInProgress = { transaction, stored: false, client: accepted.client };
  if (autoLogin !== undefined) return completeAutoLogin(autoLogin, inProgress, request, context);
  await beginTransaction(transaction, context);
  const step = initialStep(context, accepted.request.login_hint);
  return loginPage(step, { ...inProgress, stored: true }, request, context);
}

/** A GET without an OAuth request; its login_hint is applied to the pending one (AUT-40, AUT-41). */
async function resumeLogin(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const inProgress = await findOnlyLogin(context);
  const { transaction } = inProgress;
  const autoLogin = autoLoginName(request.query, context.snapshot);
  if (autoLogin !== undefined) return completeAutoLogin(autoLogin, inProgress, request, context);
  const key = {
    id: transaction.transaction_id,
    browser: transaction.browser,
    surface: '/authorize',
    purpose: transaction.transaction_id,
  } as const;
  const pending = await context.store.secondFactors.find(key, context.clock.now());
  if (pending !== undefined) {
    const { id, username } = pending;
    const step = { step: 'second_factor', id, username, message: undefined, reason: undefined } as const;
    return loginPage(step, inProgress, request, context);
  }
  const hint = request.query.value('login_hint') ?? transaction.request.login_hint;
  return loginPage(initialStep(context, hint), inProgress, request, context);
}

/**
 * Refusals are recorded, and sent to the client once its redirect URI was validated; else they are 400 (AUT-07). A page
 * is made only of what a person can run into on the way through a login.
 */
async function answeringRefusals(
  request: ParsedRequest,
  context: RequestContext,
  answer: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await answer();
  } catch (error) {
    const refusal = error instanceof RefusalForClient ? error.refusal : error;
    if (!(refusal instanceof OAuthError)) throw error;
    const clientId = error instanceof RefusalForClient ? error.recipient.client_id : request.query.value('client_id');
    await recordRefusal(refusal, clientId, request, context);
    const lost = error instanceof LostLoginError ? lostLoginPage(error, request, context) : undefined;
    if (lost !== undefined) return lost;
    if (!(error instanceof RefusalForClient)) throw error;
    return withBrowserCookie(await errorResponse(error, context), context);
  }
}

async function recordRefusal(
  refusal: OAuthError,
  clientId: string | undefined,
  request: ParsedRequest,
  context: RequestContext,
): Promise<void> {
  const common = { endpoint: '/authorize', status: 'failed', client_id: clientId } as const;
  if (refusal instanceof UnknownClientError && refusal.document) {
    const refused = { ...common, event_type: 'client_metadata_document_refused', details: {} } as const;
    await context.audit.record(auditEvent(request, context, refused));
    return;
  }
  const fields = oauthFieldNames(request.form);
  const details = { reason: refusal.reason, ...(fields.length > 0 ? { fields } : {}) };
  await context.audit.record(auditEvent(request, context, { ...common, event_type: 'authorization_request', details }));
}
