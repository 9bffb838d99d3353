// GET and POST /login: the session of the web UI and of SAML (LOG-04, LOG-29). /authorize and /device have their own
// login and never use this one.

import { audited } from '#shared/engine/exchange/audited.ts';
import { refuseCrossSite } from '#shared/engine/exchange/cross-site.ts';
import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { ownReturnPath, returnField } from '#shared/engine/exchange/return-path.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { typedNameMax } from '#shared/engine/exchange/session-cookie.ts';
import { attemptLogin, initialStep } from '#shared/engine/login/attempt-login.ts';
import { keepLogin } from '#shared/engine/login/browser-sessions.ts';
import {
  isAboutManagement,
  isAboutManagementSecret,
  isAboutPassword,
  loginErrorCode,
  loginErrorField,
  loginErrorPath,
  loginErrorText,
} from '#shared/engine/login/login-errors.ts';
import type { FirstFactorStep } from '#shared/engine/login/login-step.ts';
import { loginStepReply } from '#shared/web/pages/login/login-step-reply.ts';
import { page } from '#shared/web/pages/page-reply.ts';
import { renderUnlockPage } from '#shared/web/pages/unlock-page.tsx';

const unlockLink = { href: '/management/unlock', text: 'Unlock with the management secret' };

async function getLogin({ query }: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const code = query.value('error');
  // A sandbox has no separate form for the secret. Its forms accept it, or the default identity provider's page does
  // (SBX-44).
  const isUnlockable = context.snapshot.managementSecret !== undefined && context.reaches(unlockLink.href);
  if (code !== undefined && isAboutManagement(code) && isUnlockable) {
    const text = loginErrorText(code);
    // A login would not help: the page is the form for the secret.
    const message = isAboutManagementSecret(code) ? { error: text } : { notice: text };
    const unlockPage = renderUnlockPage({ path: context.path, ...message });
    return page(200, unlockPage);
  }
  const { content } = await context.session();
  const step =
    code === undefined
      ? initialStep(context, query.value('login_hint'))
      : refusedStep(code, content.typedName, context);
  const link = isAboutManagement(code) && isUnlockable ? unlockLink : undefined;
  return loginStepReply({ ...screenFor(ownReturnPath(query.value(returnField))), step, link }, context);
}

/** When a page sent the user here, the login keeps the address of that page. */
function screenFor(returnTo: string | undefined) {
  const hidden = returnTo === undefined ? [] : [[returnField, returnTo] as const];
  return { action: '/login', hidden };
}

/** The screen that caused the rejection, with the typed name and the message at its field. */
function refusedStep(code: string, typedName: string | undefined, context: ProtocolContext): FirstFactorStep {
  const first = initialStep(context, typedName);
  const field = loginErrorField(code);
  const isSecondScreen = first.screen === 'two_step_username' && typedName !== undefined && isAboutPassword(code);
  return {
    ...first,
    message: loginErrorText(code),
    screen: isSecondScreen ? 'two_step_password' : first.screen,
    field: first.screen === 'two_step_username' && field === 'password' && !isSecondScreen ? undefined : field,
  };
}

/** A name that is too long for the cookie is not stored. */
function keptName(username: string | undefined): string | undefined {
  return username !== undefined && username.length <= typedNameMax ? username : undefined;
}

const postLogin = audited({ event_type: 'login', endpoint: '/login' }, async (request, context, note) => {
  refuseCrossSite(request, context, 'login');
  const returnTo = ownReturnPath(request.form.value(returnField));
  const step = await attemptLogin(request.form, context, { surface: '/login', purpose: '' });
  if (step.step === 'completed') {
    note.succeeded({ username: step.login.username });
    const { cookie } = await keepLogin(step.login, request, context);
    return redirect(context.path(returnTo ?? '/'), { 'Set-Cookie': cookie });
  }
  const { username, refused } = step;
  if (refused !== undefined) note.refused(refused, { username });
  const error = loginErrorCode(step);
  if (error === undefined) return loginStepReply({ ...screenFor(returnTo), step }, context);
  const session = await context.session();
  const typedName = 'username' in step ? keptName(step.username) : undefined;
  return redirect(context.path(loginErrorPath(error, returnTo)), { 'Set-Cookie': session.cookie({ typedName }) });
});

export const loginRoutes: readonly Route[] = [
  { path: '/login', recordedAs: 'login', audience: 'page', methods: { GET: getLogin, POST: postLogin } },
];
