// The end of sessions of a browser, and what it sees then: the back channel is told first, then frames tell the front
// channel, then it is sent on (LGO-08, LGO-09, LGO-17).
import type { LogoutRequest } from '#shared/domain/logout-confirmation.ts';
import { altered } from '#shared/http/alterations.ts';
import { type Reply, redirect, withHeaders } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { endLogins } from '#shared/login/browser-sessions.ts';
import { framesFor } from '#shared/logout/front-channel.ts';
import { page, pageFraming } from '#shared/pages/page-reply.ts';
import { appendToRedirectUri } from '#shared/protocol/oauth2/redirect-uri.ts';
import { type Destination, destinationOf } from './destination.ts';
import { renderFrontChannelPage } from './front-channel-page.tsx';
import { renderLoggedOutPage } from './logged-out-page.tsx';

export interface Logout {
  /** The sessions that end. */
  readonly sids: readonly string[];
  readonly asked: LogoutRequest;
  /** The person said yes. */
  readonly isAgreed: boolean;
}

export async function logOut(
  { sids, asked, isAgreed }: Logout,
  request: ParsedRequest,
  context: RequestContext,
): Promise<Reply> {
  const destination = await destinationOf(asked, context, isAgreed);
  const { cookie, ended } = await endLogins(request, context, sids);
  const reply = await answerAt(destination, await framesFor(ended, context), context);
  return withHeaders(reply, { 'Set-Cookie': cookie });
}

/** `frames`: what the browser loads before it goes on. */
export async function answerAt(
  destination: Destination,
  frames: readonly string[],
  context: RequestContext,
): Promise<Reply> {
  const { path, alterations } = context;
  const { address, state } =
    'follow' in destination ? await altered(destination.follow, alterations.logout) : { address: undefined };
  const goOn = address && appendToRedirectUri(address, state === undefined ? [] : [['state', state]]);
  const unfollowed = 'follow' in destination ? {} : destination;
  if (frames.length > 0) {
    const text = renderFrontChannelPage({ frames, goOn, ...unfollowed, path });
    return pageFraming(200, text, frames);
  }
  return goOn === undefined ? page(200, renderLoggedOutPage({ ...unfollowed, path })) : redirect(goOn);
}
