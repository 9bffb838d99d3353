// Reads the parameters of an authorization request from its request object (OIDC Core §6, SSO-52). It verifies nothing.

/** Members that describe the object itself, and members that are not allowed in it. */
const ofTheObject: ReadonlySet<string> = new Set([
  ...['iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'jti'],
  ...['request', 'request_uri', 'client_id'],
]);

/** The values of each parameter in it. They replace the values of the same name in the query. */
export function parametersOfRequestObject(object: object): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(object)
      .filter(([name, value]) => !ofTheObject.has(name) && value !== null)
      .map(([name, value]: [string, unknown]) => [name, valuesOf(value)]),
  );
}

/** The value in query form: a list is sent once for each of its strings, an object (`claims`) as JSON. */
function valuesOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  return [typeof value === 'string' ? value : JSON.stringify(value)];
}
