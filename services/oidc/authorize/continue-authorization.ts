// Takes an authorization request one step further: from what the person has said and the sessions of the browser to a code, a
// page or an error to the client. What is next is decided in shared/model/domain/next-authorization-step.ts; here it is done (SSO-11 to SSO-37).

import type { AuditNote } from '#shared/engine/exchange/audited.ts';
import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { initialStep } from '#shared/engine/login/attempt-login.ts';
import { accountsOf, areSessionsOn, newLogIn } from '#shared/engine/login/browser-sessions.ts';
import type { CompletedLogin } from '#shared/engine/login/login-step.ts';
import { acrOf, strongestMethod } from '#shared/model/domain/authentication-context.ts';
import type { AskedLogin } from '#shared/model/domain/authorization-request.ts';
import type { LoginProgress } from '#shared/model/domain/authorization-transaction.ts';
import {
  type Account,
  type Candidate,
  type NextStep,
  needsConsent,
  nextStep,
} from '#shared/model/domain/next-authorization-step.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { loginPage } from './answer-login-step.ts';
import { asksNothing } from './asked-login.ts';
import { beginTransaction } from './begin-transaction.ts';
import { RefusalForClient } from './client-response.ts';
import { type Answering, completeLogin } from './complete-login.ts';
import { type LoginInProgress, unknownTransaction } from './find-login.ts';
import { accountPage, consentPage } from './question-pages.tsx';
import { recordConsent } from './record-consent.ts';

/** What the person says in this very request. */
interface LoginInput {
  readonly login?: CompletedLogin;
  /** The name of a chosen account. */
  readonly account?: string;
  /** Whose consent was given: the one that the consent page named. */
  readonly consented?: string;
  /** The name that a bare GET brings along (AUT-41). */
  readonly loginHint?: string | undefined;
  readonly autoLogin?: boolean;
  /** Somebody spoke for this request whose session ended at this very moment. */
  readonly isGone?: boolean;
}

export interface AuthorizeRequest {
  readonly request: ParsedRequest;
  readonly context: ProtocolContext;
  readonly note: AuditNote;
}

type SelectedAccount = Candidate & Pick<LoginProgress, 'loggedIn' | 'chosen' | 'codeAlone'>;

export async function continueAuthorization(
  inProgress: LoginInProgress,
  said: LoginInput,
  inHand: AuthorizeRequest,
): Promise<Reply> {
  const { context } = inHand;
  const { request, progress } = inProgress.transaction;
  const asks = request.asks ?? asksNothing;
  const accounts = areSessionsOn(context) ? await accountsOf(context, request.client_id) : [];
  const spoken = await selectAccount(said, progress, asks, accounts, context);
  const step = nextStep({
    ...{ asks, accounts, loginHint: said.loginHint ?? request.login_hint },
    said: spoken && { who: spoken, loggedIn: spoken.loggedIn, chosen: spoken.chosen },
    isGone: spoken === undefined && (said.isGone === true || said.account !== undefined || progress !== undefined),
    settings: context.snapshot.settings,
    now: context.clock.now(),
  });
  switch (step.step) {
    case 'refuse':
      return refuse(inProgress, step.refuse, context);
    case 'ask':
      return ask(step, inProgress, { said, spoken, accounts, asks }, inHand);
    case 'answer':
      return answer(step, inProgress, { said, spoken, accounts, asks }, inHand);
  }
}

interface Known {
  readonly said: LoginInput;
  readonly spoken: SelectedAccount | undefined;
  readonly accounts: readonly Account[];
  readonly asks: AskedLogin;
}

