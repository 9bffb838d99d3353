// The claims of each kind of token, exactly as section CLM defines them. Pure: times, ids and the finished access token
// are arguments. Nothing here signs.

import { epochSeconds } from '#shared/base/clock.ts';
import { isMapping } from '#shared/base/untrusted-values.ts';
import type { ClaimPlace } from '#shared/model/configuration/claim-mapping.ts';
import { isPublicClient } from '#shared/model/configuration/client-authentication.ts';
import { acrOfLogin, userOfLogin } from '#shared/model/configuration/login-claims.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { accessTokenHash } from './access-token-hash.ts';
import { authoritiesOf } from './authorities.ts';
import type { ClientAuthorization, UserAuthorization } from './authorization.ts';
import { type ClaimSubject, type ClaimsInEffect, claimsInEffect, isEmptyClaim } from './claims/claims-in-effect.ts';
import { mapClaims } from './claims/map-claims.ts';
import { standardClaimsOf } from './claims/standard-claims.ts';
import { requestedClaimValues } from './requested-claims.ts';

type Claims = Record<string, unknown>;

/** Issuer, lifetime and id of one token; times in whole seconds since the epoch. */
export interface TokenFrame {
  readonly issuer: string;
  readonly issuedAt: number;
  /** Left out: the token is valid from its time of issue. */
  readonly notBefore?: number | undefined;
  readonly expiresAt: number;
  readonly jti: string;
}

/** CLM-09 to CLM-15, PCL-10 to PCL-14. */
export function accessTokenClaims(
  { client, login, scope, resource, claims: requested, boundKey, ...who }: UserAuthorization,
  frame: TokenFrame,
  settings: Settings,
  extra: Readonly<Claims>,
): Claims {
  const user = userOfLogin({ user: who.user, login });
  const claims = frameClaims(frame, user.username, accessAudience(resource, client, settings), 'access');
  if (client !== undefined) claims.client_id = client.client_id;
  if (scope.length > 0) claims.scope = scope.join(' ');
  if (boundKey !== undefined) claims.cnf = { jkt: boundKey };
  addUnlessEmpty(claims, 'roles', user.roles);
  addUnlessEmpty(claims, 'groups', user.groups);
  addUnlessEmpty(claims, 'tenant', user.tenant);
  addUnlessEmpty(claims, 'identity_class', user.identity_class);
  addUnlessEmpty(claims, 'entitlements', user.entitlements);
  addUnlessEmpty(claims, 'source_acl', user.source_acl);
  addUnlessEmpty(claims, 'attributes', user.attributes);
  addUnlessEmpty(claims, 'authorities', authoritiesOf(user, settings.authority_prefixes));
  addUnlessEmpty(claims, requestedUserinfoClaim, requested.userinfo);
  addOwn(claims, 'access_token', { user, client, login }, scope, client?.client_id, settings);
  return withExtra(claims, extra);
}

/** CLM-16, PCL-13, CLS-01: the client's own token. */
export function clientTokenClaims(
  { client, scope, resource, boundKey }: ClientAuthorization,
  frame: TokenFrame,
  settings: Settings,
  extra: Readonly<Claims>,
): Claims {
  const claims = frameClaims(frame, client.client_id, accessAudience(resource, client, settings), 'access');
  claims.client_id = client.client_id;
  if (scope.length > 0) claims.scope = scope.join(' ');
  if (boundKey !== undefined) claims.cnf = { jkt: boundKey };
  addUnlessEmpty(claims, 'roles', client.roles);
  addUnlessEmpty(claims, 'groups', client.groups);
  addUnlessEmpty(claims, 'authorities', authoritiesOf(client, settings.authority_prefixes));
  addOwn(claims, 'access_token', { user: undefined, client }, scope, client.client_id, settings);
  return withExtra(claims, extra);
}

/**
 * CLM-18 to CLM-29, PCL-08 to PCL-14. `accessToken` is the one issued with it, undefined when no access token is issued.
 * `withScopeClaims`: includes the claims of the scope, independently of the settings (SSO-53).
 */
export function idTokenClaims(
  { client, login, scope, claims: requested, authenticatedAt, amr, acr, sid, nonce, ...who }: UserAuthorization,
  frame: TokenFrame,
  settings: Settings,
  accessToken: string | undefined,
  withScopeClaims = settings.oauth.id_token_claims === 'scope',
): Claims {
  const user = userOfLogin({ user: who.user, login });
  const audience = idTokenAudience(client, settings);
  const use = settings.oauth.id_token_token_use ? 'id' : undefined;
  const claims = frameClaims(frame, user.username, audience, use);
  if (client !== undefined && Array.isArray(audience)) claims.azp = client.client_id;
  if (nonce !== undefined && nonce !== '') claims.nonce = nonce;
  claims.auth_time = epochSeconds(authenticatedAt);
  if (accessToken !== undefined) claims.at_hash = accessTokenHash(accessToken);
  addContext(claims, { amr, acr, sid }, settings);
  const typedAcr = acrOfLogin(login);
  if (typedAcr !== undefined) claims.acr = typedAcr;
  const subject = { user, client, login };
  const inEffect = claimsInEffect(subject);
  if (withScopeClaims) {
    Object.assign(
      claims,
      standardClaimsOf(user, inEffect, (name) => scope.includes(name)),
    );
  }
  for (const [name, value] of requestedClaimValues(requested.id_token, user, inEffect)) addNew(claims, name, value);
  addOwn(claims, 'id_token', subject, scope, client?.client_id, settings, inEffect);
  return claims;
}

