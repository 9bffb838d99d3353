// Client metadata as a stranger sends it (RFC 7591 §2): the members that count, read the same way for a registration and
// for a metadata document. Each reader answers the value or throws; the order is the caller's (DCR-04, CMD-11, CMD-12).
import {
  type ClientEntry,
  clientEntryModel,
  type TokenEndpointAuthMethod,
  tokenEndpointAuthMethods,
} from '#shared/configuration/model/client-entry.ts';
import { quotable } from './descriptions.ts';
import { OAuthError } from './oauth-error.ts';
import { acceptableRedirectUri } from './redirect-uri.ts';
import { parseScope } from './scope.ts';

/** A JSON object from outside; read by own members only. */
export type ClientMetadata = Readonly<Record<string, unknown>>;

/** @throws OAuthError invalid_client_metadata when the value is no JSON object. */
export function asClientMetadata(value: unknown): ClientMetadata {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidMetadata('The client metadata must be a JSON object.');
  }
  return Object.assign(Object.create(null), value);
}

/** The grants as sent; `["authorization_code"]` when none were (DCR-05, DCR-06). */
export function readGrantTypes(metadata: ClientMetadata, supported: readonly string[]): readonly string[] {
  const value = metadata.grant_types;
  if (value === undefined) return ['authorization_code'];
  if (!isListOfText(value)) throw invalidMetadata("'grant_types' must be a list of strings.");
  const unknown = value.find((name) => !supported.includes(name));
  if (unknown !== undefined) {
    throw invalidMetadata(
      `'grant_types' names one that this server does not serve: ${quotable(unknown)}. Served are: ${supported.join(', ')}.`,
    );
  }
  return value.length === 0 ? ['authorization_code'] : value;
}

/** DCR-07 */
export function readAuthMethod(metadata: ClientMetadata): TokenEndpointAuthMethod {
  const value = metadata.token_endpoint_auth_method;
  if (value === undefined) return 'client_secret_basic';
  const known = tokenEndpointAuthMethods.find((method) => method === value);
  if (known === undefined) {
    throw invalidMetadata(`'token_endpoint_auth_method' must be one of: ${tokenEndpointAuthMethods.join(', ')}.`);
  }
  return known;
}

/** At least one, each such that /authorize would accept it (DCR-08, DCR-09). */
export function readRedirectUris(metadata: ClientMetadata): readonly string[] {
  const value = metadata.redirect_uris;
  if (value === undefined) throw invalidRedirectUri("'redirect_uris' is required and was not sent.");
  if (!isListOfText(value)) throw invalidMetadata("'redirect_uris' must be a list of strings.");
  if (value.length === 0) throw invalidRedirectUri("'redirect_uris' must not be empty.");
  for (const uri of value) {
    const problem = acceptableRedirectUri(uri);
    if (problem !== undefined) throw invalidRedirectUri(`'redirect_uris': ${quotable(uri)} ${problem}.`);
  }
  return value;
}

/** What of the scope this server has, in the order asked for; blank or absent stands for all (DCR-10 to DCR-12). */
export function readScope(metadata: ClientMetadata, vocabulary: readonly string[]): readonly string[] {
  const value = metadata.scope;
  if (value !== undefined && typeof value !== 'string') throw invalidMetadata("'scope' must be a string.");
  const names = parseScope(value ?? '');
  if (names.length === 0) return vocabulary;
  const known = names.filter((name) => vocabulary.includes(name));
  if (known.length === 0) {
    throw invalidMetadata(`'scope' names nothing that this server supports. Supported are: ${vocabulary.join(', ')}.`);
  }
  return known;
}

/** undefined when it was not sent (DCR-13). */
export function readClientName(metadata: ClientMetadata): string | undefined {
  const value = metadata.client_name;
  if (value !== undefined && typeof value !== 'string') throw invalidMetadata("'client_name' must be a string.");
  return value;
}

/**
 * The entry of a client that describes itself: `own` is what the server decides about it, the rest is read in the order
 * redirect_uris, scope, client_name.
 */
export function entryFromMetadata(
  metadata: ClientMetadata,
  vocabulary: readonly string[],
  own: Pick<ClientEntry, 'client_id' | 'token_endpoint_auth_method'> & { readonly client_secret?: string },
): ClientEntry {
  const redirectUris = readRedirectUris(metadata);
  const scope = readScope(metadata, vocabulary);
  const name = readClientName(metadata);
  return clientEntryModel.parse({
    ...own,
    redirect_uris: [...redirectUris],
    scope: scope.join(' '),
    description: name ?? '',
  });
}

export function invalidMetadata(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description);
}

function invalidRedirectUri(description: string): OAuthError {
  return new OAuthError('invalid_redirect_uri', description);
}

function isListOfText(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
