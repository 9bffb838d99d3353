// Whose claims a token, a UserInfo answer or an assertion tells, and which of them count: the claim of this login over the
// user's, that over the client's (PCL-14). What a `claims:` says is sorted once for the entry it belongs to.
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { isStandardClaim } from '#shared/protocol/oidc/claim-names.ts';

export interface ClaimSubject {
  /** undefined: the client speaks for itself. */
  readonly user: User | undefined;
  /** undefined: made for nobody in particular. */
  readonly client: Pick<Client, 'claims'> | undefined;
  /** What was typed for this one login (PCL-18). */
  readonly login?: OwnClaims | undefined;
}

/** Without what counts as absent. */
export interface ClaimsInEffect {
  readonly standard: OwnClaims;
  readonly free: OwnClaims;
}

const nothing: OwnClaims = Object.freeze(Object.create(null));
const noClaims: ClaimsInEffect = { standard: nothing, free: nothing };

/** The claims of the subject; one object for everybody who has none. */
export function claimsInEffect({ client, user, login }: ClaimSubject): ClaimsInEffect {
  let effective = client === undefined ? noClaims : sorted(client.claims);
  if (user !== undefined) effective = over(effective, sorted(user.claims));
  return login === undefined ? effective : over(effective, sorted(login));
}

/** Nothing, the empty text, an empty list or an empty object; false and 0 are values. */
export function isEmptyClaim(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

const sortedOnce = new WeakMap<OwnClaims, ClaimsInEffect>();

function sorted(claims: OwnClaims): ClaimsInEffect {
  let known = sortedOnce.get(claims);
  if (known === undefined) {
    known = sort(claims);
    sortedOnce.set(claims, known);
  }
  return known;
}

function sort(claims: OwnClaims): ClaimsInEffect {
  const standard: Record<string, unknown> = Object.create(null);
  const free: Record<string, unknown> = Object.create(null);
  let some = false;
  for (const [name, value] of Object.entries(claims)) {
    if (isEmptyClaim(value)) continue;
    (isStandardClaim(name) ? standard : free)[name] = value;
    some = true;
  }
  return some ? { standard, free } : noClaims;
}

function over(below: ClaimsInEffect, above: ClaimsInEffect): ClaimsInEffect {
  if (above === noClaims) return below;
  if (below === noClaims) return above;
  return { standard: merged(below.standard, above.standard), free: merged(below.free, above.free) };
}

/** Without a prototype: whatever a claim is called, it is data. */
function merged(below: OwnClaims, above: OwnClaims): OwnClaims {
  return Object.assign(Object.create(null), below, above);
}