/** Who logged in or was chosen, now or before for the same request. */
async function selectAccount(
  said: LoginInput,
  progress: LoginProgress | undefined,
  asks: AskedLogin,
  accounts: readonly Account[],
  context: ProtocolContext,
): Promise<SelectedAccount | undefined> {
  if (said.login !== undefined) {
    // Who has to log in chooses an account by doing so, unless both were asked for (SSO-19).
    const chosen = progress?.chosen === true || !asks.prompts.includes('login');
    return { ...(await candidateOf(said.login, context)), loggedIn: true, chosen };
  }
  if (said.account !== undefined) {
    const account = accounts.find(({ username }) => username === said.account);
    const loggedIn = progress?.loggedIn === true && progress.sid === account?.sid;
    return account && { ...account, loggedIn, chosen: true };
  }
  if (progress === undefined) return undefined;
  const { loggedIn, chosen, sid } = progress;
  if (sid === undefined) return { ...(await candidateOf(progress, context)), loggedIn, chosen };
  const account = accounts.find((each) => each.sid === sid);
  return account && { ...account, loggedIn, chosen };
}

async function candidateOf(login: CompletedLogin, { snapshot, store }: ProtocolContext): Promise<Candidate> {
  const { username, method, amr, authenticatedAt, claims } = login;
  const user = (await findEffectiveUser(snapshot, store, username))?.user;
  const strongest = user === undefined ? method : strongestMethod(snapshot.settings, user);
  const acr = acrOf(method, snapshot.settings);
  return { sid: undefined, username, email: user?.email, method, amr, authenticatedAt, acr, claims, strongest };
}

async function refuse(
  { transaction, stored }: LoginInProgress,
  why: (NextStep & { step: 'refuse' })['refuse'],
  { store, clock }: ProtocolContext,
): Promise<never> {
  if (stored) await store.transactions.end(transaction.transaction_id, clock.now());
  const row = why === 'another_user' ? authorizeRefusals.another_user_logged_in : authorizeRefusals.acr_unmet;
  throw new RefusalForClient(oauthError(row), transaction.request);
}

/** What `prompt=none` answers in place of each page. */
const withoutPage = {
  login: authorizeRefusals.session_needed,
  account: authorizeRefusals.account_choice_needed,
  code: authorizeRefusals.step_up_needed,
} as const;

async function ask(
  step: NextStep & { step: 'ask' },
  inProgress: LoginInProgress,
  known: Known,
  inHand: AuthorizeRequest,
): Promise<Reply> {
  const { request, context } = inHand;
  if (known.asks.prompts.includes('none')) {
    // Nobody knows then whether there is a session (D25).
    const isBlind = inProgress.transaction.embedded && !(await context.session()).presented;
    const row = isBlind ? authorizeRefusals.session_cookie_withheld : withoutPage[step.ask];
    throw new RefusalForClient(oauthError(row), inProgress.transaction.request);
  }
  const spoken = step.ask === 'code' ? spokenForBySession(step.who, known) : known.spoken;
  const { kept, headers } = await keep(inProgress, spoken, known.said.login, inHand);
  switch (step.ask) {
    case 'login': {
      // Before anybody has said anything the request's own hint counts as it always did.
      const hint = step.username ?? (known.spoken === undefined ? kept.transaction.request.login_hint : undefined);
      return withHeaders(await loginPage(initialStep(context, hint), kept, request, context), headers);
    }
    case 'account':
      return withHeaders(await accountPage(namesOf(known), kept, request, context), headers);
    case 'code':
      return withHeaders(await codePage(step.who.username, kept, inHand), headers);
  }
}

function spokenForBySession(who: Candidate, { spoken }: Known): SelectedAccount {
  return { ...(spoken ?? { ...who, loggedIn: false, chosen: false }), codeAlone: who.sid !== undefined };
}

function namesOf({ accounts, spoken }: Known): readonly Pick<Account, 'username' | 'email'>[] {
  const isThere = spoken === undefined || accounts.some(({ username }) => username === spoken.username);
  return isThere ? accounts : [spoken, ...accounts];
}

