// Finds the authorization request that a POST or a bare GET continues: by transaction_id, by its own query, or the
// browser's only pending one (AUT-34 to AUT-41).

import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type EffectiveClient, findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { accountsOf, areSessionsOn } from '#shared/engine/login/browser-sessions.ts';
import {
  type AuthorizationTransaction,
  continuableWithoutId,
  isClientOf,
} from '#shared/model/domain/authorization-transaction.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { type OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { acceptRequest } from './accept-request.ts';
import { newTransaction } from './begin-transaction.ts';
import { RefusalForClient } from './client-response.ts';
import { lostLogin } from './lost-login.tsx';
import { isOAuthRequest, isSameOAuthRequest, oauthFieldNames, oauthParametersOf } from './oauth-parameters.ts';

export interface LoginInProgress {
  readonly transaction: AuthorizationTransaction;
  /** The transaction is in the store. That of a direct POST is not, until it has to wait for a second factor. */
  readonly stored: boolean;
  readonly client: EffectiveClient;
}

/**
 * @throws OAuthError invalid_request when no such transaction can be found; RefusalForClient when its client was
 * deleted.
 */
export async function findLogin(request: ParsedRequest, context: ProtocolContext): Promise<LoginInProgress> {
  const [transactionId, second] = request.form.values('transaction_id');
  if (second !== undefined) {
    throw oauthError(authorizeRefusals.parameter_repeated, { parameter: 'transaction_id' });
  }
  if (transactionId !== undefined) return findNamedLogin(transactionId, request, context);
  if (isOAuthRequest(request.query)) return beginDirectLogin(request, context);
  return findOnlyLogin(context, oauthFieldNames(request.form).length > 0);
}

/**
 * The only pending transaction of the browser (AUT-39, AUT-40). `parametersInBody`: the caller sent an OAuth request in
 * the body, as OIDC Core §3.1.2.1 allows, but AUT-33 reads none there.
 */
export async function findOnlyLogin(context: ProtocolContext, parametersInBody = false): Promise<LoginInProgress> {
  const { browser } = await context.session();
  const pending = await context.store.transactions.pendingOf(browser, context.clock.now());
  // A transaction whose client was deleted has ended and does not block other ones. If it is the only one, the response
  // reports that (AUT-46).
  const clients = await Promise.all(pending.map((each) => clientOf(each, context)));
  const alive = pending.filter((_, index) => clients[index] !== undefined);
  const [transaction, second] = continuableWithoutId(alive.length === 0 && pending.length === 1 ? pending : alive);
  if (transaction === undefined) {
    throw lostLogin(parametersInBody ? inBody(context) : 'no_login_pending');
  }
  if (second !== undefined) {
    throw lostLogin('several_logins_pending');
  }
  return withClient(transaction, context);
}

/** Where a form may be a request, this form is not a valid one (SSO-47). */
function inBody({ snapshot }: Pick<ProtocolContext, 'snapshot'>) {
  return snapshot.settings.oauth.authorize_by_post ? 'posted_request_not_whole' : 'authorization_request_in_body';
}

async function findNamedLogin(
  transactionId: string,
  { query }: ParsedRequest,
  context: ProtocolContext,
): Promise<LoginInProgress> {
  const { browser } = await context.session();
  const transaction = await context.store.transactions.find(transactionId, browser, context.clock.now());
  if (transaction === undefined) throw unknownTransaction();
  if (isOAuthRequest(query) && !isSameOAuthRequest(oauthParametersOf(query), transaction.parameters)) {
    throw lostLogin('transaction_of_another_request');
  }
  return withClient(transaction, context);
}

/** Validated like a GET. Its login runs against a separate transaction (AUT-37). */
async function beginDirectLogin({ query }: ParsedRequest, context: ProtocolContext): Promise<LoginInProgress> {
  const { request, client } = await acceptRequest(query, context, false);
  // A posted login contradicts `prompt=none`, which demands a login without a page (AUT-25).
  if (request.asks?.prompts.includes('none') === true) {
    throw new RefusalForClient(oauthError(authorizeRefusals.session_needed), request);
  }
  return {
    transaction: await newTransaction(request, query, context, { client, direct: true, embedded: false }),
    stored: false,
    client,
  };
}

async function withClient(transaction: AuthorizationTransaction, context: ProtocolContext): Promise<LoginInProgress> {
  const client = await clientOf(transaction, context);
  if (client !== undefined) {
    return { transaction: await withPasswordProved(transaction, context), stored: true, client };
  }
  await context.store.transactions.end(transaction.transaction_id, context.clock.now());
  throw new RefusalForClient(oauthError(authorizeRefusals.client_removed_during_login), transaction.request);
}

/**
 * A code alone completes the login while the session that proved the password is active. After that, both are required
 * (SSO-32).
 */
async function withPasswordProved(
  transaction: AuthorizationTransaction,
  context: ProtocolContext,
): Promise<AuthorizationTransaction> {
  const { progress } = transaction;
  if (progress?.codeAlone !== true) return transaction;
  const accounts = areSessionsOn(context) ? await accountsOf(context) : [];
  if (accounts.some(({ sid }) => sid === progress.sid)) return transaction;
  const left = { ...progress, codeAlone: undefined };
  // Deletes the waiting second factor, too.
  const outcome = await context.store.transactions.advance(transaction, { progress: left }, context.clock.now());
  if (outcome === 'gone') throw unknownTransaction();
  return { ...transaction, progress: left };
}

/** undefined: the client whose request was accepted was deleted. */
async function clientOf(
  transaction: AuthorizationTransaction,
  { snapshot, store, clock }: ProtocolContext,
): Promise<EffectiveClient | undefined> {
  const client = await findEffectiveClient(snapshot, store, transaction.request.client_id, clock.now());
  return client !== undefined && isClientOf(transaction, client.instanceId) ? client : undefined;
}

/** Unknown, expired, used and foreign transactions get the same error (AUT-36). */
export function unknownTransaction(): OAuthError {
  return lostLogin('transaction_not_pending');
}
