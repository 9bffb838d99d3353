// GET and POST /logout with its alias /end_session (OpenID Connect RP-Initiated Logout 1.0), and /ui/logout of the
// dashboard. While sessions are off, the browser's login always ends (OUT-02). While they are on, the user confirms a
// request that may not come from them (confirm.ts). Where the browser goes afterwards depends on the client that the
// request identifies (destination.ts).

import type { Parameters } from '#shared/base/parameters.ts';
import { type AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { isCrossSiteWrite } from '#shared/engine/exchange/cross-site.ts';
import { type Reply, redirect, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { areSessionsOn, currentLogin, endLogins } from '#shared/engine/login/browser-sessions.ts';
import { readIdTokenHint } from '../id-token-hint.ts';
import { answerQuestion, askOrLogOut } from './confirm.ts';
import { auditedDestination, destinationOf, notFollowed } from './destination.ts';
import { answerAt } from './log-out.ts';
import { logoutRequestOf } from './logout-request.ts';

const auditedAs = { event_type: 'logout_request', endpoint: '/logout' } as const;

export const getLogout = audited(auditedAs, (request, context, note) =>
  areSessionsOn(context)
    ? askOrLogOut(request, request.query, context, note)
    : logOutAtOnce(request, request.query, context, note),
);

export const postLogout = audited(auditedAs, async (request, context, note) => {
  if (!areSessionsOn(context)) return logOutAtOnce(request, request.form, context, note);
  if (request.form.has('logout_id')) return answerQuestion(request, context, note);
  return (await withoutItsCookie(request, context)) ?? askOrLogOut(request, request.form, context, note);
});

export const logOutOfDashboard = audited(
  { event_type: 'logout', endpoint: '/ui/logout' },
  async (request, context, note) => {
    const login = await currentLogin(context);
    if (login !== undefined) note.succeeded({ username: login.username });
    const { cookie } = await endLogins(request, context);
    return redirect(context.path('/'), { 'Set-Cookie': cookie });
  },
);

const longestQuery = 8192;

/**
 * A form that another site posts arrives without our cookie (SameSite=Lax), as if no user were logged in. The browser
 * sends the cookie when it repeats the request by GET.
 */
async function withoutItsCookie(request: ParsedRequest, context: ProtocolContext): Promise<Reply | undefined> {
  if ((await context.session()).presented || !isCrossSiteWrite(request, context)) return undefined;
  const query = new URLSearchParams(request.form.pairs.map(([name, value]) => [name, value])).toString();
  if (query.length > longestQuery) return undefined;
  return { ...redirect(`${context.path('/logout')}?${query}`), status: 303 };
}

async function logOutAtOnce(
  request: ParsedRequest,
  parameters: Parameters,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply> {
  const login = await currentLogin(context);
  const token = parameters.value('id_token_hint');
  const hint = token === undefined ? undefined : await readIdTokenHint(token, context);
  const logoutRequest = logoutRequestOf(parameters, hint);
  const isHintWrong = hint === undefined && token !== undefined;
  const destination = isHintWrong
    ? notFollowed(logoutRequest, 'id_token_hint is not an ID token of this server')
    : await destinationOf(logoutRequest, context);
  note.succeeded({
    username: login?.username ?? hint?.username,
    client_id: logoutRequest.clientId,
    details: auditedDestination(logoutRequest, destination),
  });
  const reply = await answerAt(destination, [], context);
  const { cookie } = await endLogins(request, context);
  return withHeaders(reply, { 'Set-Cookie': cookie });
}
