// From an authorization to the token response. One signing key signs all tokens of a response. The refresh token is
// signed in parallel with the access token, the ID token after it because of `at_hash` (TOK-18 to TOK-20).
import { type Clock, epochSeconds, instant } from '#shared/base/clock.ts';
import type { Randomness } from '#shared/base/random.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { jtiOfRefreshToken, type RefreshTokenPlace } from '#shared/model/domain/refresh-family.ts';
import type { ClientAuthorization, TokenOptions, TokenSet, UserAuthorization } from './authorization.ts';
import { changeClaims } from './claim-changes.ts';
import { checkExtraClaims } from './extra-claims.ts';
import type { Signer } from './signer.ts';
import {
  accessTokenClaims,
  clientTokenClaims,
  idTokenClaims,
  refreshTokenClaims,
  type TokenFrame,
} from './token-claims.ts';
import { type TokenLifetimes, tokenLifetimes } from './token-lifetimes.ts';
import { type TokenType, type UnsignedToken, unsignedToken } from './write-token.ts';

interface IssuingDependencies {
  readonly snapshot: ConfigurationSnapshot;
  /** The effective issuer of the request, without trailing slash. */
  readonly issuer: string;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Randomness;
}

/**
 * Tokens of a user. The access token's jti is `<family>.<random>`, so that revoking the family covers it without a row
 * in the store. The scope `openid` adds an ID token. A refresh token is issued if the authorization provides for one.
 * @throws OAuthError when options.extra names a refused claim (TOK-17).
 */
export async function issueUserTokens(
  authorization: UserAuthorization,
  options: TokenOptions,
  deps: IssuingDependencies,
): Promise<TokenSet> {
  const { settings } = deps.snapshot;
  const { scope, family, client, refresh } = authorization;
  const extra = hasMembers(options.extra) ? checkExtraClaims(options.extra) : options.extra;
  const { signer } = deps;
  const key = await signer.signingKey();
  const configured = tokenLifetimes(settings, client);
  const lifetimes = withOwnLifetime(configured, options);
  const frameOf = (use: 'access' | 'id', jti: string) => ({
    ...newFrame(lifetimes[use], jti, configured[use], deps),
    ...(options.notBefore !== undefined && { notBefore: options.notBefore }),
  });
  const frame = frameOf('access', `${family}.${tokenId(deps)}`);
  const sign = (use: UnsignedToken['use'], claims: UnsignedToken['claims']) =>
    signer.signToken(unsignedToken(use, claims, key, typeOf(use, settings)), key);
  const { changes } = options;
  const accessClaims = accessTokenClaims(authorization, frame, settings, extra);
  const accessSigned = sign('access', changeClaims(accessClaims, changes?.accessToken));
  const refreshSigned =
    refresh === undefined || client === undefined
      ? undefined
      : sign(
          'refresh',
          refreshTokenClaims(authorization, refresh, refreshFrame(refresh.place, lifetimes, deps), settings),
        );
  const [accessToken, refreshToken] = await Promise.all([accessSigned, refreshSigned]);
  const idClaims = () => {
    const idFrame = frameOf('id', tokenId(deps));
    return idTokenClaims(loggedInBefore(authorization, idFrame, deps), idFrame, settings, accessToken);
  };
  const idToken = scope.includes('openid') ? await sign('id', changeClaims(idClaims(), changes?.idToken)) : undefined;
  return {
    access_token: accessToken,
    token_type: authorization.boundKey === undefined ? 'Bearer' : 'DPoP',
    expires_in: lifetimes.access,
    ...(scope.length > 0 ? { scope: scope.join(' ') } : {}),
    ...(idToken === undefined ? {} : { id_token: idToken }),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  };
}

/**
 * The response of the implicit flow: an ID token with the claims of the scope, and an access token if one was requested
 * (OIDC Core §3.2, SSO-53).
 */
