// What the verdict on a client needs of a request and its shown form does not contain (section VER): facts, never
// values.

import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { BrowserSession } from '#shared/engine/exchange/session-cookie.ts';
import type { Noticed, RecordedEndpoint, RedirectUriLeniency } from '#shared/model/domain/exchange.ts';
import type { BasicCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import type { ObservedExchange } from './observed-exchange.ts';

/** The endpoints where the browser of a request matters. */
const byBrowser: ReadonlySet<RecordedEndpoint> = new Set(['authorize', 'saml_sso']);

/** The endpoints that read a scope. */
const takesScope: ReadonlySet<RecordedEndpoint> = new Set([
  'authorize',
  'pushed_authorization_request',
  'device_authorization',
  'token',
]);

/** undefined: the endpoint is not one of these, or the request was rejected too early. */
export function browserOf(
  endpoint: RecordedEndpoint,
  context: ProtocolContext | undefined,
): Promise<BrowserSession> | undefined {
  return byBrowser.has(endpoint) ? context?.session() : undefined;
}

/** What the recorder has learned already. */
interface KnownFacts {
  readonly basic: BasicCredentials;
  readonly redirectUri: readonly RedirectUriLeniency[] | undefined;
}

export function factsForVerdict(
  endpoint: RecordedEndpoint,
  request: ParsedRequest | undefined,
  context: ProtocolContext | undefined,
  { basic, redirectUri }: KnownFacts,
): NonNullable<ObservedExchange['noticed']> {
  const verifier = endpoint === 'token' ? request?.form.value('code_verifier') : undefined;
  const relayState = endpoint === 'saml_sso' ? relayStateOf(request) : undefined;
  return {
    // Only the query of an unread request is known.
    inQuery: request === undefined ? Number.MAX_SAFE_INTEGER : request.rawQuery === '' ? 0 : request.query.pairs.length,
    basicSecret: request !== undefined && hasEmptySecret(basic) ? 'empty' : undefined,
    verifier: verifier === undefined ? undefined : lookOf(verifier),
    relayStateBytes: relayState === undefined ? undefined : Buffer.byteLength(relayState),
    scopesSupported: request !== undefined && takesScope.has(endpoint) ? supportedScopes(request, context) : undefined,
    sso: endpoint === 'saml_sso' && context !== undefined ? ssoOf(context) : undefined,
    redirectUri,
  };
}

/** undefined: the request names no scope, or unknown ones are rejected. */
function supportedScopes(request: ParsedRequest, context: ProtocolContext | undefined): readonly string[] | undefined {
  if (context === undefined) return undefined;
  const { rules, settings } = context.snapshot;
  if (rules.enforceScope && settings.oauth.unknown_scopes === 'reject') return undefined;
  const names = (name: string) => (request.form.value(name) ?? request.query.value(name)) !== undefined;
  // A request object may name a scope.
  return names('scope') || names('request') ? settings.oauth.scopes_supported : undefined;
}

function hasEmptySecret(basic: BasicCredentials): boolean {
  return basic.kind === 'credentials' && basic.password === '';
}

/** RFC 7636 §4.1. */
function lookOf(verifier: string): NonNullable<Noticed['verifier']> {
  return { length: verifier.length, hasOtherCharacters: /[^A-Za-z0-9._~-]/.test(verifier) };
}

function relayStateOf(request: ParsedRequest | undefined): string | undefined {
  return request?.form.value('RelayState') ?? request?.query.value('RelayState');
}

function ssoOf(context: ProtocolContext): NonNullable<Noticed['sso']> {
  const { snapshot } = context;
  return {
    address: effectiveSamlAddresses(snapshot.settings.saml, context).sso_url,
    hasCertificates: snapshot.paths.spCertificates.length > 0,
  };
}
