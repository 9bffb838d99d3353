// The `claims` parameter of an authorization request (OIDC Core §5.5, AUT-27, AUT-28): which claims the client asks for
// in the ID token and at /userinfo. Only the names count; what may be answered is decided when tokens are made.
import type { RequestedClaims } from '#shared/domain/authorization-request.ts';

/** The names asked for, or undefined when the text is not a claims request (then it is ignored, with a warning). */
export function parseClaimsRequest(text: string): RequestedClaims | undefined {
  const request = parseObject(text);
  if (request === undefined) return undefined;
  const idToken = claimNames(request, 'id_token');
  const userinfo = claimNames(request, 'userinfo');
  return idToken === undefined || userinfo === undefined ? undefined : { id_token: idToken, userinfo };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function claimNames(request: object, member: string): readonly string[] | undefined {
  // Own properties only: a name such as `__proto__` is data here.
  const entry = Object.entries(request).find(([name]) => name === member);
  if (entry === undefined) return [];
  const names: unknown = entry[1];
  if (!isObject(names)) return undefined;
  const wanted = Object.entries(names);
  return wanted.every(([, value]) => value === null || isObject(value)) ? wanted.map(([name]) => name) : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
