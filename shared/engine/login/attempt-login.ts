// Identifies the user of a browser, in the same way for /login, /authorize, /saml/sso and /device (LOG-01): persona or
// password, then the second factor where one is required. It decides and stores the pending second factor. The surface
// renders the page, creates the session and writes the audit entry.

import type { Parameters } from '#shared/base/parameters.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import type { PendingSecondFactor } from '#shared/model/domain/pending-second-factor.ts';
import { isTotpInEffect } from '#shared/model/domain/totp-in-effect.ts';
import { loginRefusals } from '#shared/model/refusals/families/login.ts';
import { refused } from '#shared/model/refusals/refusal.ts';
import type { SecondFactorKey } from '#shared/state/store/ports/second-factors.ts';
import { checkPassword } from './check-password.ts';
import { tooManyLogins } from './login-errors.ts';
import type { CompletedLogin, EndedStep, FirstFactorStep, FirstScreen, LoginPurpose, LoginStep } from './login-step.ts';
import { readTypedClaims, typedClaimsText } from './read-typed-claims.ts';
import { checkTotpCode } from './totp.ts';
import { typedUsername } from './typed-username.ts';

/** Rejections with a fixed message. */
type LoginRefusal = Exclude<
  (typeof loginRefusals)[keyof typeof loginRefusals],
  typeof loginRefusals.login_claims_refused
>;

/** The form fields that make a POST a login attempt, for surfaces that also accept other posts (WEB-24). */
export const loginFields = [
  'username',
  'password',
  'totp_code',
  'pending_second_factor',
  'change_username',
  'fill_username',
] as const;

/** The first screen of the active login mode; `loginHint` fills in the name. */
export function initialStep(context: ProtocolContext, loginHint?: string): FirstFactorStep {
  return firstFactor(firstScreen(context.snapshot), loginHint);
}

/**
 * The first screen for a form that requests it again. `fill_username` is a name to fill in. In persona mode it is the
 * text to search people by.
 */
export function refilledStep(form: Parameters, context: ProtocolContext): FirstFactorStep {
  const filledUsername = form.value('fill_username');
  const username = form.value('username');
  if (context.snapshot.settings.login.mode !== 'persona') return initialStep(context, filledUsername ?? username);
  const search = form.has('show_all') ? undefined : filledUsername;
  return { ...initialStep(context, username), search, typedClaims: typedClaimsText(form, context) };
}

/**
 * Processes the posted login fields. Reads `username`, `password`, `totp_code`, `pending_second_factor`,
 * `change_username`, `fill_username` and `login_claims`. At /authorize the transaction itself identifies the pending
 * second factor.
 */
export async function attemptLogin(
  form: Parameters,
  context: ProtocolContext,
  purpose: LoginPurpose,
): Promise<LoginStep> {
  const key = await pendingKey(form, context, purpose);
  if (form.has('change_username')) {
    if (key !== undefined) await context.store.secondFactors.discard(key);
    return initialStep(context);
  }
  const pending = key && (await context.store.secondFactors.find(key, context.clock.now()));
  if (key !== undefined && pending !== undefined) return attemptSecondFactor(form, context, key, pending);
  if (key !== undefined && purpose.surface !== '/authorize') return expired(undefined);
  return attemptFirstFactor(form, context, purpose);
}

/** Whether this user needs a second factor now (LOG-12, AUT-53). */
function isSecondFactorDue(user: User, snapshot: ConfigurationSnapshot): boolean {
  return isTotpInEffect(snapshot.settings) && user.totp_secret !== undefined;
}

async function pendingKey(
  form: Parameters,
  context: ProtocolContext,
  { surface, purpose }: LoginPurpose,
): Promise<SecondFactorKey | undefined> {
  const id = surface === '/authorize' ? purpose : form.value('pending_second_factor');
  return id === undefined ? undefined : { id, surface, purpose, browser: (await context.session()).browser };
}

async function attemptFirstFactor(
  form: Parameters,
  context: ProtocolContext,
  purpose: LoginPurpose,
): Promise<LoginStep> {
  const persona = context.snapshot.settings.login.mode === 'persona';
  const username = await typedUsername(form.first('username') ?? '', context);
  // With a chosen persona it is only the search field of the same form. A post with both credentials logs in, even
  // with other fields (LOG-06), because programs that fill in forms also send the buttons.
  const complete = username !== '' && (persona || form.value('password') !== undefined);
  if (form.has('fill_username') && !complete) return refilledStep(form, context);
  return persona ? attemptPersona(username, form, context) : attemptPassword(username, form, context, purpose);
}

async function attemptPersona(username: string, form: Parameters, context: ProtocolContext): Promise<LoginStep> {
  const typedClaims = typedClaimsText(form, context);
  if (username === '') {
    return { ...firstFactor('persona', undefined, 'Choose a user.', loginRefusals.user_not_chosen), typedClaims };
  }
  const found = await findEffectiveUser(context.snapshot, context.store, username);
  if (found === undefined) {
    const message = 'This user does not exist. Choose another one.';
    return { ...firstFactor('persona', username, message, loginRefusals.user_unknown), typedClaims };
  }
  const reading = typedClaims === undefined ? { claims: undefined } : readTypedClaims(typedClaims);
  if ('claims' in reading) return completed(username, 'persona', context, reading.claims);
  const { problem } = reading;
  return {
    ...firstFactor('persona', username, problem),
    ...{ typedClaims, field: 'login_claims', refused: refused(loginRefusals.login_claims_refused, { problem }) },
  };
}

