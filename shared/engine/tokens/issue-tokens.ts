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
  const lifetime = lifetimeSeconds(options, deps);
  const frame = {
    ...newFrame(lifetime, `${family}.${tokenId(deps)}`, deps),
    ...(options.notBefore !== undefined && { notBefore: options.notBefore }),
  };
  const sign = (use: UnsignedToken['use'], claims: UnsignedToken['claims']) =>
    signer.signToken(unsignedToken(use, claims, key, typeOf(use, settings)), key);
  const { changes } = options;
  const accessClaims = accessTokenClaims(authorization, frame, settings, extra);
  const accessSigned = sign('access', changeClaims(accessClaims, changes?.accessToken));
  const refreshSigned =
    refresh === undefined || client === undefined
      ? undefined
      : sign('refresh', refreshTokenClaims(authorization, refresh, refreshFrame(refresh.place, deps), settings));
  const [accessToken, refreshToken] = await Promise.all([accessSigned, refreshSigned]);
  const idToken = scope.includes('openid')
    ? await sign(
        'id',
        changeClaims(
          idTokenClaims(
            loggedInBefore(authorization, frame, deps),
            { ...frame, jti: tokenId(deps) },
            settings,
            accessToken,
          ),
          changes?.idToken,
        ),
      )
    : undefined;
  return {
    access_token: accessToken,
    token_type: authorization.boundKey === undefined ? 'Bearer' : 'DPoP',
    expires_in: lifetime,
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
  const lifetime = lifetimeSeconds({ lifetimeMinutes: undefined }, deps);
  const frame = newFrame(lifetime, `${authorization.family}.${tokenId(deps)}`, deps);
  const sign = (use: UnsignedToken['use'], claims: UnsignedToken['claims']) =>
    signer.signToken(unsignedToken(use, claims, key, typeOf(use, settings)), key);
  const accessToken = withAccessToken
    ? await sign('access', accessTokenClaims(authorization, frame, settings, {}))
    : undefined;
  // With an access token UserInfo returns the claims of the scope, as in the code flow (OpenID Connect Core §5.4).
  const scopeClaims = withAccessToken ? undefined : true;
  const claims = idTokenClaims(authorization, { ...frame, jti: tokenId(deps) }, settings, accessToken, scopeClaims);
  return {
    ...(accessToken === undefined
      ? {}
      : {
          access_token: accessToken,
          token_type: 'Bearer',
          expires_in: lifetime,
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
  const lifetime = lifetimeSeconds(options, deps);
  const frame = newFrame(lifetime, tokenId(deps), deps);
  const claims = changeClaims(
    clientTokenClaims(authorization, frame, deps.snapshot.settings, extra),
    options.changes?.accessToken,
  );
  return {
    access_token: await signer.signToken(
      unsignedToken('access', claims, key, typeOf('access', deps.snapshot.settings)),
      key,
    ),
    token_type: authorization.boundKey === undefined ? 'Bearer' : 'DPoP',
    expires_in: lifetime,
    ...(scope.length > 0 ? { scope: scope.join(' ') } : {}),
  };
}

function typeOf(use: UnsignedToken['use'], { oauth }: Pick<Settings, 'oauth'>): TokenType {
  return use === 'access' ? oauth.access_token_typ : 'JWT';
}

function lifetimeSeconds(options: Pick<TokenOptions, 'lifetimeMinutes'>, { snapshot }: IssuingDependencies): number {
  return Math.round((options.lifetimeMinutes ?? snapshot.settings.oauth.token_expiry_minutes) * 60);
}

function newFrame(lifetime: number, jti: string, { issuer, clock, snapshot }: IssuingDependencies): TokenFrame {
  const now = epochSeconds(clock.now());
  const expiresAt = now + lifetime;
  const issuedAt = lifetime > 0 ? now : expiresAt - snapshot.settings.oauth.token_expiry_minutes * 60;
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

/** The `exp` parameter has no effect here (CLM-32). */
function refreshFrame(place: RefreshTokenPlace | undefined, deps: IssuingDependencies): TokenFrame {
  const jti = place === undefined ? tokenId(deps) : jtiOfRefreshToken(place);
  return newFrame(deps.snapshot.settings.oauth.refresh_token_expiry_minutes * 60, jti, deps);
}

/** 128 random bits, without a dot. */
function tokenId({ random }: IssuingDependencies): string {
  return random.token(16);
}

function hasMembers(value: Readonly<Record<string, unknown>>): boolean {
  for (const name in value) if (Object.hasOwn(value, name)) return true;
  return false;
}
