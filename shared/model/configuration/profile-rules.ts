// What the three security profiles change (PRF-01 to PRF-15), computed once per snapshot. Code reads the rule and never
// compares the profile's name.
import type { Settings } from './settings.ts';

export interface ProfileRules {
  /** A confidential client must send a code_challenge (PRF-01). */
  readonly requirePkce: boolean;
  readonly allowPlainPkce: boolean;
  /** A code_challenge or code_verifier outside the grammar of RFC 7636 is rejected. Otherwise it is only logged. */
  readonly refuseMalformedPkce: boolean;
  /** A code_verifier for a code without challenge is rejected (PRF-04). */
  readonly refuseUnexpectedVerifier: boolean;
  readonly allowPasswordGrant: boolean;
  /** A client with an optional secret may leave it out (CLS-08). */
  readonly allowOptionalClientSecret: boolean;
  /** Rotation for confidential clients. Public clients always rotate (PRF-06, REF-14). */
  readonly rotateRefreshTokens: boolean;
  readonly requireRegisteredRedirectUri: boolean;
  /** Ports of localhost, schemes without a period and patterns, as many providers accept them (RDU-01, RDU-02, RDU-05). */
  readonly lenientRedirectUris: boolean;
  readonly enforceScope: boolean;
  /** Standard claims at /userinfo need their scope (PRF-09, PCL-06). */
  readonly gateUserInfoByScope: boolean;
  readonly passwordHashing: boolean;
  readonly rateLimitEnabled: boolean;
  readonly debug: boolean;
  /** Which origins may call from a browser when no list is declared (PRF-13). */
  readonly defaultCorsOrigins: 'any' | 'loopback';
  /** Endpoints that read no cookie accept a browser's credentials from every origin that `*` covers (CRS-01). */
  readonly allowCredentialsOfEveryOrigin: boolean;
  readonly enforceDevicePollingInterval: boolean;
  readonly followUnlistedPostLogoutRedirect: boolean;
}

export function profileRules(settings: Settings): ProfileRules {
  const dev = settings.security_profile === 'dev';
  const stricter = settings.security_profile === 'stricter-dev';
  const oauth21 = settings.security_profile === 'oauth21';
  return {
    requirePkce: !dev || settings.oauth.require_pkce,
    allowPlainPkce: dev,
    refuseMalformedPkce: !dev,
    refuseUnexpectedVerifier: !dev,
    allowPasswordGrant: !oauth21,
    allowOptionalClientSecret: dev,
    rotateRefreshTokens: oauth21 || settings.oauth.refresh_token_rotation,
    requireRegisteredRedirectUri: oauth21,
    lenientRedirectUris: dev,
    enforceScope: !dev || settings.oauth.scope_enforcement,
    gateUserInfoByScope: !dev || settings.oauth.userinfo_by_scope,
    passwordHashing: stricter,
    rateLimitEnabled: stricter || settings.rate_limit_enabled,
    debug: stricter ? false : settings.server.debug,
    defaultCorsOrigins: stricter ? 'loopback' : 'any',
    allowCredentialsOfEveryOrigin: dev,
    enforceDevicePollingInterval: !dev,
    followUnlistedPostLogoutRedirect: dev,
  };
}
