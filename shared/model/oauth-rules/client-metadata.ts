// Client metadata from outside (RFC 7591 §2): the supported members, read identically for a registration and a metadata
// document. Each reader returns the value or throws. The caller decides the order (DCR-04, CMD-11, CMD-12).

import { isMapping, pathOfNul } from '#shared/base/untrusted-values.ts';
import {
  keyAuthMethod,
  type TokenEndpointAuthMethod,
  tokenEndpointAuthMethods,
} from '#shared/model/configuration/client-authentication.ts';
import { type ClientEntry, clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { registrationRefusals } from '#shared/model/refusals/families/registration.ts';
import { acceptableRedirectUri } from '#shared/protocol/oauth2/acceptable-redirect-uri.ts';
import type { SchemeRules } from '#shared/protocol/oauth2/redirect-uri-schemes.ts';
import { oauthError } from '../refusals/oauth-error.ts';
import { areGrantable, parseScope, type ScopeVocabulary } from './scope.ts';

/** A JSON object from outside. Only own members are read. */
export type ClientMetadata = Readonly<Record<string, unknown>>;

/**
 * A null member counts as not sent. @throws OAuthError invalid_client_metadata when the value is no JSON object, or
 * holds U+0000.
 */
export function asClientMetadata(value: unknown): ClientMetadata {
  if (!isMapping(value)) {
    throw oauthError(registrationRefusals.metadata_not_an_object);
  }
  const nul = pathOfNul(value);
  if (nul !== undefined) throw oauthError(registrationRefusals.metadata_with_nul, { member: nul.join('.') });
  const sent = Object.entries(value).filter(([, member]) => member !== null);
  return Object.assign(Object.create(null), Object.fromEntries(sent));
}

/** The grants as sent. `["authorization_code"]` when none were (DCR-05, DCR-06). */
export function readGrantTypes(metadata: ClientMetadata, supported: readonly string[]): readonly string[] {
  const value = metadata.grant_types;
  if (value === undefined) return ['authorization_code'];
  if (!isListOfText(value)) throw oauthError(registrationRefusals.grant_types_not_a_list);
  const unknown = value.find((name) => !supported.includes(name));
  if (unknown !== undefined) {
    throw oauthError(registrationRefusals.grant_type_not_served, { sent: unknown, known: supported });
  }
  return value.length === 0 ? ['authorization_code'] : value;
}

/** DCR-07. `withKeys`: a key of the client is also a method (SSO-49). */
export function readAuthMethod(metadata: ClientMetadata, withKeys = false): RegisteredMethod {
  const value = metadata.token_endpoint_auth_method;
  if (value === undefined) return 'client_secret_basic';
  const offered: readonly RegisteredMethod[] = withKeys
    ? [...tokenEndpointAuthMethods, keyAuthMethod]
    : tokenEndpointAuthMethods;
  const known = offered.find((method) => method === value);
  if (known === undefined) throw oauthError(registrationRefusals.authentication_method_unknown, { known: offered });
  return known;
}

type RegisteredMethod = TokenEndpointAuthMethod | typeof keyAuthMethod;

/** At least one, each acceptable for /authorize (DCR-08, DCR-09). */
export function readRedirectUris(metadata: ClientMetadata, rules: SchemeRules): readonly string[] {
  const value = metadata.redirect_uris;
  if (value === undefined) throw oauthError(registrationRefusals.redirect_uris_missing);
  if (!isListOfText(value)) throw oauthError(registrationRefusals.redirect_uris_not_a_list);
  if (value.length === 0) throw oauthError(registrationRefusals.redirect_uris_empty);
  for (const uri of value) {
    const problem = acceptableRedirectUri(uri, rules);
    if (problem !== undefined) throw oauthError(registrationRefusals.redirect_uri_unusable, { sent: uri, problem });
  }
  return value;
}

/** Where a logout may redirect, each acceptable for a redirect. Empty when they were not sent (D51). */
export function readPostLogoutRedirectUris(metadata: ClientMetadata, rules: SchemeRules): readonly string[] {
  const value = metadata.post_logout_redirect_uris;
  if (value === undefined) return [];
  if (!isListOfText(value)) throw oauthError(registrationRefusals.post_logout_redirect_uris_not_a_list);
  for (const uri of value) {
    const problem = acceptableRedirectUri(uri, rules);
    if (problem !== undefined) {
      throw oauthError(registrationRefusals.post_logout_redirect_uri_unusable, { sent: uri, problem });
    }
  }
  return value;
}

/** As sent. `code` is the only response type where no other is offered (D51, SSO-53). */
export function readResponseTypes(metadata: ClientMetadata, offered: readonly string[]): readonly string[] {
  const value = metadata.response_types;
  if (value === undefined) return ['code'];
  if (!isListOfText(value)) throw oauthError(registrationRefusals.response_types_not_a_list);
  const unknown = value.find((name) => !offered.includes(name.split(' ').sort().join(' ')));
  if (unknown !== undefined) {
    throw oauthError(registrationRefusals.response_type_not_served, { sent: unknown, known: offered });
  }
  return value.length === 0 ? ['code'] : value;
}

/**
 * The part of the scope that this server supports or grants, in the order requested. Blank or absent means all that is
 * supported (DCR-10 to DCR-12, UNK-04).
 */
export function readScope(
  metadata: ClientMetadata,
  { scopes_supported: vocabulary, unknown_scopes }: ScopeVocabulary,
): readonly string[] {
  const value = metadata.scope;
  if (value !== undefined && typeof value !== 'string') throw oauthError(registrationRefusals.scope_not_a_text);
  const names = parseScope(value ?? '');
  if (names.length === 0) return vocabulary;
  const known = names.filter((name) => vocabulary.includes(name));
  if (unknown_scopes === 'grant') {
    if (areGrantable(names.filter((name) => !vocabulary.includes(name)))) return names;
    throw oauthError(registrationRefusals.unknown_scope_not_registrable);
  }
  if (known.length === 0) {
    throw oauthError(registrationRefusals.no_scope_supported, { known: vocabulary });
  }
  return known;
}

/** The names that were sent and that the entry does not have (UNK-05). */
export function droppedScopes({ scope }: ClientMetadata, entry: Pick<ClientEntry, 'scope'>): readonly string[] {
  const kept = parseScope(entry.scope ?? '');
  return parseScope(typeof scope === 'string' ? scope : '').filter((name) => !kept.includes(name));
}

/** undefined when it was not sent (DCR-13). */
export function readClientName(metadata: ClientMetadata): string | undefined {
  const value = metadata.client_name;
  if (value !== undefined && typeof value !== 'string') throw oauthError(registrationRefusals.client_name_not_a_text);
  return value;
}

/**
 * The entry of a client that describes itself. `own` is decided by the server. The rest is read in the order
 * redirect_uris, scope, client_name.
 */
export function entryFromMetadata(
  metadata: ClientMetadata,
  { settings, rules }: Pick<ConfigurationSnapshot, 'settings' | 'rules'>,
  own: Pick<ClientEntry, 'client_id' | 'token_endpoint_auth_method'> & { readonly client_secret?: string },
): ClientEntry {
  const redirectUris = readRedirectUris(metadata, rules);
  const scope = readScope(metadata, settings.oauth);
  const name = readClientName(metadata);
  return clientEntryModel.parse({
    ...own,
    redirect_uris: [...redirectUris],
    scope: scope.join(' '),
    description: name ?? '',
    // Users know an application by its registered name. The client_id is still shown beside it.
    show_description: name !== undefined,
  });
}

function isListOfText(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
