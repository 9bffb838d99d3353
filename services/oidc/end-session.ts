// GET and POST /logout with its alias /end_session (OpenID Connect RP-Initiated Logout 1.0), and /ui/logout of the
// dashboard. The browser's session always ends; where the browser goes afterwards depends on whom the client is known to
// be (OUT-04 to OUT-09).

import { findEffectiveClient } from '#shared/domain/effective-identities.ts';
import { altered, type LogoutDestination } from '#shared/http/alterations.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import { type AuditNote, audited } from '#shared/http/pipeline/audited.ts';
import { type Reply, redirect, withHeaders } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { currentLogin, endLogins } from '#shared/login/browser-sessions.ts';
import { page } from '#shared/pages/page-reply.ts';
import { acceptableRedirectUri, appendToRedirectUri } from '#shared/protocol/oauth2/redirect-uri.ts';
import { type IdTokenHint, readIdTokenHint } from './id-token-hint.ts';
import { renderLoggedOutPage } from './logged-out-page.tsx';

const auditedAs = { event_type: 'logout_request', endpoint: '/logout' } as const;

const logoutMethods = {
  GET: audited(auditedAs, (request, context, note) => logOut(request, request.query, context, note)),
  POST: audited(auditedAs, (request, context, note) => logOut(request, request.form, context, note)),
};

const logOutOfDashboard = audited({ event_type: 'logout', endpoint: '/ui/logout' }, async (request, context, note) => {
  const login = await currentLogin(context);
  if (login !== undefined) note.succeeded({ username: login.username });
  const { cookie } = await endLogins(request, context);
  return redirect(context.path('/'), { 'Set-Cookie': cookie });
});

export const endSessionRoutes: readonly Route[] = [
  {
    path: '/logout',
    faultyAs: 'logout',
    surface: 'page',
    methods: logoutMethods,
    getHasEffects: true,
    navigated: true,
  },
  {
    path: '/end_session',
    faultyAs: 'logout',
    surface: 'page',
    methods: logoutMethods,
    getHasEffects: true,
    navigated: true,
  },
  { path: '/ui/logout', surface: 'page', methods: { GET: logOutOfDashboard }, getHasEffects: true },
];

async function logOut(
  request: ParsedRequest,
  parameters: Parameters,
  context: RequestContext,
  note: AuditNote,
): Promise<Reply> {
  const login = await currentLogin(context);
  const token = parameters.value('id_token_hint');
  const hint = token === undefined ? undefined : await readIdTokenHint(token, context);
  const clientId = parameters.value('client_id') ?? hint?.clientId;
  const isHintWrong = hint === undefined && token !== undefined;
  const destination = isHintWrong
    ? unfollowed(parameters, 'the id_token_hint is no ID token of this server')
    : await destinationOf(parameters, clientId, hint, context);
  note.succeeded({
    username: login?.username ?? hint?.username,
    client_id: clientId,
    details: { has_redirect: parameters.value('post_logout_redirect_uri') !== undefined },
  });
  const reply =
    'follow' in destination ? await followed(destination.follow, context) : loggedOutPage(destination, context);
  const { cookie } = await endLogins(request, context);
  return withHeaders(reply, { 'Set-Cookie': cookie });
}

/** Where the browser is sent, or the page without redirect, which says why an address that was sent is not followed. */
type Destination = { readonly follow: LogoutDestination } | NotFollowed;

interface NotFollowed {
  readonly address?: string;
  readonly reason?: string;
}

function unfollowed(parameters: Parameters, reason: string): NotFollowed {
  const address = parameters.value('post_logout_redirect_uri');
  return address === undefined ? {} : { address, reason };
}

async function destinationOf(
  parameters: Parameters,
  clientId: string | undefined,
  hint: IdTokenHint | undefined,
  context: RequestContext,
): Promise<Destination> {
  const address = parameters.value('post_logout_redirect_uri');
  if (address === undefined) return {};
  if (acceptableRedirectUri(address) !== undefined) return { address, reason: 'it is no address of an application' };
  if (hint?.clientId !== undefined && hint.clientId !== clientId) {
    return { address, reason: 'client_id and id_token_hint name different clients' };
  }
  const reason = await reasonAgainst(address, clientId, context);
  if (reason !== undefined) return { address, reason };
  return { follow: { address, state: parameters.value('state') } };
}

async function followed(destination: LogoutDestination, context: RequestContext): Promise<Reply> {
  const { address, state } = await altered(destination, context.alterations.logout);
  if (address === undefined) return loggedOutPage({}, context);
  return redirect(appendToRedirectUri(address, state === undefined ? [] : [['state', state]]));
}

async function reasonAgainst(
  address: string,
  clientId: string | undefined,
  { snapshot, store, clock }: RequestContext,
): Promise<string | undefined> {
  const found = clientId === undefined ? undefined : await findEffectiveClient(snapshot, store, clientId, clock.now());
  const listed = found?.client.post_logout_redirect_uris ?? [];
  if (listed.includes(address)) return undefined;
  if (listed.length > 0) return 'it is none of the post_logout_redirect_uris of the client';
  if (snapshot.rules.followUnlistedPostLogoutRedirect) return undefined;
  return found === undefined
    ? 'neither client_id nor id_token_hint names a known client, and this security profile follows registered addresses alone'
    : 'the client has no post_logout_redirect_uris, and this security profile follows registered addresses alone';
}

function loggedOutPage({ address, reason }: NotFollowed, { path }: RequestContext): Reply {
  return page(200, renderLoggedOutPage({ address, reason, path }));
}