/** The names requested with `claims`, as refresh tokens carry them. Access tokens carry the second for /userinfo. */
export const requestedIdTokenClaim = 'req_id_token_claims';
export const requestedUserinfoClaim = 'req_userinfo_claims';

/** The runtime user and client of a refresh token: their names alone are not unique over time (RUN-14). */
export const userInstanceClaim = 'user_instance';
export const clientInstanceClaim = 'client_instance';

/** CLM-30 to CLM-32; `granted` is what the family keeps, however narrow this response is (REF-10, RES-09). */
export function refreshTokenClaims(
  { user, client, userInstance, clientInstance, claims: requested, ...login }: UserAuthorization,
  granted: { readonly scope: readonly string[]; readonly resource: readonly string[] },
  frame: TokenFrame,
  settings: Settings,
): Claims {
  const claims = frameClaims(frame, user.username, settings.oauth.audience, 'refresh');
  claims.token_type = 'refresh';
  claims.rt_family = login.family;
  claims.client_id = client?.client_id;
  addUnlessEmpty(claims, userInstanceClaim, userInstance);
  addUnlessEmpty(claims, clientInstanceClaim, clientInstance);
  if (granted.scope.length > 0) claims.scope = granted.scope.join(' ');
  addUnlessEmpty(claims, 'resource', granted.resource);
  // The refresh tokens of other clients are bound by client authentication (RFC 9449 §5).
  const { boundKey } = login;
  if (boundKey !== undefined && client !== undefined && isPublicClient(client)) claims.cnf = { jkt: boundKey };
  claims.auth_time = epochSeconds(login.authenticatedAt);
  addContext(claims, login, settings);
  addUnlessEmpty(claims, requestedIdTokenClaim, requested.id_token);
  addUnlessEmpty(claims, requestedUserinfoClaim, requested.userinfo);
  return claims;
}

/** The thumbprint of the key that a token is bound to, by its `cnf` (RFC 9449 §6.1). */
export function boundKeyOf({ cnf }: Readonly<Claims>): string | undefined {
  return isMapping(cnf) && typeof cnf.jkt === 'string' ? cnf.jkt : undefined;
}

/**
 * How and in which session the person logged in. While sessions are off, no session is included, whenever it began
 * (SSO-01).
 */
function addContext(
  claims: Claims,
  { amr, acr, sid }: Pick<UserAuthorization, 'amr' | 'acr' | 'sid'>,
  { login }: Settings,
): void {
  if (amr !== undefined) claims.amr = amr;
  if (login.session === 'off') return;
  if (acr !== undefined) claims.acr = acr;
  if (sid !== undefined) claims.sid = sid;
}

/** CLM-03. */
function frameClaims(
  frame: TokenFrame,
  subject: string,
  audience: string | readonly string[],
  /** undefined: an ID token without this claim (PCL-19). */
  use: 'access' | 'id' | 'refresh' | undefined,
): Claims {
  return {
    iss: frame.issuer,
    sub: subject,
    aud: audience,
    iat: frame.issuedAt,
    nbf: frame.notBefore ?? frame.issuedAt,
    exp: frame.expiresAt,
    jti: frame.jti,
    ...(use !== undefined && { token_use: use }),
  };
}

/** Free claims first, which only add. Then mappings, which override (PCL-10, PCL-14). */
function addOwn(
  claims: Claims,
  place: ClaimPlace,
  subject: ClaimSubject,
  scope: readonly string[],
  clientId: string | undefined,
  settings: Settings,
  inEffect: ClaimsInEffect = claimsInEffect(subject),
): void {
  for (const name in inEffect.free) addNew(claims, name, inEffect.free[name]);
  mapClaims(claims, { place, subject, claims: inEffect, clientId, scope }, settings);
}

/** The caller's claims never change an existing claim (PCL-12). */
function withExtra(claims: Claims, extra: Readonly<Claims>): Claims {
  for (const name in extra) if (Object.hasOwn(extra, name)) addNew(claims, name, extra[name]);
  return claims;
}

/** Only new own members: a name such as `__proto__` is data, and existing claims are unchanged. */
export function addNew(claims: Claims, name: string, value: unknown): void {
  if (Object.hasOwn(claims, name)) return;
  Object.defineProperty(claims, name, { value, enumerable: true, configurable: true, writable: true });
}

/** RES-02, CLS-02: one resource as a string, several as a list in the order sent. */
function accessAudience(
  resource: readonly string[],
  client: UserAuthorization['client'],
  settings: Settings,
): string | readonly string[] {
  return oneOrMany(resource) ?? oneOrMany(client?.audience ?? []) ?? settings.oauth.audience;
}

/** CLM-20, CLM-21, D40. A token made without a client has the audience of the access token. */
function idTokenAudience(client: UserAuthorization['client'], settings: Settings): string | readonly string[] {
  if (client === undefined) return settings.oauth.audience;
  const further = client.additional_audiences.filter((each) => each !== '' && each !== settings.oauth.audience);
  return oneOrMany([...new Set([client.client_id, ...further])]) ?? client.client_id;
}

function oneOrMany(values: readonly string[]): string | readonly string[] | undefined {
  return values.length > 1 ? values : values[0];
}

function addUnlessEmpty(claims: Claims, name: string, value: unknown): void {
  if (!isEmptyClaim(value)) claims[name] = value;
}
