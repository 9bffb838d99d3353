// Scope: parsing the parameter, the defaults of each endpoint, and the check against the vocabulary and the client's
// restriction (SCO-01 to SCO-10, UNK-01 to UNK-03, RFC 6749 §3.3). Includes narrowing at refresh. The callers grant scopes.

import type { Client, ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { scopeRefusals } from '#shared/model/refusals/families/scope-and-resource.ts';
import { oauthError } from '../refusals/oauth-error.ts';

/**
 * The default for an omitted scope, unless the client has default scopes (CLS-04). The client's restriction, else `openid` (/authorize, /device_authorization,
 * SCO-05). The restriction, else nothing (password, SCO-06). Nothing (client credentials and every redemption, SCO-07,
 * SCO-08).
 */
type DefaultScope = 'restriction_or_openid' | 'restriction' | 'none';

type ScopeRules = {
  readonly rules: Pick<ConfigurationSnapshot['rules'], 'enforceScope'>;
  readonly settings: { readonly oauth: ScopeVocabulary };
};

/** The known scopes, and how others are handled. */
export type ScopeVocabulary = Pick<ConfigurationSnapshot['settings']['oauth'], 'scopes_supported' | 'unknown_scopes'>;

/** The scopes that may be granted, and the unknown ones that were dropped (UNK-02). */
export interface PermittedScope {
  readonly granted: readonly string[];
  readonly ignored: readonly string[];
}

/** Tokens that are made without a request have no default scopes. */
type ScopedClient = Pick<Client, 'scopes'> & Partial<Pick<Client, 'default_scopes'>>;

/**
 * The names in a scope parameter, at least one. Blank text is no scope (RFC 6749 §3.3), and differs from an omitted
 * parameter.
 * @throws OAuthError invalid_scope
 */
function requestedNames(text: string): string[] {
  const names = parseScope(text);
  if (names.length > 0) return names;
  throw oauthError(scopeRefusals.scope_blank);
}

/** RFC 6749 §3.3: the characters of a name. Spaces separate names. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * The items that are no valid name, such as an item with several names. They do not invalidate the entry that lists
 * them.
 */
export function* unusableScopeNames(
  names: readonly string[],
): Generator<{ readonly index: number; readonly message: string }> {
  const message =
    'is not a valid scope name (RFC 6749 §3.3: printable ASCII without spaces, quotation marks and backslashes). Write each name as a separate item';
  for (const [index, name] of names.entries()) if (!scopeToken.test(name)) yield { index, message };
}

/** The invalid names of a client entry, with the member that lists them. */
export function* unusableScopes({ allowed_scopes = [] }: Pick<ClientEntry, 'allowed_scopes'>): Generator<{
  readonly field: string;
  readonly index: number;
  readonly message: string;
}> {
  for (const problem of unusableScopeNames(allowed_scopes)) yield { field: 'allowed_scopes', ...problem };
}

/** The names of a scope text in order of first mention, without duplicates (SCO-10). Blank text has none. */
export function parseScope(text: string): string[] {
  return [...new Set(text.split(' ').filter((name) => name !== ''))];
}

/**
 * The scope that a request requests, or the default, checked against the active rules. A request of which only ignored
 * names remain has the default (UNK-02).
 * @throws OAuthError invalid_scope, naming the offending names (SCO-03), and for blank text.
 */
export function resolveScope(
  requested: string | undefined,
  defaultScope: DefaultScope,
  client: ScopedClient,
  snapshot: ScopeRules,
): PermittedScope {
  // If the request had no scope, the message must not suggest that it sent these names.
  const byDefault = () =>
    permittedScope(defaultNames(defaultScope, client), client, snapshot, scopeRefusals.scope_default_not_supported);
  if (requested === undefined) return byDefault();
  const permitted = permittedScope(requestedNames(requested), client, snapshot);
  return permitted.granted.length > 0 ? permitted : { ...byDefault(), ignored: permitted.ignored };
}

/** The scope of a client that can have no refresh token. A request for `offline_access` alone has the default. */
export function withoutOfflineAccess(
  { granted, ignored }: PermittedScope,
  client: ScopedClient,
  snapshot: ScopeRules,
): PermittedScope {
  const others = (names: readonly string[]) => names.filter((name) => name !== 'offline_access');
  const left = others(granted);
  if (left.length > 0 || granted.length === 0) return { granted: left, ignored };
  return { granted: others(resolveScope(undefined, 'restriction_or_openid', client, snapshot).granted), ignored };
}

/**
 * Which of these names may be granted to the client now: checks the vocabulary first, then the client's restriction
 * (SCO-01, SCO-02). Without enforcement every name is granted (SCO-09).
 * @throws OAuthError invalid_scope
 */
export function permittedScope(
  names: readonly string[],
  client: ScopedClient,
  snapshot: ScopeRules,
  unsupported: NamesScopes = scopeRefusals.scope_not_supported,
): PermittedScope {
  if (names.length === 0 || !snapshot.rules.enforceScope) return { granted: names, ignored: [] };
  const permitted = withoutIgnored(names, snapshot);
  checkUnknown(outsideVocabulary(permitted.granted, snapshot), snapshot, unsupported);
  if (client.scopes.length > 0) {
    refuse(
      permitted.granted.filter((name) => !client.scopes.includes(name)),
      scopeRefusals.scope_not_allowed_for_client,
    );
  }
  return permitted;
}

/** Without the unknown names, where the settings drop them (UNK-02). */
function withoutIgnored(names: readonly string[], snapshot: ScopeRules): PermittedScope {
  if (!snapshot.rules.enforceScope || snapshot.settings.oauth.unknown_scopes !== 'ignore') {
    return { granted: names, ignored: [] };
  }
  const ignored = outsideVocabulary(names, snapshot);
  if (ignored.length === 0) return { granted: names, ignored };
  return { granted: names.filter((name) => !ignored.includes(name)), ignored };
}

function checkUnknown(unknown: readonly string[], { settings }: ScopeRules, unsupported: NamesScopes): void {
  if (settings.oauth.unknown_scopes !== 'grant') refuse(unknown, unsupported);
  else if (!areGrantable(unknown)) {
    throw oauthError(scopeRefusals.unknown_scope_not_grantable, { rejected: unknown.slice(0, unknownScopesMax) });
  }
}

const unknownScopesMax = 50;
const unknownScopeCharactersMax = 200;

/** Whether unknown names can be granted or registered: few, short, and of the grammar (UNK-03). */
export function areGrantable(unknown: readonly string[]): boolean {
  const isGrantable = (name: string) => name.length <= unknownScopeCharactersMax && scopeToken.test(name);
  return unknown.length <= unknownScopesMax && unknown.every(isGrantable);
}

/** For the audit: scopes that the request named and that were dropped (UNK-02). */
export function ignoredScopes(ignored: readonly string[]): { readonly ignored_scopes?: readonly string[] } {
  return ignored.length > 0 ? { ignored_scopes: ignored.slice(0, unknownScopesMax) } : {};
}

/**
 * The problem of a client entry's restriction, as the end of a sentence that follows its position. It may be intended,
 * so it does not invalidate the entry.
 */
export function doubtfulRestriction(client: ScopedClient, snapshot: ScopeRules): string | undefined {
  // For several names in one list item, `unusableScopes` has a better message.
  const names = client.scopes.filter((name) => !name.includes(' '));
  if (!snapshot.rules.enforceScope || outsideVocabulary(names, snapshot).length === 0) return undefined;
  return doubts[snapshot.settings.oauth.unknown_scopes];
}

const doubts: Readonly<Record<ScopeVocabulary['unknown_scopes'], string | undefined>> = {
  reject:
    'lists a scope that oauth.scopes_supported does not have. The server rejects requests with this scope, and requests for a user without scope',
  ignore: 'lists a scope that oauth.scopes_supported does not have. The server ignores it (oauth.unknown_scopes)',
  grant: undefined,
};

/** Why a client's default scopes cannot be granted, as the end of a sentence. undefined: they can (CLS-04). */
export function problemOfDefaultScopes(client: Client, snapshot: ScopeRules): string | undefined {
  const { default_scopes: names, scopes } = client;
  if (names.length === 0 || !snapshot.rules.enforceScope) return undefined;
  const list = (some: readonly string[]) => some.map((name) => JSON.stringify(name)).join(', ');
  const unknown = outsideVocabulary(names, snapshot);
  if (snapshot.settings.oauth.unknown_scopes !== 'grant' && unknown.length > 0) {
    return `contains ${list(unknown)}, which oauth.scopes_supported does not have`;
  }
  if (!areGrantable(unknown)) return `contains ${list(unknown)}, which cannot be granted as unknown scopes`;
  const outside = scopes.length === 0 ? [] : names.filter((name) => !scopes.includes(name));
  return outside.length === 0 ? undefined : `contains ${list(outside)}, which the scope of the client does not have`;
}

function outsideVocabulary(names: readonly string[], { settings }: ScopeRules): string[] {
  return names.filter((name) => !settings.oauth.scopes_supported.includes(name));
}

/**
 * The scope of a refresh: the requested part of the granted scope, or all of it (REF-07, REF-09). Names that the login
 * ignored are ignored here too (UNK-02).
 * @throws OAuthError invalid_scope when more is asked for than was granted, and for blank text.
 */
export function narrowScope(
  requested: string | undefined,
  granted: readonly string[],
  client: ScopedClient,
  snapshot: ScopeRules,
): PermittedScope {
  if (requested === undefined) return permittedScope(granted, client, snapshot);
  const named = withoutIgnored(requestedNames(requested), snapshot);
  if (named.granted.length === 0) return { ...permittedScope(granted, client, snapshot), ignored: named.ignored };
  refuse(
    named.granted.filter((name) => !granted.includes(name)),
    scopeRefusals.scope_not_granted,
  );
  return { ...permittedScope(named.granted, client, snapshot), ignored: named.ignored };
}

function defaultNames(defaultScope: DefaultScope, client: ScopedClient): readonly string[] {
  if (client.default_scopes !== undefined && client.default_scopes.length > 0) return client.default_scopes;
  if (defaultScope === 'none') return [];
  if (client.scopes.length > 0) return [...client.scopes];
  return defaultScope === 'restriction_or_openid' ? ['openid'] : [];
}

type NamesScopes = Exclude<
  (typeof scopeRefusals)[keyof typeof scopeRefusals],
  { readonly code: 'scope_blank' | 'unknown_scope_not_grantable' }
>;

function refuse(rejected: readonly string[], refusal: NamesScopes): void {
  if (rejected.length > 0) throw oauthError(refusal, { rejected });
}
