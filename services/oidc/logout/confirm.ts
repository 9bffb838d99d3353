// Logout while sessions are on. When the hint belongs to a session of this browser, it happens at once. Otherwise the
// user has to confirm first (LGO-04 to LGO-10). Nothing changes before that, because any site can lead a browser here.

import type { Parameters } from '#shared/base/parameters.ts';
import type { AuditNote } from '#shared/engine/exchange/audited.ts';
import { refuseCrossSite } from '#shared/engine/exchange/cross-site.ts';
import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { pageError } from '#shared/engine/exchange/route.ts';
import { accountsOf } from '#shared/engine/login/browser-sessions.ts';
import type { LogoutConfirmation } from '#shared/model/domain/logout-confirmation.ts';
import { pageRefusals } from '#shared/model/refusals/families/pages.ts';
import { refused } from '#shared/model/refusals/refusal.ts';
import { page } from '#shared/web/pages/page-reply.ts';
import { type IdTokenHint, readIdTokenHint } from '../id-token-hint.ts';
import { chooseAccounts } from './choose-accounts.ts';
import { renderConfirmationPage, renderStillLoggedInPage } from './confirmation-pages.tsx';
import { auditedDestination, destinationOf } from './destination.ts';
import { logOut } from './log-out.ts';
import { logoutRequestOf } from './logout-request.ts';

/** @throws PageError 400 for an invalid id_token_hint; no session ends (LGO-04). */
export async function askOrLogOut(
  request: ParsedRequest,
  parameters: Parameters,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply> {
  const hint = await hintOf(parameters.value('id_token_hint'), context, note);
  const logoutRequest = logoutRequestOf(parameters, hint);
  const present = await accountsOf(context);
  const { confirmation } = context.snapshot.settings.logout;
  const hints = { token: hint, text: parameters.value('logout_hint') };
  const { accounts, isSure } = chooseAccounts(present, hints, confirmation === 'never');
  const sids = accounts.flatMap(({ sid }) => sid ?? []);
  const known = { username: accounts[0]?.username ?? hint?.username, client_id: logoutRequest.clientId };
  if (accounts.length > 0 && (confirmation === 'always' || (confirmation === 'unsure' && !isSure))) {
    // The user's response decides whether the address is followed.
    note.succeeded({ ...known, details: { has_redirect: logoutRequest.address !== undefined, confirmation: 'asked' } });
    return askPerson({ sids, request: logoutRequest }, accounts, context);
  }
  const destination = await destinationOf(logoutRequest, context, confirmation === 'never');
  note.succeeded({ ...known, details: auditedDestination(logoutRequest, destination) });
  return logOut({ sids, destination }, request, context);
}

async function hintOf(
  token: string | undefined,
  context: ProtocolContext,
  note: AuditNote,
): Promise<IdTokenHint | undefined> {
  if (token === undefined) return undefined;
  const hint = await readIdTokenHint(token, context);
  if (hint !== undefined) return hint;
  note.refused(refused(pageRefusals.logout_hint_unreadable));
  throw pageError(pageRefusals.logout_hint_unreadable);
}

async function askPerson(
  about: Pick<LogoutConfirmation, 'sids' | 'request'>,
  accounts: readonly { readonly username: string }[],
  context: ProtocolContext,
): Promise<Reply> {
  const { store, clock, random, path } = context;
  const { browser } = await context.session();
  const [logout_id, askedAt] = [random.token(), clock.now()];
  await store.logoutConfirmations.ask({ ...about, logout_id, browser, askedAt }, askedAt);
  const names = accounts.map(({ username }) => username);
  return notStored(page(200, renderConfirmationPage({ logoutId: logout_id, names, path })));
}

/** @throws PageError 403 from another site, 400 for a response to no question of this browser. */
export async function answerQuestion(
  request: ParsedRequest,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply> {
  refuseCrossSite(request, context, 'logout');
  const { form } = request;
  const decision = form.value('confirm');
  const logoutId = form.value('logout_id') ?? '';
  const { browser } = await context.session();
  const { store, clock } = context;
  const question =
    decision === 'yes' || decision === 'no'
      ? await store.logoutConfirmations.answer(logoutId, browser, clock.now())
      : undefined;
  if (question === undefined) {
    throw pageError(pageRefusals.logout_question_closed);
  }
  const { sids, request: logoutRequest } = question;
  const [account] = (await accountsOf(context)).filter(({ sid }) => sid !== undefined && sids.includes(sid));
  const known = { username: account?.username, client_id: logoutRequest.clientId };
  if (decision === 'no') {
    note.denied({ ...known, details: { has_redirect: logoutRequest.address !== undefined, confirmation: decision } });
    return notStored(page(200, renderStillLoggedInPage(context)));
  }
  const destination = await destinationOf(logoutRequest, context, true);
  note.succeeded({ ...known, details: { ...auditedDestination(logoutRequest, destination), confirmation: decision } });
  return logOut({ sids, destination }, request, context);
}
