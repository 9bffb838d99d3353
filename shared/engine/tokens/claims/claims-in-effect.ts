// The claims that a token, a UserInfo response or an assertion contains. A claim of this login overrides the user's,
// which overrides the client's (PCL-14). The `claims:` of an entry are sorted once.
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { isRefusedClaim, isStandardClaim } from '#shared/protocol/oidc/claim-names.ts';

export interface ClaimSubject {
  /** undefined: the client is the subject. */
  readonly user: User | undefined;
  /** undefined: made without a client. */
  readonly client: Pick<Client, 'claims'> | undefined;
  /** The claims typed for this one login (PCL-18). */
  readonly login?: OwnClaims | undefined;
}

/** Without the values that count as absent. */
export interface ClaimsInEffect {
  readonly standard: OwnClaims;
  readonly free: OwnClaims;
}

const nothing: OwnClaims = Object.freeze(Object.create(null));
const noClaims: ClaimsInEffect = { standard: nothing, free: nothing };

/** The claims of the subject. All subjects without claims share one object. */
export function claimsInEffect({ client, user, login }: ClaimSubject): ClaimsInEffect {
  let effective = client === undefined ? noClaims : sorted(client.claims);
  if (user !== undefined) effective = overlay(effective, sorted(user.claims));
  return login === undefined ? effective : overlay(effective, sorted(login));
}

/** Undefined, null, the empty string, an empty list or an empty object; false and 0 are values. */
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
    // A field of the user that was typed for a login is no claim (LIN-05).
    if (isEmptyClaim(value) || isRefusedClaim(name)) continue;
    (isStandardClaim(name) ? standard : free)[name] = value;
    some = true;
  }
  return some ? { standard, free } : noClaims;
}

function overlay(below: ClaimsInEffect, above: ClaimsInEffect): ClaimsInEffect {
  if (above === noClaims) return below;
  if (below === noClaims) return above;
  return { standard: merged(below.standard, above.standard), free: merged(below.free, above.free) };
}

/** Without a prototype, so that every claim name is data. */
function merged(below: OwnClaims, above: OwnClaims): OwnClaims {
  return Object.assign(Object.create(null), below, above);
}
