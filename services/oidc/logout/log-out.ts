// Ends sessions of a browser and builds the response. The back channel is notified first. Then frames notify the front
// channel. Then the browser is redirected (LGO-08, LGO-09, LGO-17).

import { hooked } from '#shared/engine/exchange/output-hooks.ts';
import { type Reply, redirect, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { endLogins } from '#shared/engine/login/browser-sessions.ts';
import type { Ending } from '#shared/engine/login/end-sessions.ts';
import { framesFor, frontChannelClients } from '#shared/engine/logout/front-channel.ts';
import { type ConcernedClient, logoutSteps } from '#shared/model/domain/saml-logout.ts';
import { appendToRedirectUri } from '#shared/model/oauth-rules/redirect-uri.ts';
import { renderFrontChannelPage } from '#shared/web/pages/logout/front-channel-page.tsx';
import type { NotFollowed } from '#shared/web/pages/logout/not-followed-notice.tsx';
import { page, pageFraming } from '#shared/web/pages/page-reply.ts';
import type { Destination } from './destination.ts';
import { renderLoggedOutPage } from './logged-out-page.tsx';

interface Logout {
  /** The sessions that end. */
  readonly sids: readonly string[];
  readonly destination: Destination;
}

export async function logOut(
  { sids, destination }: Logout,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<Reply> {
  const way = await continuationOf(destination, context);
  const ending = await endLogins(request, context, sids);
  const { cookie, ended } = ending;
  const frames = await framesFor(ended, context);
  const reply = answer(await aroundServiceProviders(ending, way, context), frames, context);
  return withHeaders(reply, { 'Set-Cookie': cookie });
}

/** `frames`: the addresses that the browser loads before it continues. */
export async function answerAt(
  destination: Destination,
  frames: readonly string[],
  context: ProtocolContext,
): Promise<Reply> {
  return answer(await continuationOf(destination, context), frames, context);
}

interface Continuation {
  /** undefined: the browser stays on the page. */
  readonly goOn: string | undefined;
  readonly unfollowed: NotFollowed;
}

async function continuationOf(destination: Destination, { outputHooks }: ProtocolContext): Promise<Continuation> {
  if (!('follow' in destination)) return { goOn: undefined, unfollowed: destination };
  const { address, state } = await hooked(destination.follow, outputHooks.logout);
  const goOn = address && appendToRedirectUri(address, state === undefined ? [] : [['state', state]]);
  return { goOn, unfollowed: {} };
}

function answer({ goOn, unfollowed }: Continuation, frames: readonly string[], { path }: ProtocolContext): Reply {
  if (frames.length > 0) {
    const text = renderFrontChannelPage({ frames, goOn, ...unfollowed, path });
    return pageFraming(200, text, frames);
  }
  return goOn === undefined ? page(200, renderLoggedOutPage({ ...unfollowed, path })) : redirect(goOn);
}

/**
 * SAML service providers that took part are notified next, one after the other at /saml/slo. From there the browser
 * continues to its destination (SLO-19, SLO-21).
 */
async function aroundServiceProviders(
  ending: Ending,
  way: Continuation,
  context: ProtocolContext,
): Promise<Continuation> {
  const { snapshot, store, clock, random, path } = context;
  const { ended } = ending;
  const steps = logoutSteps(ended);
  if (!snapshot.settings.saml.single_logout || steps.length === 0) return way;
  const { browser } = await context.session();
  const now = clock.now();
  const id = random.token(16);
  context.recording?.belongsTo(`logout:${id}`);
  const { address, reason } = way.unfollowed;
  const unfollowed = address === undefined || reason === undefined ? undefined : { address, reason };
  await store.samlLogouts.begin(
    {
      ...{ id, browser, username: ended[0]?.username ?? '', begunAt: now },
      ...{ initiator: undefined, address: way.goOn, unfollowed, steps, ended: false },
      clients: await concernedClients(ending, context),
    },
    now,
  );
  return { ...way, goOn: path('/saml/slo') };
}

/**
 * The known outcome of each client so far: back-channel clients have been notified, front-channel frames will be
 * loaded.
 */
async function concernedClients(
  { ended, notified }: Ending,
  context: ProtocolContext,
): Promise<readonly ConcernedClient[]> {
  const framed = await frontChannelClients(ended, context);
  const outcomes = new Map<string, ConcernedClient['outcome']>();
  for (const { client } of framed) outcomes.set(client.client_id, 'framed');
  for (const one of notified) {
    if ('client_id' in one) outcomes.set(one.client_id, one.delivered ? 'told' : 'failed');
  }
  return [...outcomes].map(([client_id, outcome]) => ({ client_id, outcome }));
}
