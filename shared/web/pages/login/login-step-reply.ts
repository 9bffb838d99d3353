// A login step as a reply: the page, and the browser's id as a cookie when it has none yet. No cache may store a code
// screen (HDR-03, LOG-15).
import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { pageOfClient } from '#shared/web/pages/page-reply.ts';
import { type LoginScreenProps, renderLoginStep } from './login-screens.tsx';

/** The status is 200 for screens that continue, 400 for a login that ended, and 503 while too many logins wait. */
export async function loginStepReply(props: LoginScreenProps, context: ProtocolContext): Promise<Reply> {
  const status = props.step.step === 'ended' ? 400 : props.step.step === 'full' ? 503 : 200;
  const reply = pageOfClient(status, await renderLoginStep(props, context), props.client);
  return withBrowserCookie({ ...reply, noStore: props.step.step === 'second_factor' }, context);
}

/** Transactions and second factors are bound to the browser, so it must receive its id before its next request. */
export async function withBrowserCookie(reply: Reply, context: ProtocolContext): Promise<Reply> {
  const session = await context.session();
  return session.presented ? reply : withHeaders(reply, { 'Set-Cookie': session.cookie() });
}
