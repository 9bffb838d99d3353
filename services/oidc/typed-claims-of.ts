// What was typed for the login that tokens came of (PCL-18). /token and /userinfo ask.
import type { OwnClaims } from '#shared/configuration/model/claims.ts';
import { hasTypedClaims } from '#shared/domain/typed-claims.ts';
import type { RequestContext } from '#shared/http/request.ts';

/**
 * undefined: nothing was typed. `gone`: the store has it no more, and what is answered without it would be about another login.
 */
export async function typedClaimsOf(
  family: string | undefined,
  { store }: Pick<RequestContext, 'store'>,
): Promise<OwnClaims | 'gone' | undefined> {
  if (family === undefined || !hasTypedClaims(family)) return undefined;
  return (await store.typedClaims.find(family)) ?? 'gone';
}
