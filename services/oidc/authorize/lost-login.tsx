// The response to a login page that no longer leads anywhere (AUT-35, AUT-36, AUT-39, AUT-40). Its transaction does not
// exist any more, or several could be meant. Programs receive `invalid_request` as JSON. A user who pressed a button
// after ten minutes, or pressed it twice, gets the same rejection as a page. The page explains what happened and what
// to do.

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { transactionLifetimeSeconds } from '#shared/model/domain/authorization-transaction.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { type OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { minutesText } from '#shared/model/refusals/quantities.ts';
import { renderMessagePage } from '#shared/web/pages/message-page.tsx';
import { page } from '#shared/web/pages/page-reply.ts';

const noLogin = {
  title: 'No login to continue',
  message: 'This browser has no open login. Go to the application and log in from there.',
};

/** The texts of the page for each of these rejections. */
const words = {
  transaction_not_pending: {
    title: 'This login has ended',
    message: `It is complete, took longer than ${minutesText(transactionLifetimeSeconds)}, started in another browser, or the server has restarted. Go back to the application. If you are not logged in there, log in again.`,
  },
  no_login_pending: noLogin,
  authorization_request_in_body: noLogin,
  posted_request_not_whole: noLogin,
  several_logins_pending: {
    title: 'More than one login is open',
    message: 'This page cannot tell which one to continue. Go back to the application and log in from there.',
  },
  transaction_of_another_request: {
    title: 'This page belongs to another login',
    message: 'The address and the form belong to different logins. Go back to the application and log in from there.',
  },
  pushed_request_unusable: {
    title: 'This login has ended',
    message:
      'This address works once, within a minute and in one browser. Go back to the application. If you are not logged in there, log in again.',
  },
} as const;

/** Rejections of logins that may lack a cookie because they need none. */
const needNoCookie: ReadonlySet<string> = new Set(['transaction_of_another_request', 'pushed_request_unusable']);

const pages: ReadonlyMap<string, { readonly title: string; readonly message: string }> = new Map(Object.entries(words));

export function lostLogin(code: Exclude<keyof typeof words, 'pushed_request_unusable'>): OAuthError {
  return oauthError(authorizeRefusals[code]);
}

/** The rejection as a page, or undefined for a rejection of another kind. */
export function lostLoginPage(
  { refusal, error, message, status }: OAuthError,
  request: ParsedRequest,
  context: Pick<ProtocolContext, 'path' | 'sessionCookie' | 'recording'>,
): Reply | undefined {
  const words = pages.get(refusal.code);
  if (words === undefined) return undefined;
  // An unreadable cookie is from before a restart: such a browser stores cookies.
  const withoutCookie =
    !needNoCookie.has(refusal.code) && !(request.headers.cookie ?? '').includes(context.sessionCookie.name);
  const text = renderMessagePage({
    path: context.path,
    status,
    requestId: context.recording?.requestId,
    title: words.title,
    message: withoutCookie
      ? 'Your browser sent no cookie for this address, but a login needs one. Allow cookies here, then go back to the application and log in again.'
      : words.message,
    children: (
      <p class="soft small">
        <code>{error}</code>: {message}
      </p>
    ),
  });
  return page(status, text);
}