export async function issueImplicitTokens(
  authorization: UserAuthorization,
  withAccessToken: boolean,
  deps: IssuingDependencies,
): Promise<Partial<Omit<TokenSet, 'refresh_token'>>> {
  const { settings } = deps.snapshot;
  const { signer } = deps;
  const key = await signer.signingKey();
  const lifetimes = tokenLifetimes(settings, authorization.client);
  const frame = newFrame(lifetimes.access, `${authorization.family}.${tokenId(deps)}`, lifetimes.access, deps);
  const idFrame = newFrame(lifetimes.id, tokenId(deps), lifetimes.id, deps);
  const sign = (use: UnsignedToken['use'], claims: UnsignedToken['claims']) =>
    signer.signToken(unsignedToken(use, claims, key, typeOf(use, settings)), key);
  const accessToken = withAccessToken
    ? await sign('access', accessTokenClaims(authorization, frame, settings, {}))
    : undefined;
  // With an access token UserInfo returns the claims of the scope, as in the code flow (OpenID Connect Core §5.4).
  const scopeClaims = withAccessToken ? undefined : true;
  const claims = idTokenClaims(authorization, idFrame, settings, accessToken, scopeClaims);
  return {
    ...(accessToken === undefined
      ? {}
      : {
          access_token: accessToken,
          token_type: 'Bearer',
          expires_in: lifetimes.access,
          scope: authorization.scope.join(' '),
        }),
    id_token: await sign('id', claims),
  };
}

/** Only the client's own access token (GRT-16). @throws OAuthError as above. */
export async function issueClientToken(
  authorization: ClientAuthorization,
  options: TokenOptions,
  deps: IssuingDependencies,
): Promise<TokenSet> {
  const { scope } = authorization;
  const extra = hasMembers(options.extra) ? checkExtraClaims(options.extra) : options.extra;
  const { signer } = deps;
  const key = await signer.signingKey();
  const { settings } = deps.snapshot;
  const configured = tokenLifetimes(settings, authorization.client);
  const lifetime = withOwnLifetime(configured, options).access;
  const frame = newFrame(lifetime, tokenId(deps), configured.access, deps);
  const claims = changeClaims(clientTokenClaims(authorization, frame, settings, extra), options.changes?.accessToken);
  return {
    access_token: await signer.signToken(unsignedToken('access', claims, key, typeOf('access', settings)), key),
    token_type: authorization.boundKey === undefined ? 'Bearer' : 'DPoP',
    expires_in: lifetime,
    ...(scope.length > 0 ? { scope: scope.join(' ') } : {}),
  };
}

function typeOf(use: UnsignedToken['use'], { oauth }: Pick<Settings, 'oauth'>): TokenType {
  return use === 'access' ? oauth.access_token_typ : 'JWT';
}

/** The `exp` parameter decides for access and ID token. It has no effect on refresh tokens (CLM-32). */
function withOwnLifetime(
  configured: TokenLifetimes,
  { lifetimeMinutes }: Pick<TokenOptions, 'lifetimeMinutes'>,
): TokenLifetimes {
  if (lifetimeMinutes === undefined) return configured;
  const seconds = Math.round(lifetimeMinutes * 60);
  return { ...configured, access: seconds, id: seconds };
}

/** `configured`: the lifetime of a token that has expired before now. */
function newFrame(
  lifetime: number,
  jti: string,
  configured: number,
  { issuer, clock }: IssuingDependencies,
): TokenFrame {
  const now = epochSeconds(clock.now());
  const expiresAt = now + lifetime;
  const issuedAt = lifetime > 0 ? now : expiresAt - configured;
  return { issuer, issuedAt, expiresAt, jti };
}

/** An ID token cannot be older than its login, so one that expired long ago moves the login time with it (API-19). */
function loggedInBefore(
  authorization: UserAuthorization,
  { issuedAt }: TokenFrame,
  { clock }: IssuingDependencies,
): UserAuthorization {
  const isPast = issuedAt < epochSeconds(clock.now());
  const authenticatedAt = instant(Math.min(authorization.authenticatedAt, issuedAt * 1000));
  return isPast ? { ...authorization, authenticatedAt } : authorization;
}

function refreshFrame(
  place: RefreshTokenPlace | undefined,
  { refresh }: TokenLifetimes,
  deps: IssuingDependencies,
): TokenFrame {
  return newFrame(refresh, place === undefined ? tokenId(deps) : jtiOfRefreshToken(place), refresh, deps);
}

/** 128 random bits, without a dot. */
function tokenId({ random }: IssuingDependencies): string {
  return random.token(16);
}

function hasMembers(value: Readonly<Record<string, unknown>>): boolean {
  for (const name in value) if (Object.hasOwn(value, name)) return true;
  return false;
}
