// Claims that a person typed for one login (PCL-17, PCL-18). They go along with whatever the login becomes: a pending request,
// a code, a session. No refresh token may carry them (PCL-11) and a cookie is small: for those the store keeps them under a
// name, which is the family of the tokens, or what the cookie says.
import type { OwnClaims } from '#shared/model/configuration/claims.ts';

/** How long a text may be typed, in bytes of UTF-8. */
export const typedClaimsBytesMax = 16 * 1024;

/** The bound of a namespace; beyond it, or beyond the bytes of their kind, the claims that were needed longest ago give way. */
export const typedClaimsMax = 10_000;

export interface NamedClaims {
  readonly name: string;
  readonly claims: OwnClaims;
}

/** No random name ends so. */
const mark = '+';

/** The name says whether there are any, so that nobody else's request asks the store. */
export function familyOfTypedClaims(family: string, claims: OwnClaims | undefined): string {
  return claims === undefined ? family : `${family}${mark}`;
}

export function hasTypedClaims(family: string): boolean {
  return family.endsWith(mark);
}
