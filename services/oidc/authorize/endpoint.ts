// GET and POST /authorize (RFC 6749 §3.1, OIDC Core §3.1.2). A GET validates a request once and stores it as a
// transaction, or shows the pending one again. A POST advances its login by one step. OAuth parameters are read from
// the query only. A body with OAuth parameters is not a request, unless oauth.authorize_by_post turns it into the query
// of a GET. Sessions are used and created here only while they are on (section SSO, AUT-42, LOG-29).

import { type AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { isEmbedded, refuseCrossSite } from '#shared/engine/exchange/cross-site.ts';
import { notStored, type Reply, withRefusal } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { attemptLogin, initialStep, loginFields } from '#shared/engine/login/attempt-login.ts';
import { automaticLogin } from '#shared/engine/login/automatic-login.ts';
import { recordAttempt } from '#shared/engine/login/record-attempt.ts';
import { ignoredParameters } from '#shared/model/oauth-rules/resource.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { withBrowserCookie } from '#shared/web/pages/login/login-step-reply.ts';
import { pushedRequestUri } from '../pushed/take-pushed-request.ts';
import { acceptRequest } from './accept-request.ts';
import { answerLoginStep, loginPage } from './answer-login-step.ts';
import { completeAutoLogin } from './auto-login.ts';
import { newTransaction } from './begin-transaction.ts';
import { noteRefusedDocument } from './check-client.ts';
import { errorResponse, RefusalForClient, requestedRefusal } from './client-response.ts';
import { continueAuthorization } from './continue-authorization.ts';
import { continueWithLogin } from './continue-with-login.ts';
import { findLogin, findOnlyLogin, type LoginInProgress } from './find-login.ts';
import { isNavigation } from './is-navigation.ts';
import { lostLoginPage } from './lost-login.tsx';
import { isOAuthRequest, oauthFieldNames } from './oauth-parameters.ts';
import { asGet, isPostedRequest } from './posted-request.ts';
import { refusedRequestPage } from './refused-request.tsx';
import type { AuthorizeRequest } from './select-account.ts';

const auditedAs = { event_type: 'authorization_request', endpoint: '/authorize' } as const;

export const getAuthorize = audited(auditedAs, (request, context, note) =>
  answeringRefusals(request, context, note, async () => {
    const reply =
      isOAuthRequest(request.query) || pushedRequestUri(request.query, context) !== undefined
        ? await beginLogin(request, context, note)
        : await resumeLogin(request, context, note);
    // The back button must request the page again: a cached page would post to a used transaction.
    return notStored(reply);
  }),
);

export const postAuthorize = audited(auditedAs, (request, context, note) =>
  answeringRefusals(request, context, note, async () => {
    if (isPostedRequest(request, context.snapshot)) return asGet(request, context);
    const isLogin = isOAuthRequest(request.query) && loginFields.some((name) => request.form.has(name));
    if (isLogin || decisions.some((name) => request.form.has(name))) {
      refuseCrossSite(request, context, 'login_for_application');
    }
    const inProgress = await findLogin(request, context);
    const refusal = await requestedRefusal(inProgress.transaction.request, context);
    if (refusal !== undefined) return refusal;
    const authorizeRequest = { request, context, note };
    const decided = await decide(inProgress, authorizeRequest);
    if (decided !== undefined) return decided;
    const purpose = { surface: '/authorize', purpose: inProgress.transaction.transaction_id } as const;
    const step = await attemptLogin(request.form, context, purpose);
    if (step.step === 'completed') return continueWithLogin(inProgress, { login: step.login }, authorizeRequest);
    const { client_id } = inProgress.transaction.request;
    await recordAttempt(step, { surface: '/authorize', client_id }, request, context);
    return answerLoginStep(step, inProgress, request, context, note);
  }),
);

/** The user's decisions on a page in addition to credentials: an account, consent, or cancelling (SSO-40). */
const decisions = ['account', 'use_another', 'consent', 'cancel'] as const;

/** The reply to a decision. undefined: the post has none, or has credentials, which take precedence. */
async function decide(inProgress: LoginInProgress, authorizeRequest: AuthorizeRequest): Promise<Reply | undefined> {
  const { request, context } = authorizeRequest;
  const { form } = request;
  if (!decisions.some((name) => form.has(name)) || bringsCredentials(form, context)) return undefined;
  if (form.has('cancel')) return cancel(inProgress, context);
  const { transaction, stored } = inProgress;
  if (form.value('consent') === 'allow' && stored && transaction.progress !== undefined) {
    return continueAuthorization(inProgress, { consented: transaction.progress.username }, authorizeRequest);
  }
  const account = form.value('account');
  if (account !== undefined && stored) return continueAuthorization(inProgress, { account }, authorizeRequest);
  return form.has('use_another') ? loginPage(initialStep(context), inProgress, request, context) : undefined;
}

function bringsCredentials(form: ParsedRequest['form'], { snapshot }: ProtocolContext): boolean {
  if (form.value('totp_code') !== undefined) return true;
  if (form.value('username') === undefined) return false;
  return snapshot.settings.login.mode === 'persona' || form.value('password') !== undefined;
}

async function cancel({ transaction, stored }: LoginInProgress, { store, clock }: ProtocolContext): Promise<never> {
  if (stored) await store.transactions.end(transaction.transaction_id, clock.now());
  throw new RefusalForClient(oauthError(authorizeRefusals.login_cancelled), transaction.request);
}

async function beginLogin(request: ParsedRequest, context: ProtocolContext, note: AuditNote): Promise<Reply> {
  const accepted = await acceptRequest(request.query, context, true);
  const refusal = await requestedRefusal(accepted.request, context);
  if (refusal !== undefined) return refusal;
  const transaction = await newTransaction(accepted.request, request.query, context, {
    client: accepted.client,
    direct: false,
    embedded: isEmbedded(request),
  });
  const { client, autoLogin } = accepted;
  const inProgress: LoginInProgress = { transaction, stored: false, client };
  if (autoLogin !== undefined) return completeAutoLogin(autoLogin, inProgress, request, context, note);
  return continueAuthorization(inProgress, {}, { request, context, note });
}

/** A GET without an OAuth request. Its login_hint is applied to the pending one (AUT-40, AUT-41). */
async function resumeLogin(request: ParsedRequest, context: ProtocolContext, note: AuditNote): Promise<Reply> {
  const inProgress = await findOnlyLogin(context);
  const { transaction } = inProgress;
  const refusal = await requestedRefusal(transaction.request, context);
  if (refusal !== undefined) return refusal;
  const autoLogin = await automaticLogin(request.query, context);
  if (autoLogin !== undefined) return completeAutoLogin(autoLogin, inProgress, request, context, note);
  const key = {
    id: transaction.transaction_id,
    browser: transaction.browser,
    surface: '/authorize',
    purpose: transaction.transaction_id,
  } as const;
  const pending = await context.store.secondFactors.find(key, context.clock.now());
  if (pending !== undefined) {
    const { id, username } = pending;
    const step = { step: 'second_factor', id, username, message: undefined, refused: undefined } as const;
    return loginPage(step, inProgress, request, context);
  }
  return continueAuthorization(
    inProgress,
    { loginHint: request.query.value('login_hint') },
    { request, context, note },
  );
}

/**
 * Records rejections, and sends them to the client once its redirect URI was validated. Before that they are a 400:
 * JSON for a program and a page for a person (AUT-07, SSO-M08).
 */
async function answeringRefusals(
  request: ParsedRequest,
  context: ProtocolContext,
  note: AuditNote,
  answer: () => Promise<Reply>,
): Promise<Reply> {
  note.add({ details: ignoredParameters(request.query, context.snapshot.settings) });
  try {
    return await answer();
  } catch (error) {
    const refusal = error instanceof RefusalForClient ? error.refusal : error;
    if (!(refusal instanceof OAuthError)) throw error;
    const clientId = error instanceof RefusalForClient ? error.recipient.client_id : request.query.value('client_id');
    tellRefusal(refusal, clientId, { request, context, note });
    if (error instanceof RefusalForClient) return withBrowserCookie(await errorResponse(error, context), context);
    const reply = isNavigation(request)
      ? (lostLoginPage(refusal, request, context) ?? refusedRequestPage(refusal, request, context))
      : undefined;
    if (reply === undefined) throw error;
    return withRefusal(reply, refusal.refusal);
  }
}

function tellRefusal(
  refusal: OAuthError,
  clientId: string | undefined,
  { request, context, note }: AuthorizeRequest,
): void {
  if (refusal.refusal === authorizeRefusals.metadata_document_refused) {
    noteRefusedDocument(refusal, clientId, context, note);
    return;
  }
  const fields = oauthFieldNames(request.form);
  note.refused(refusal, { client_id: clientId, ...(fields.length > 0 ? { details: { fields } } : {}) });
}
