// The values of a mapping's `from` for one person (PCL-22). SAML attributes use this function as well (PCL-30, SPM-13):
//
//     const values = valuesFrom('claims.department', { user, client: undefined, login }, settings.authority_prefixes);
//
// returns a list without empty values, which is empty when the person has none. `textOfValue` makes an AttributeValue
// of each of them.
import type { ClaimSource } from '#shared/model/configuration/claim-source.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { authoritiesOf } from '../authorities.ts';
import { type ClaimSubject, type ClaimsInEffect, claimsInEffect, isEmptyClaim } from './claims-in-effect.ts';

/** The values of one source. A caller that needs several sources of one subject passes its claims. */
export function valuesFrom(
  source: ClaimSource,
  subject: ClaimSubject,
  prefixes: Settings['authority_prefixes'],
  claims: ClaimsInEffect = claimsInEffect(subject),
): readonly unknown[] {
  const value = rawValue(source, subject, prefixes, claims);
  return (Array.isArray(value) ? value : [value]).filter((one: unknown) => !isEmptyClaim(one));
}

/** A string unchanged, any other value as JSON. */
export function textOfValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}

function rawValue(
  source: ClaimSource,
  { user }: ClaimSubject,
  prefixes: Settings['authority_prefixes'],
  claims: ClaimsInEffect,
): unknown {
  const [kind = '', ...rest] = source.split('.');
  const name = rest.join('.');
  if (rest.length > 0 && kind === 'claims') return ownMember(claims.free, name) ?? ownMember(claims.standard, name);
  if (user === undefined) return undefined;
  if (rest.length > 0) return ownMember(user.attributes, name);
  if (source === 'authorities') return authoritiesOf(user, prefixes);
  return ownMember(user, source);
}

function ownMember(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined;
}
