// The page of this server to which a browser returns after a login. The path is carried in an address, so it is not
// trusted. Paths that lead to another server are dropped.

/** The parameter of /login, and the field of its forms. */
export const returnField = 'return_to';

const lengthMax = 2000;
const anyOrigin = 'http://own.invalid';

/** A path with query as routes name it, or undefined. */
export function ownReturnPath(value: string | undefined): string | undefined {
  if (value === undefined || !value.startsWith('/') || value.length > lengthMax) return undefined;
  if (!URL.canParse(value, anyOrigin)) return undefined;
  const { origin, pathname, search } = new URL(value, anyOrigin);
  // A path that begins with two slashes names a host (RFC 3986 §4.2).
  return origin === anyOrigin && !pathname.startsWith('//') ? pathname + search : undefined;
}
