// The full table of the three profiles: what each changes while every setting has its default.
import { expect } from 'chai';
import { profileReference } from '#build/documents/profile-reference.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { verifies } from '#test/support/verifies.ts';

const strict = {
  requirePkce: true,
  allowPlainPkce: false,
  refuseMalformedPkce: true,
  refuseUnexpectedVerifier: true,
  enforceScope: true,
  gateUserInfoByScope: true,
  enforceDevicePollingInterval: true,
  followUnlistedPostLogoutRedirect: false,
  lenientRedirectUris: false,
  allowOptionalClientSecret: false,
};

const tables = {
  dev: {
    ...Object.fromEntries(Object.entries(strict).map(([name, value]) => [name, !value])),
    enforceScope: true,
    allowPasswordGrant: true,
    rotateRefreshTokens: false,
    requireRegisteredRedirectUri: false,
    passwordHashing: false,
    rateLimitEnabled: false,
    debug: true,
    defaultCorsOrigins: 'any',
    allowCredentialsOfEveryOrigin: true,
    allowOptionalClientSecret: true,
  },
  'stricter-dev': {
    ...strict,
    allowPasswordGrant: true,
    rotateRefreshTokens: false,
    requireRegisteredRedirectUri: false,
    passwordHashing: true,
    rateLimitEnabled: true,
    debug: false,
    defaultCorsOrigins: 'loopback',
    allowCredentialsOfEveryOrigin: false,
  },
  oauth21: {
    ...strict,
    allowPasswordGrant: false,
    rotateRefreshTokens: true,
    requireRegisteredRedirectUri: true,
    passwordHashing: false,
    rateLimitEnabled: false,
    debug: true,
    defaultCorsOrigins: 'any',
    allowCredentialsOfEveryOrigin: false,
  },
};

describe('profile rules', () => {
  for (const [security_profile, table] of Object.entries(tables)) {
    verifies(['PRF-06', 'PRF-10', 'PRF-11', 'PRF-12', 'PRF-13'], `of ${security_profile} are complete`, () => {
      const { rules } = snapshotOf({ settings: { security_profile, server: { debug: true } } });
      expect(rules).to.deep.equal(table);
    });
  }

  verifies(
    ['PRF-01', 'PRF-05', 'PRF-08', 'PRF-13', 'PRF-14'],
    'are listed in docs/settings.md, with a row each',
    () => {
      const rows = profileReference().split('\n');
      expect(rows).to.have.length(2 + Object.keys(tables.oauth21).length);
      expect(rows).to.include.members([
        '| Rule | `dev` | `stricter-dev` | `oauth21` |',
        '| PKCE of confidential clients | as `oauth.require_pkce` | always | always |',
        '| Password grant | accepted | accepted | `unsupported_grant_type` |',
        '| Scopes are enforced | as `oauth.scope_enforcement` | always | always |',
        '| Origins that may call from a browser, if no list is declared | any | loopback | any |',
        '| Device that polls too fast | accepted | `slow_down` | `slow_down` |',
      ]);
    },
  );
});
