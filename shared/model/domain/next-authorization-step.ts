// Whether a session can satisfy an authorization request, and if not, the next question to the user (SSO-12). Pure. The
// order is hint, account, prompt, max_age and acr. Consent needs the store and comes after them (`needsConsent`).
import { epochSeconds, type Instant } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { judgeAcr } from './authentication-context.ts';
import type { AskedLogin, AuthenticationMethod } from './authorization-request.ts';
import { isConsentedTo } from './consent.ts';

/** A possible account for the response: a session of the browser, or a login that was just completed. */
export interface Candidate {
  /** undefined: its session is about to begin, or sessions are off. */
  readonly sid: string | undefined;
  readonly username: string;
  readonly email: string | undefined;
  readonly method: AuthenticationMethod;
  readonly amr: readonly string[] | undefined;
  readonly acr: string | undefined;
  readonly authenticatedAt: Instant;
  /** Typed for this login only (PCL-18). Absent: none. */
  readonly claims?: OwnClaims | undefined;
  /** The strongest login that is possible for the user now. */
  readonly strongest: AuthenticationMethod;
}

export interface Account extends Candidate {
  readonly usedByClient: boolean;
}

interface Situation {
  readonly asks: AskedLogin;
  readonly loginHint: string | undefined;
  /** The accounts of the browser. Those that the client used come first, and among equals the one used last. */
  readonly accounts: readonly Account[];
  /** What the user has already done for this request. */
  readonly selection: { readonly who: Candidate; readonly loggedIn: boolean; readonly chosen: boolean } | undefined;
  /** The user chose an account whose session has since ended. No other account replaces it without asking. */
  readonly isAccountMissing: boolean;
  readonly settings: Pick<Settings, 'login'>;
  readonly now: Instant;
}

export type NextStep =
  | { readonly step: 'answer'; readonly who: Candidate; readonly acr: string | undefined }
  | { readonly step: 'ask'; readonly ask: 'login'; readonly username: string | undefined }
  | { readonly step: 'ask'; readonly ask: 'account' }
  /** The code alone raises the session's level (SSO-32). */
  | { readonly step: 'ask'; readonly ask: 'code'; readonly who: Candidate }
  | { readonly step: 'refuse'; readonly refuse: 'another_user' | 'acr_unmet'; readonly who: Candidate };

export function nextStep(situation: Situation): NextStep {
  const { asks, selection } = situation;
  if (selection !== undefined && asks.subject !== undefined && !subjectsOf(asks).includes(selection.who.username)) {
    return { step: 'refuse', refuse: 'another_user', who: selection.who };
  }
  const found = selection === undefined ? chooseAccount(situation) : confirmSaid(situation, selection);
  return 'step' in found ? found : judgeLogin(found.who, found.loggedIn, situation);
}

type Chosen = { readonly who: Candidate; readonly loggedIn: boolean };

/** The user has not acted yet, or the chosen account has no session any more. */
function chooseAccount(situation: Situation): Chosen | NextStep {
  const { asks, loginHint, accounts, isAccountMissing: isGone } = situation;
  const named = asks.subject ?? loginHint;
  const [hinted, ...others] = hintedAccounts(situation);
  if (named !== undefined && hinted === undefined) return askLogin(named);
  if (asks.prompts.includes('login')) return askLogin(hinted?.username ?? onlyOne(accounts)?.username);
  if (accounts.length === 0) return askLogin(undefined);
  // An address that several users share selects none of them (SSO-26).
  if (asks.prompts.includes('select_account') || isGone || others.length > 0) return { step: 'ask', ask: 'account' };
  const who = hinted ?? accounts.find(({ usedByClient }) => usedByClient) ?? onlyOne(accounts);
  return who === undefined ? { step: 'ask', ask: 'account' } : { who, loggedIn: false };
}

type AskedSubjects = Pick<AskedLogin, 'subject' | 'otherSubjects'>;

/** The acceptable users in order of preference. Empty: any user. */
function subjectsOf({ subject, otherSubjects = [] }: AskedSubjects): readonly string[] {
  return subject === undefined ? [] : [subject, ...otherSubjects];
}

/** The accounts that the request names. Several if users share an e-mail address. */
export function hintedAccounts<Known extends Pick<Account, 'username' | 'email'>>({
  asks,
  loginHint,
  accounts,
}: {
  readonly asks: AskedSubjects;
  readonly loginHint: string | undefined;
  readonly accounts: readonly Known[];
}): readonly Known[] {
  const named = (name: string) => accounts.filter(({ username }) => username === name);
  if (asks.subject !== undefined) return subjectsOf(asks).flatMap(named).slice(0, 1);
  if (loginHint === undefined) return [];
  const byName = named(loginHint);
  return byName.length > 0 ? byName : accounts.filter(({ email }) => email === loginHint);
}

/** The user has logged in or chosen an account. Each prompt takes effect once, in the order login, account (SSO-19). */
function confirmSaid(
  { asks }: Situation,
  { who, loggedIn, chosen }: NonNullable<Situation['selection']>,
): Chosen | NextStep {
  if (asks.prompts.includes('login') && !loggedIn) return askLogin(who.username);
  if (asks.prompts.includes('select_account') && !chosen) return { step: 'ask', ask: 'account' };
  return { who, loggedIn };
}

function judgeLogin(who: Candidate, loggedIn: boolean, { asks, settings, now }: Situation): NextStep {
  if (!loggedIn && isTooOld(who, asks.maxAgeSeconds, now)) return askLogin(who.username);
  const judged = judgeAcr(asks.acr, who, who.strongest, settings);
  switch (judged.verdict) {
    case 'satisfied':
      return { step: 'answer', who, acr: judged.acr };
    case 'unmet':
      return { step: 'refuse', refuse: 'acr_unmet', who };
    case 'step_up':
      return who.method === 'password' && judged.method === 'password+totp'
        ? { step: 'ask', ask: 'code', who }
        : askLogin(who.username);
  }
}

/** Counted from `auth_time`, as clients do. */
function isTooOld({ authenticatedAt }: Candidate, maxAgeSeconds: number | undefined, now: Instant): boolean {
  if (maxAgeSeconds === undefined) return false;
  return maxAgeSeconds === 0 || now > (epochSeconds(authenticatedAt) + maxAgeSeconds) * 1000;
}

function askLogin(username: string | undefined): NextStep {
  return { step: 'ask', ask: 'login', username };
}

function onlyOne<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** Whether the user is asked for consent (SSO-18, SSO-35, SSO-36). `consented` is called only where it matters. */
export async function needsConsent(
  { consent }: Settings['login'],
  prompted: boolean,
  scope: readonly string[],
  consented: () => Promise<readonly string[] | undefined>,
): Promise<boolean> {
  if (prompted || consent === 'always') return true;
  return consent === 'first' && !isConsentedTo(scope, await consented());
}
