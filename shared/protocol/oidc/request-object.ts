// What a request object says of an authorization request (OIDC Core §6, SSO-52): its members as parameters. Nothing is
// verified here.

/** What says something of the object itself, and what must not stand in it. */
const ofTheObject: ReadonlySet<string> = new Set([
  ...['iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'jti'],
  ...['request', 'request_uri', 'client_id'],
]);

/** The values of each parameter in it; they stand in the place of those that the query has under the same name. */
export function parametersOfRequestObject(object: object): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(object)
      .filter(([name, value]) => !ofTheObject.has(name) && value !== null)
      .map(([name, value]: [string, unknown]) => [name, valuesOf(value)]),
  );
}

/** As it would stand in a query: a list is sent once for each of its texts, an object (`claims`) as JSON. */
function valuesOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  return [typeof value === 'string' ? value : JSON.stringify(value)];
}