async function attemptPassword(
  username: string,
  form: Parameters,
  context: ProtocolContext,
  purpose: LoginPurpose,
): Promise<LoginStep> {
  const { snapshot, store } = context;
  const incomplete = missingField(username, form, snapshot);
  if (incomplete !== undefined) return incomplete;
  const found = await findEffectiveUser(snapshot, store, username);
  const password = form.first('password') ?? '';
  if (found === undefined || !(await checkPassword(found.user, password, context))) {
    const screen = snapshot.settings.login.two_step ? 'two_step_password' : 'password';
    return firstFactor(screen, username, 'The username or password is wrong.', loginRefusals.user_credentials_wrong);
  }
  if (!isSecondFactorDue(found.user, snapshot)) return completed(username, 'password', context);
  return firstFactorPassed(found.user, form, context, purpose);
}

/** The screen for a missing field; a blank username is checked first (LOG-06). */
function missingField(username: string, form: Parameters, snapshot: ConfigurationSnapshot): LoginStep | undefined {
  const twoStep = snapshot.settings.login.two_step;
  if (username === '') {
    if (form.has('totp_code') && !form.has('password')) {
      return firstFactor(
        firstScreen(snapshot),
        undefined,
        'The login took too long. Log in again.',
        loginRefusals.login_expired,
      );
    }
    return missing(firstScreen(snapshot), undefined, 'username');
  }
  if ((form.first('password') ?? '') !== '') return undefined;
  // The username screen of the two steps has no password field. Nothing failed, and the next screen follows.
  if (twoStep && !form.has('password')) return firstFactor('two_step_password', username);
  return missing(twoStep ? 'two_step_password' : 'password', username, 'password');
}

function missing(screen: FirstScreen, username: string | undefined, field: 'username' | 'password'): FirstFactorStep {
  return { ...firstFactor(screen, username, `Enter your ${field}.`, loginRefusals[`${field}_not_sent`]), field };
}

/** The password is correct and a code is required: in this same POST, or on a separate screen. */
async function firstFactorPassed(
  user: User,
  form: Parameters,
  context: ProtocolContext,
  { surface, purpose }: LoginPurpose,
): Promise<LoginStep> {
  const now = context.clock.now();
  const code = (form.first('totp_code') ?? '').trim();
  if (code !== '' && (await isRightCode(user, code, context)))
    return completed(user.username, 'password+totp', context);
  const pending: PendingSecondFactor = {
    id: surface === '/authorize' ? purpose : context.random.token(),
    browser: (await context.session()).browser,
    surface,
    purpose,
    username: user.username,
    passwordVerifiedAt: now,
  };
  if ((await context.store.secondFactors.record(pending, now)) === 'full') {
    const why = { message: tooManyLogins, refused: refused(loginRefusals.too_many_second_factors) };
    return { step: 'full', username: user.username, ...why };
  }
  return code === '' ? codeScreen(pending) : wrongCode(pending, code);
}

async function attemptSecondFactor(
  form: Parameters,
  context: ProtocolContext,
  key: SecondFactorKey,
  pending: PendingSecondFactor,
): Promise<LoginStep> {
  const { username } = pending;
  const found = await findEffectiveUser(context.snapshot, context.store, username);
  if (found === undefined || !isSecondFactorDue(found.user, context.snapshot)) {
    await context.store.secondFactors.discard(key);
    return withdrawn(username);
  }
  const code = (form.first('totp_code') ?? '').trim();
  if (code === '') return codeScreen(pending, 'Enter your six-digit code.', loginRefusals.second_factor_not_sent);
  if (!(await isRightCode(found.user, code, context))) return wrongCode(pending, code);
  // At /authorize it is consumed with its transaction, so that a later request finds both or neither (AUT-63).
  const used = key.surface === '/authorize' || (await context.store.secondFactors.use(key, context.clock.now()));
  return used ? completed(username, 'password+totp', context) : expired(username);
}

async function isRightCode(user: User, code: string, context: ProtocolContext): Promise<boolean> {
  return user.totp_secret !== undefined && checkTotpCode(user.totp_secret, code, context.clock.now());
}

function completed(
  username: string,
  method: CompletedLogin['method'],
  context: ProtocolContext,
  claims?: CompletedLogin['claims'],
): LoginStep {
  const factors = method === 'password+totp' ? ['pwd', 'otp'] : ['pwd'];
  const amr = isTotpInEffect(context.snapshot.settings) && method !== 'persona' ? factors : undefined;
  return { step: 'completed', login: { username, method, authenticatedAt: context.clock.now(), amr, claims } };
}

function firstScreen({ settings }: ConfigurationSnapshot): FirstScreen {
  if (settings.login.mode === 'persona') return 'persona';
  return settings.login.two_step ? 'two_step_username' : 'password';
}

function firstFactor(
  screen: FirstScreen,
  username?: string,
  message?: string,
  refusal?: LoginRefusal,
): FirstFactorStep {
  return { step: 'first_factor', screen, username, message, field: undefined, refused: refusal && refused(refusal) };
}

function codeScreen(pending: PendingSecondFactor, message?: string, refusal?: LoginRefusal): LoginStep {
  const { id, username } = pending;
  return { step: 'second_factor', id, username, message, refused: refusal && refused(refusal) };
}

function wrongCode(pending: PendingSecondFactor, code: string): LoginStep {
  const remedy = /^[0-9]{6}$/.test(code)
    ? 'Enter the current code of your authenticator.'
    : 'It has six digits without spaces.';
  return codeScreen(pending, `The code is wrong. ${remedy}`, loginRefusals.second_factor_wrong);
}

function expired(username: string | undefined): EndedStep {
  const message = 'The login expired. Start again.';
  return { step: 'ended', cause: 'expired', username, message, refused: refused(loginRefusals.second_factor_expired) };
}

function withdrawn(username: string): EndedStep {
  const change = refused(loginRefusals.login_settings_changed);
  return { step: 'ended', cause: 'withdrawn', username, message: change.message, refused: change };
}
