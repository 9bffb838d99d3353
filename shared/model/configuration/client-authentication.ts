// How the client of an entry authenticates: the methods of an entry, and which requests comply with them.

/** From the registry of RFC 7591 §2: what a client may register and discovery lists. */
export const tokenEndpointAuthMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type TokenEndpointAuthMethod = (typeof tokenEndpointAuthMethods)[number];

/** Authentication with the client's key (OIDC Core §9): for entries, and for registrations under `metadata: full`. */
export const keyAuthMethod = 'private_key_jwt';

/** Only for entries: either secret method, whichever a request uses (CAM-01). */
const eitherSecret = 'client_secret_any';

/** Only for entries, and only under `dev`: either secret method, or no secret at all (CLS-08). */
const optionalSecret = 'client_secret_optional';

export const entryAuthMethods = [...tokenEndpointAuthMethods, eitherSecret, optionalSecret, keyAuthMethod] as const;

interface Authenticating {
  readonly token_endpoint_auth_method: (typeof entryAuthMethods)[number];
}

/** Whether a request that uses only this method complies with the client's entry. */
export function takesMethod({ token_endpoint_auth_method: declared }: Authenticating, used: string): boolean {
  return declared === eitherSecret || declared === optionalSecret
    ? used === 'client_secret_basic' || used === 'client_secret_post'
    : used === declared;
}

export function isPublicClient(client: Authenticating): boolean {
  return client.token_endpoint_auth_method === 'none';
}

/** Whether the client may leave out its secret, where the profile allows that. */
export function hasOptionalSecret(client: Authenticating): boolean {
  return client.token_endpoint_auth_method === optionalSecret;
}

/** Whether the client authenticates with a secret. */
export function hasSecret(client: Authenticating): boolean {
  return !isPublicClient(client) && client.token_endpoint_auth_method !== keyAuthMethod;
}

/** The client in a request without its secret: one of a public client (CLS-08). */
export function withoutItsSecret<Entry extends Authenticating>(client: Entry): Entry {
  return { ...client, token_endpoint_auth_method: 'none', client_secret: undefined };
}
