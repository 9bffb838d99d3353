// The changes that a test token may ask for: claims to set and claims to remove, after everything else has written the
// token (TTK-01 to TTK-03). Every name and every JSON value is allowed, unlike in `extra`.
import * as z from 'zod';
import { unknownName } from '#shared/base/unknown-name.ts';
import { holdsRoundedNumber, isMapping, isNestedDeeperThan, nestingMax } from '#shared/base/untrusted-values.ts';

type Claims = Record<string, unknown>;

export interface ClaimChanges {
  readonly set: Readonly<Claims>;
  readonly remove: readonly string[];
}

export interface TestTokenChanges {
  readonly accessToken: ClaimChanges;
  readonly idToken: ClaimChanges;
}

/** A parsed record would leave out `__proto__`, which is a claim name like any other here. */
const claimsToSet = () =>
  z.custom<Readonly<Claims>>(isMapping, 'must be an object').meta({ type: 'object', additionalProperties: {} });
const claimsToRemove = () => z.array(z.string('must be a string'), 'must be a list of strings');

/** The fields of a request for a test token, the same in REST and MCP. */
export const claimChangeFields = {
  set_claims: claimsToSet().describe('Claims of the access token, applied last.'),
  remove_claims: claimsToRemove().describe('Claims that the access token must not have.'),
  audience: z
    .union([z.string(), z.array(z.string()).min(1)], 'must be a string or a list of strings')
    .describe('`aud` of the access token, instead of resource.'),
  id_token: z
    .looseObject({
      set_claims: claimsToSet().optional().describe('Claims of the ID token.'),
      remove_claims: claimsToRemove().optional().describe('Claims that it must not have.'),
    })
    .describe('Changes of the ID token. Needs scope openid.'),
};

const idTokenFields = ['set_claims', 'remove_claims'];

/** The fields as sent, after their types were checked. */
export interface WantedChanges {
  readonly set_claims?: unknown;
  readonly remove_claims?: readonly string[] | null | undefined;
  readonly audience?: string | readonly string[] | null | undefined;
  readonly id_token?:
    | { readonly set_claims?: unknown; readonly remove_claims?: readonly string[] | undefined }
    | null
    | undefined;
}

/** The changes, or a sentence about what is wrong with them. undefined: none are wanted. */
export function readClaimChanges(
  { set_claims, remove_claims, audience, id_token }: WantedChanges,
  issues: { readonly idToken: boolean; readonly hasResource: boolean },
): TestTokenChanges | undefined | { readonly problem: string } {
  if (!isSent(set_claims) && !isSent(remove_claims) && !isSent(audience) && !isSent(id_token)) return undefined;
  if (isSent(audience) && issues.hasResource) {
    return { problem: 'Send either audience or resource. Both decide the aud of the access token.' };
  }
  const unknown = Object.keys(id_token ?? {}).find((name) => !idTokenFields.includes(name));
  if (unknown !== undefined) {
    const known = idTokenFields.map((name) => `id_token.${name}`);
    return { problem: unknownName('field', `id_token.${unknown}`, known) };
  }
  if (isSent(id_token) && !issues.idToken) {
    return { problem: 'id_token needs the scope openid. Without it no ID token is issued.' };
  }
  const toAccessToken = changesOf(set_claims, remove_claims);
  const idToken = changesOf(id_token?.set_claims, id_token?.remove_claims);
  const problem = problemWith('', toAccessToken) ?? problemWith('id_token.', idToken);
  if (problem !== undefined) return { problem };
  const { set, remove } = toAccessToken;
  const accessToken = isSent(audience) ? { set: { aud: audience, ...set }, remove } : toAccessToken;
  return { accessToken, idToken };
}

/** The claims with the changes. The given object is changed. */
export function changeClaims(claims: Claims, changes: ClaimChanges | undefined): Claims {
  if (changes === undefined) return claims;
  for (const [name, value] of Object.entries(changes.set)) {
    Object.defineProperty(claims, name, { value, enumerable: true, configurable: true, writable: true });
  }
  for (const name of changes.remove) Reflect.deleteProperty(claims, name);
  return claims;
}

const namesMax = 50;
const nameCharactersMax = 100;

/** The names of the changed claims, without values, for the audit event (TTK-06). Long lists are cut. */
export function changedClaimNames(changes: TestTokenChanges | undefined) {
  if (changes === undefined) return {};
  const { accessToken, idToken } = changes;
  const set = namesOf(Object.keys(accessToken.set), Object.keys(idToken.set));
  const removed = namesOf(accessToken.remove, idToken.remove);
  return {
    ...(set.length === 0 ? {} : { set_claims: set }),
    ...(removed.length === 0 ? {} : { removed_claims: removed }),
  };
}

function namesOf(inAccessToken: readonly string[], inIdToken: readonly string[]): readonly string[] {
  const names = [...inAccessToken, ...inIdToken.map((name) => `id_token.${name}`)];
  return names.slice(0, namesMax).map((name) => name.slice(0, nameCharactersMax));
}

function changesOf(set: unknown, remove: readonly string[] | null | undefined): ClaimChanges {
  return { set: isMapping(set) ? set : {}, remove: remove ?? [] };
}

function problemWith(place: string, { set, remove }: ClaimChanges): string | undefined {
  const both = remove.find((name) => Object.hasOwn(set, name));
  if (both !== undefined) {
    return `The claim ${JSON.stringify(both)} is in ${place}set_claims and in ${place}remove_claims.`;
  }
  if (isNestedDeeperThan(nestingMax, set)) return `${place}set_claims has more than ${nestingMax} levels.`;
  const rounded = Object.keys(set).find((name) => holdsRoundedNumber(set[name]));
  if (rounded === undefined) return undefined;
  return `The claim ${JSON.stringify(rounded)} in ${place}set_claims has a number that JSON readers would round. Write it as a string.`;
}

function isSent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
