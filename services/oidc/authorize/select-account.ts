// The account that the user selected for an authorization request, in this HTTP request or an earlier one.

import type { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { accountsOf, areSessionsOn } from '#shared/engine/login/browser-sessions.ts';
import type { CompletedLogin } from '#shared/engine/login/login-step.ts';
import { acrOf, strongestMethod } from '#shared/model/domain/authentication-context.ts';
import type { AskedLogin } from '#shared/model/domain/authorization-request.ts';
import type { LoginProgress } from '#shared/model/domain/authorization-transaction.ts';
import type { Account, Candidate } from '#shared/model/domain/next-authorization-step.ts';
import type { LoginInProgress } from './find-login.ts';
import { noRequestedLogin } from './requested-login.ts';

/** What the user enters or chooses in this HTTP request. */
export interface LoginInput {
  readonly login?: CompletedLogin;
  /** The username of the chosen account. */
  readonly account?: string;
  /** The username for which the consent page was confirmed. */
  readonly consented?: string;
  /** The `login_hint` of a GET without further OAuth parameters (AUT-41). */
  readonly loginHint?: string | undefined;
  readonly autoLogin?: boolean;
  /** The session of the account that was selected ended during this request. */
  readonly isGone?: boolean;
}

/** One HTTP request to /authorize. */
export interface AuthorizeRequest {
  readonly request: ParsedRequest;
  readonly context: ProtocolContext;
  readonly note: AuditNote;
}

export type SelectedAccount = Candidate & Pick<LoginProgress, 'loggedIn' | 'chosen' | 'codeAlone'>;

/** The complete state for the next step of an authorization request. */
export interface AuthorizeState extends AuthorizeRequest {
  readonly inProgress: LoginInProgress;
  readonly input: LoginInput;
  /** undefined: no account is selected yet, or its session has ended. */
  readonly selected: SelectedAccount | undefined;
  /** The accounts with a session in this browser. */
  readonly accounts: readonly Account[];
  readonly asks: AskedLogin;
}

export async function authorizeState(
  inProgress: LoginInProgress,
  input: LoginInput,
  { request, context, note }: AuthorizeRequest,
): Promise<AuthorizeState> {
  const { request: authorizationRequest, progress } = inProgress.transaction;
  const asks = authorizationRequest.asks ?? noRequestedLogin;
  const accounts = areSessionsOn(context) ? await accountsOf(context, authorizationRequest.client_id) : [];
  const selected = await selectAccount(input, progress, asks, accounts, context);
  return { request, context, note, inProgress, input, selected, accounts, asks };
}

async function selectAccount(
  input: LoginInput,
  progress: LoginProgress | undefined,
  asks: AskedLogin,
  accounts: readonly Account[],
  context: ProtocolContext,
): Promise<SelectedAccount | undefined> {
  if (input.login !== undefined) {
    // A required login also selects the account, unless the client requested both (SSO-19).
    const chosen = progress?.chosen === true || !asks.prompts.includes('login');
    return { ...(await candidateOf(input.login, context)), loggedIn: true, chosen };
  }
  if (input.account !== undefined) {
    const account = accounts.find(({ username }) => username === input.account);
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