/** The password was proved by the session: the code alone is still to come (SSO-32). */
async function codePage(
  username: string,
  inProgress: LoginInProgress,
  { request, context }: AuthorizeRequest,
): Promise<Reply> {
  const { transaction_id: id, browser } = inProgress.transaction;
  const now = context.clock.now();
  const pending = { id, browser, surface: '/authorize', purpose: id, username, passwordVerifiedAt: now } as const;
  const message = 'Too many logins are waiting for their code at the moment. Please try again later.';
  if ((await context.store.secondFactors.record(pending, now)) === 'full') {
    return loginPage({ ...initialStep(context, username), message }, inProgress, request, context);
  }
  const step = { step: 'second_factor', id, username, message: undefined, refused: undefined } as const;
  return loginPage(step, inProgress, request, context);
}

async function answer(
  { who, acr }: NextStep & { step: 'answer' },
  inProgress: LoginInProgress,
  known: Known,
  inHand: AuthorizeRequest,
): Promise<Reply> {
  const { said, spoken, asks } = known;
  const { context, note, request } = inHand;
  const asked = inProgress.transaction.request;
  const consented = () => context.store.consents.find(who.username, asked.client_id);
  const { settings } = context.snapshot;
  const prompted = asks.prompts.includes('consent');
  const allowed = said.consented === who.username;
  if (!allowed && (await needsConsent(settings.login, prompted, asked.scope, consented))) {
    if (asks.prompts.includes('none')) throw new RefusalForClient(oauthError(authorizeRefusals.consent_needed), asked);
    // The person answers for whoever the page names.
    const named = spoken ?? { ...who, loggedIn: false, chosen: false };
    const { kept, headers } = await keep(inProgress, named, said.login, inHand);
    return withHeaders(await consentPage(who, kept, request, context), headers);
  }
  const begun = said.login && areSessionsOn(context) ? await newLogIn(said.login, request, context) : undefined;
  const answering: Answering = {
    ...{ who, acr, logIn: begun?.logIn },
    autoLogin: said.autoLogin === true,
    fromSession: who.sid !== undefined && spoken?.loggedIn !== true,
  };
  const reply = await completeLogin(inProgress, answering, context, note);
  // Its session ended a moment ago: what is next is to be decided without it.
  if (reply === 'session_over') {
    return continueAuthorization(withoutProgress(inProgress), { isGone: spoken !== undefined }, inHand);
  }
  if (allowed) await recordConsent(who.username, asked, request, context);
  return begun === undefined ? reply : withHeaders(reply, { 'Set-Cookie': begun.cookie });
}

function withoutProgress(inProgress: LoginInProgress): LoginInProgress {
  return { ...inProgress, transaction: { ...inProgress.transaction, progress: undefined } };
}

/**
 * Stores what was said so far before a page asks for more; a login begins its session in the same step. Of several
 * simultaneous posts of one page one goes on.
 */
async function keep(
  inProgress: LoginInProgress,
  spoken: SelectedAccount | undefined,
  login: CompletedLogin | undefined,
  { request, context }: AuthorizeRequest,
): Promise<{ readonly kept: LoginInProgress; readonly headers: Readonly<Record<string, string>> }> {
  const { transaction, stored } = inProgress;
  if (!stored) await beginTransaction(transaction, context);
  if (spoken === undefined) return { kept: { ...inProgress, stored: true }, headers: {} };
  const begun = login && areSessionsOn(context) ? await newLogIn(login, request, context) : undefined;
  const { username, method, authenticatedAt, amr, sid, loggedIn, chosen, codeAlone, claims } = spoken;
  const progress = { username, method, authenticatedAt, amr, sid, loggedIn, chosen, codeAlone, claims };
  const step = { progress, logIn: begun?.logIn };
  const now = context.clock.now();
  if ((await context.store.transactions.advance(transaction, step, now)) === 'gone') throw unknownTransaction();
  const headers = begun === undefined ? {} : { 'Set-Cookie': begun.cookie };
  return { kept: { ...inProgress, stored: true, transaction: { ...transaction, progress } }, headers };
}
