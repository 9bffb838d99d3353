// Runs the next step of an authorization request: from the user's input and the sessions of the browser to a code, a
// page or an error for the client. shared/model/domain/next-authorization-step.ts decides on the step (SSO-11 to
// SSO-37).

import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import { areSessionsOn, newLogIn } from '#shared/engine/login/browser-sessions.ts';
import { type NextStep, needsConsent, nextStep } from '#shared/model/domain/next-authorization-step.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { askForConsent, askUser } from './ask-user.ts';
import { RefusalForClient } from './client-response.ts';
import { type Answering, completeLogin } from './complete-login.ts';
import type { LoginInProgress } from './find-login.ts';
import { recordConsent } from './record-consent.ts';
import { type AuthorizeRequest, type AuthorizeState, authorizeState, type LoginInput } from './select-account.ts';

export async function continueAuthorization(
  inProgress: LoginInProgress,
  input: LoginInput,
  authorizeRequest: AuthorizeRequest,
): Promise<Reply> {
  const state = await authorizeState(inProgress, input, authorizeRequest);
  const step = nextStepOf(state);
  switch (step.step) {
    case 'refuse':
      return reject(step.refuse, state);
    case 'ask':
      return askUser(step, state);
    case 'answer':
      return answer(step, state);
  }
}

function nextStepOf({ inProgress, input, selected, accounts, asks, context }: AuthorizeState): NextStep {
  const { request, progress } = inProgress.transaction;
  const hadSelected = input.isGone === true || input.account !== undefined || progress !== undefined;
  return nextStep({
    asks,
    accounts,
    loginHint: input.loginHint ?? request.login_hint,
    selection: selected && { who: selected, loggedIn: selected.loggedIn, chosen: selected.chosen },
    isAccountMissing: selected === undefined && hadSelected,
    settings: context.snapshot.settings,
    now: context.clock.now(),
  });
}

async function reject(
  reason: (NextStep & { step: 'refuse' })['refuse'],
  { inProgress, context: { store, clock } }: AuthorizeState,
): Promise<never> {
  const { transaction, stored } = inProgress;
  if (stored) await store.transactions.end(transaction.transaction_id, clock.now());
  const row = reason === 'another_user' ? authorizeRefusals.another_user_logged_in : authorizeRefusals.acr_unmet;
  throw new RefusalForClient(oauthError(row), transaction.request);
}

async function answer({ who, acr }: NextStep & { step: 'answer' }, state: AuthorizeState): Promise<Reply> {
  const { inProgress, input, selected, asks, request, context, note } = state;
  const authorizationRequest = inProgress.transaction.request;
  const isAllowed = input.consented === who.username;
  const consented = () => context.store.consents.find(who.username, authorizationRequest.client_id);
  const prompted = asks.prompts.includes('consent');
  if (
    !isAllowed &&
    (await needsConsent(context.snapshot.settings.login, prompted, authorizationRequest.scope, consented))
  ) {
    return askForConsent(who, state);
  }
  const begun = input.login && areSessionsOn(context) ? await newLogIn(input.login, request, context) : undefined;
  const answering: Answering = {
    ...{ who, acr, logIn: begun?.logIn },
    autoLogin: input.autoLogin === true,
    fromSession: who.sid !== undefined && selected?.loggedIn !== true,
  };
  const reply = await completeLogin(inProgress, answering, context, note);
  // The session ended during this request, so the next step is decided without it.
  if (reply === 'session_over') {
    return continueAuthorization(withoutProgress(inProgress), { isGone: selected !== undefined }, state);
  }
  if (isAllowed) await recordConsent(who.username, authorizationRequest, request, context);
  return begun === undefined ? reply : withHeaders(reply, { 'Set-Cookie': begun.cookie });
}

function withoutProgress(inProgress: LoginInProgress): LoginInProgress {
  return { ...inProgress, transaction: { ...inProgress.transaction, progress: undefined } };
}
