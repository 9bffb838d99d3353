// The page for the user's next input: login, account, code or consent. The progress so far is stored first.
import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import { initialStep } from '#shared/engine/login/attempt-login.ts';
import { missingAutomaticUser } from '#shared/engine/login/automatic-login.ts';
import { areSessionsOn, newLogIn } from '#shared/engine/login/browser-sessions.ts';
import { tooManyLogins } from '#shared/engine/login/login-errors.ts';
import type { Account, Candidate, NextStep } from '#shared/model/domain/next-authorization-step.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { loginPage } from './answer-login-step.ts';
import { beginTransaction } from './begin-transaction.ts';
import { RefusalForClient } from './client-response.ts';
import { type LoginInProgress, unknownTransaction } from './find-login.ts';
import { accountPage, consentPage } from './question-pages.tsx';
import type { AuthorizeRequest, AuthorizeState, SelectedAccount } from './select-account.ts';

/** With `prompt=none` each page becomes an error. */
const withoutPage = {
  login: authorizeRefusals.session_needed,
  account: authorizeRefusals.account_choice_needed,
  code: authorizeRefusals.step_up_needed,
} as const;

/** @throws RefusalForClient with `prompt=none` */
export async function askUser(step: NextStep & { step: 'ask' }, state: AuthorizeState): Promise<Reply> {
  const { inProgress, selected, context } = state;
  if (state.asks.prompts.includes('none')) {
    // Without the cookie it is unknown whether the browser has a session (D25).
    const isBlind = inProgress.transaction.embedded && !(await context.session()).presented;
    const row = isBlind ? authorizeRefusals.session_cookie_withheld : withoutPage[step.ask];
    throw new RefusalForClient(oauthError(row), inProgress.transaction.request);
  }
  const stored = await storeProgress(state, step.ask === 'code' ? selectedForCode(step.who, selected) : selected);
  return withHeaders(await pageOf(step, stored.inProgress, state), stored.headers);
}

async function pageOf(
  step: NextStep & { step: 'ask' },
  inProgress: LoginInProgress,
  state: AuthorizeState,
): Promise<Reply> {
  const { selected, request, context } = state;
  switch (step.ask) {
    case 'login': {
      // The request's own hint counts until the user has selected an account.
      const hint = step.username ?? (selected === undefined ? inProgress.transaction.request.login_hint : undefined);
      const message = await missingAutomaticUser(context);
      return loginPage({ ...initialStep(context, hint), message }, inProgress, request, context);
    }
    case 'account':
      return accountPage(selectableAccounts(state), inProgress, request, context);
    case 'code':
      return codePage(step.who.username, inProgress, state);
  }
}

export async function askForConsent(who: Candidate, state: AuthorizeState): Promise<Reply> {
  const { inProgress, selected, asks, request, context } = state;
  if (asks.prompts.includes('none')) {
    throw new RefusalForClient(oauthError(authorizeRefusals.consent_needed), inProgress.transaction.request);
  }
  // Consent is given for the account that the page names.
  const stored = await storeProgress(state, selected ?? { ...who, loggedIn: false, chosen: false });
  return withHeaders(await consentPage(who, stored.inProgress, request, context), stored.headers);
}

function selectedForCode(who: Candidate, selected: SelectedAccount | undefined): SelectedAccount {
  return { ...(selected ?? { ...who, loggedIn: false, chosen: false }), codeAlone: who.sid !== undefined };
}

function selectableAccounts({ accounts, selected }: AuthorizeState): readonly Pick<Account, 'username' | 'email'>[] {
  const isListed = selected === undefined || accounts.some(({ username }) => username === selected.username);
  return isListed ? accounts : [selected, ...accounts];
}

/** The session proved the password, so only the code is missing (SSO-32). */
async function codePage(
  username: string,
  inProgress: LoginInProgress,
  { request, context }: AuthorizeRequest,
): Promise<Reply> {
  const { transaction_id: id, browser } = inProgress.transaction;
  const now = context.clock.now();
  const pending = { id, browser, surface: '/authorize', purpose: id, username, passwordVerifiedAt: now } as const;
  if ((await context.store.secondFactors.record(pending, now)) === 'full') {
    return loginPage({ ...initialStep(context, username), message: tooManyLogins }, inProgress, request, context);
  }
  const step = { step: 'second_factor', id, username, message: undefined, refused: undefined } as const;
  return loginPage(step, inProgress, request, context);
}

/**
 * Stores the selected account before a page asks for more. A login begins its session in the same step. When one page
 * is posted several times at once, only one of the posts continues.
 */
async function storeProgress(
  { inProgress, input, request, context }: AuthorizeState,
  selected: SelectedAccount | undefined,
): Promise<{ readonly inProgress: LoginInProgress; readonly headers: Readonly<Record<string, string>> }> {
  const { transaction, stored } = inProgress;
  if (!stored) await beginTransaction(transaction, context);
  if (selected === undefined) return { inProgress: { ...inProgress, stored: true }, headers: {} };
  const begun = input.login && areSessionsOn(context) ? await newLogIn(input.login, request, context) : undefined;
  const { username, method, authenticatedAt, amr, sid, loggedIn, chosen, codeAlone, claims } = selected;
  const progress = { username, method, authenticatedAt, amr, sid, loggedIn, chosen, codeAlone, claims };
  const step = { progress, logIn: begun?.logIn };
  const now = context.clock.now();
  if ((await context.store.transactions.advance(transaction, step, now)) === 'gone') throw unknownTransaction();
  const headers = begun === undefined ? {} : { 'Set-Cookie': begun.cookie };
  return { inProgress: { ...inProgress, stored: true, transaction: { ...transaction, progress } }, headers };
}
