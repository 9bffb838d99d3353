// The claims that were typed for the login behind a token (PCL-18), as /token and /userinfo need them.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import { hasTypedClaims } from '#shared/model/domain/typed-claims.ts';

/**
 * undefined: no claims were typed. `gone`: the store no longer has the claims, and a response without them would be
 * about another login.
 */
export async function typedClaimsOf(
  family: string | undefined,
  { store }: Pick<ProtocolContext, 'store'>,
): Promise<OwnClaims | 'gone' | undefined> {
  if (family === undefined || !hasTypedClaims(family)) return undefined;
  return (await store.typedClaims.find(family)) ?? 'gone';
}
