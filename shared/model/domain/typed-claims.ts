// Claims that a user typed for one login (PCL-17, PCL-18). They stay with everything that the login becomes: a pending
// request, a code, a session. A refresh token must not contain them (PCL-11) and a cookie is small. For those the store
// keeps them under a name: the family of the tokens, or the value in the cookie.
import type { OwnClaims } from '#shared/model/configuration/claims.ts';

/** The longest typed text, in bytes of UTF-8. */
export const typedClaimsBytesMax = 16 * 1024;

/**
 * The limit of a namespace. Beyond it, or beyond the bytes of this kind, the least recently needed claims are evicted.
 */
export const typedClaimsMax = 10_000;

export interface NamedClaims {
  readonly name: string;
  readonly claims: OwnClaims;
}

/** No random name ends with it. */
const mark = '+';

/** The name shows whether claims exist, so that other requests need not query the store. */
export function familyOfTypedClaims(family: string, claims: OwnClaims | undefined): string {
  return claims === undefined ? family : `${family}${mark}`;
}

export function hasTypedClaims(family: string): boolean {
  return family.endsWith(mark);
}
