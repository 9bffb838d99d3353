// Creates and stores the transaction of a validated request. Capacity is the last check of AUT-06 (AUT-45).

import type { Parameters } from '#shared/base/parameters.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { EffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import type { AuthorizationRequest } from '#shared/model/domain/authorization-request.ts';
import type { AuthorizationTransaction } from '#shared/model/domain/authorization-transaction.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { RefusalForClient } from './client-response.ts';
import { oauthParametersOf } from './oauth-parameters.ts';

interface NewTransaction {
  readonly client: EffectiveClient;
  readonly direct: boolean;
  readonly embedded: boolean;
}

/** A transaction as a value, not stored yet. */
export async function newTransaction(
  request: AuthorizationRequest,
  query: Parameters,
  context: ProtocolContext,
  { client, direct, embedded }: NewTransaction,
): Promise<AuthorizationTransaction> {
  return {
    transaction_id: context.random.token(),
    browser: (await context.session()).browser,
    request,
    ...(client.instanceId === undefined ? {} : { clientInstance: client.instanceId }),
    parameters: oauthParametersOf(query),
    direct,
    embedded,
    createdAt: context.clock.now(),
  };
}

/** @throws RefusalForClient temporarily_unavailable while 1000 transactions are pending. */
export async function beginTransaction(transaction: AuthorizationTransaction, context: ProtocolContext): Promise<void> {
  const outcome = await context.store.transactions.begin(transaction, context.clock.now(), context.clientAddress);
  if (outcome === 'begun') return;
  throw new RefusalForClient(oauthError(authorizeRefusals.too_many_logins_in_progress), transaction.request);
}
