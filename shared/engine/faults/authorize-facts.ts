// The facts of a request to /authorize for the conditions of faults (FLT-04, FLT-05): the client and scope of its
// transaction, and the user who logs in.

import { Parameters } from '#shared/base/parameters.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { automaticLogin } from '#shared/engine/login/automatic-login.ts';
import { accountsOf, areSessionsOn } from '#shared/engine/login/browser-sessions.ts';
import { decodeToken } from '#shared/engine/tokens/verify-token.ts';
import { type AuthorizationTransaction, continuableWithoutId } from '#shared/model/domain/authorization-transaction.ts';
import { hintedAccounts } from '#shared/model/domain/next-authorization-step.ts';
import { pushedRequestPrefix } from '#shared/model/domain/pushed-request.ts';
import { parseScope } from '#shared/model/oauth-rules/scope.ts';
import { parametersOfRequestObject } from '#shared/protocol/oidc/request-object.ts';
import type { RequestFacts } from './fault-row.ts';
import { ofToken } from './token-facts.ts';
import { typedIn } from './typed-in.ts';

type Asked = Pick<ParsedRequest, 'method' | 'query' | 'form'>;

export async function atAuthorize({ method, query, form }: Asked, context: ProtocolContext): Promise<RequestFacts> {
  const request = { method, form, query: await withWhatCounts(query, context) };
  const transaction = await transactionOf(request, context);
  const username = (await pendingName(transaction, context)) ?? (await whoLogsIn(request, transaction, context));
  if (transaction === undefined) {
    const scope = request.query.value('scope');
    return { username, scope: scope === undefined ? undefined : parseScope(scope) };
  }
  const { client_id, scope } = transaction.request;
  return { username, client_id, scope };
}

/** For a pushed request nothing else counts (RFC 9126 §4). Reading it does not consume it. */
async function withWhatCounts(query: Parameters, context: ProtocolContext): Promise<Parameters> {
  const requestUri = query.value('request_uri');
  if (requestUri?.startsWith(pushedRequestPrefix) !== true) return withRequestObject(query, context);
  const pushed = await context.store.pushedRequests.find(requestUri, context.clock.now());
  return pushed === undefined ? query : new Parameters(pushed.parameters);
}

/** A request object overrides the query (OIDC Core §6.1). An object at a `request_uri` is not fetched for this. */
function withRequestObject(query: Parameters, { snapshot }: ProtocolContext): Parameters {
  if (snapshot.settings.oauth.request_objects !== 'on') return query;
  const object = decodeToken(query.value('request') ?? '')?.payload;
  if (object === undefined) return query;
  const parametersOfObject = parametersOfRequestObject(object);
  const left = query.pairs.filter(([name]) => !parametersOfObject.has(name));
  const own = [...parametersOfObject].flatMap(([name, values]) => values.map((value) => [name, value] as const));
  return new Parameters([...left, ...own]);
}

/** The transaction that the request names, or else the one that the browser started. */
async function transactionOf({ query, form }: Asked, context: ProtocolContext) {
  const { store, clock } = context;
  const { browser, presented } = await context.session();
  if (!presented) return undefined;
  const named = form.value('transaction_id');
  if (named !== undefined) return store.transactions.find(named, browser, clock.now());
  return query.value('client_id') === undefined
    ? continuableWithoutId(await store.transactions.pendingOf(browser, clock.now()))[0]
    : undefined;
}

/** The user whose second factor is pending. */
async function pendingName(
  transaction: AuthorizationTransaction | undefined,
  { store, clock }: ProtocolContext,
): Promise<string | undefined> {
  if (transaction === undefined) return undefined;
  const { transaction_id: id, browser } = transaction;
  const pending = await store.secondFactors.find({ id, browser, surface: '/authorize', purpose: id }, clock.now());
  return pending?.username;
}

/**
 * The user that the form names, else the one who has logged in or was chosen before, else the one that the request
 * names.
 */
async function whoLogsIn(
  { method, query, form }: Asked,
  transaction: AuthorizationTransaction | undefined,
  context: ProtocolContext,
): Promise<string | undefined> {
  const username = (await typedIn(form.value('username'), context)) ?? form.value('account');
  if (username !== undefined) return username;
  // A login with another account, which is not known yet.
  if (form.has('use_another')) return undefined;
  return (
    transaction?.progress?.username ??
    (await typedIn((await automaticLogin(query, context))?.name, context)) ??
    ofToken(query.value('id_token_hint')).username ??
    (await accountOf({ method, query }, transaction, context)) ??
    query.value('login_hint')
  );
}

/** The account that is used without asking the user (SSO-12). */
async function accountOf(
  { method, query }: Pick<Asked, 'method' | 'query'>,
  transaction: AuthorizationTransaction | undefined,
  context: ProtocolContext,
): Promise<string | undefined> {
  if (method === 'POST' || !areSessionsOn(context)) return undefined;
  const asks = transaction?.request.asks?.prompts ?? query.value('prompt')?.split(' ') ?? [];
  const accounts = await accountsOf(context, transaction?.request.client_id ?? query.value('client_id'));
  const hint = query.value('login_hint') ?? transaction?.request.login_hint;
  if (hint !== undefined) {
    const [one, ...others] = hintedAccounts({ asks: { subject: undefined }, loginHint: hint, accounts });
    return others.length === 0 ? one?.username : undefined;
  }
  if (asks.includes('login') || asks.includes('select_account')) return undefined;
  const [first, ...others] = accounts;
  return first?.usedByClient === true || others.length === 0 ? first?.username : undefined;
}
