// The `claims` parameter of an authorization request (OIDC Core §5.5, AUT-27, AUT-28): which claims the client requests
// in the ID token and at /userinfo. Only the names are read. Which ones are returned is decided when tokens are issued.

import { isMapping } from '#shared/base/untrusted-values.ts';
import type { RequestedClaims } from '#shared/model/domain/authorization-request.ts';

interface ReadClaimsRequest {
  readonly claims: RequestedClaims;
  /** Members, and claims in them, with an invalid value. The others count. */
  readonly unusable: readonly string[];
}

/** The requested names, or undefined when the text is no JSON object (then it is ignored, with a warning). */
export function parseClaimsRequest(text: string): ReadClaimsRequest | undefined {
  const request = parseObject(text);
  if (request === undefined) return undefined;
  const unusable: string[] = [];
  const claims = {
    id_token: claimNames(request, 'id_token', unusable),
    userinfo: claimNames(request, 'userinfo', unusable),
  };
  return { claims, unusable };
}

/** The values requested for one claim of the ID token, `value` or `values` (OIDC Core §5.5.1). */
export interface AskedIdTokenClaim {
  readonly essential: boolean;
  readonly values: readonly string[];
}

/** undefined if the request has only its name. */
export function askedIdTokenClaim(text: string | undefined, name: string): AskedIdTokenClaim | undefined {
  const idToken = ownMember(text === undefined ? undefined : parseObject(text), 'id_token');
  const requested = ownMember(isMapping(idToken) ? idToken : undefined, name);
  if (!isMapping(requested)) return undefined;
  const value = ownMember(requested, 'value');
  const values = ownMember(requested, 'values');
  const all = [value, ...(Array.isArray(values) ? values : [])];
  return {
    essential: ownMember(requested, 'essential') === true,
    values: all.filter((one): one is string => typeof one === 'string'),
  };
}

function ownMember(object: object | undefined, name: string): unknown {
  return Object.entries(object ?? {}).find(([member]) => member === name)?.[1];
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function claimNames(request: object, member: string, unusable: string[]): readonly string[] {
  // Own properties only: a name such as `__proto__` is data here.
  const entry = Object.entries(request).find(([name]) => name === member);
  if (entry === undefined) return [];
  const names: unknown = entry[1];
  if (!isMapping(names)) {
    unusable.push(member);
    return [];
  }
  return Object.entries(names).flatMap(([name, value]) => {
    if (value === null || isMapping(value)) return [name];
    unusable.push(`${member}.${name}`);
    return [];
  });
}
