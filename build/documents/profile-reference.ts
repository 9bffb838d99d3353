// The table of security profiles in docs/settings.md. The texts are here, the values come from profile-rules.ts.
import { type ProfileRules, profileRules } from '#shared/model/configuration/profile-rules.ts';
import { securityProfiles, settingsModel } from '#shared/model/configuration/settings.ts';

type Rule = keyof ProfileRules;

interface RuleText<Value> {
  readonly about: string;
  readonly says: (value: Value) => string;
  /** Section and key of the setting that decides if a profile does not. */
  readonly setting?: readonly string[];
}

const either = (ifSo: string, ifNot: string) => (value: boolean) => (value ? ifSo : ifNot);

const needed = either('always', 'no');

const ruleTexts: { readonly [Name in Rule]: RuleText<ProfileRules[Name]> } = {
  requirePkce: { about: 'PKCE of confidential clients', says: needed, setting: ['oauth', 'require_pkce'] },
  allowPlainPkce: {
    about: '`code_challenge_method=plain` of confidential clients',
    says: either('accepted', 'rejected'),
  },
  refuseMalformedPkce: {
    about: '`code_challenge` or `code_verifier` outside the grammar of RFC 7636',
    says: either('rejected', 'logged'),
  },
  refuseUnexpectedVerifier: {
    about: '`code_verifier` for a code without `code_challenge`',
    says: either('rejected', 'ignored'),
  },
  allowPasswordGrant: { about: 'Password grant', says: either('accepted', '`unsupported_grant_type`') },
  allowOptionalClientSecret: {
    about: '`token_endpoint_auth_method: client_secret_optional`',
    says: either('accepted', 'fails the load'),
  },
  rotateRefreshTokens: {
    about: 'Rotation of refresh tokens of confidential clients',
    says: needed,
    setting: ['oauth', 'refresh_token_rotation'],
  },
  requireRegisteredRedirectUri: {
    about: 'Client without `redirect_uris` at /authorize',
    says: either('rejected', 'accepted'),
  },
  lenientRedirectUris: {
    about: 'Redirect URIs: any port of `http://localhost`, private-use schemes without a period, patterns',
    says: either('accepted', 'rejected'),
  },
  enforceScope: { about: 'Scopes are enforced', says: needed, setting: ['oauth', 'scope_enforcement'] },
  gateUserInfoByScope: {
    about: 'Standard claims at /userinfo need their scope',
    says: needed,
    setting: ['oauth', 'userinfo_by_scope'],
  },
  passwordHashing: {
    about: 'Stored passwords',
    says: either(
      'bcrypt hashes. Others are plain text with a warning, or rejected with `session.enforce_password_check`',
      'plain text, except for bcrypt hashes',
    ),
  },
  rateLimitEnabled: { about: 'Rate limit', says: either('always', 'off'), setting: ['rate_limit_enabled'] },
  debug: { about: 'Debugging', says: either('always', 'off'), setting: ['server', 'debug'] },
  defaultCorsOrigins: {
    about: 'Origins that may call from a browser, if no list is declared',
    says: (origins) => (origins === 'any' ? 'any' : 'loopback'),
  },
  allowCredentialsOfEveryOrigin: {
    about: 'Credentials of a browser from an origin that only `*` covers, at endpoints that read no cookie',
    says: either('accepted', 'not accepted'),
  },
  enforceDevicePollingInterval: { about: 'Device that polls too fast', says: either('`slow_down`', 'accepted') },
  followUnlistedPostLogoutRedirect: {
    about: '`post_logout_redirect_uri` of a client that registered none',
    says: either('followed', 'not followed'),
  },
};

/** A table with a column for each profile. */
export function profileReference(): string {
  const head = ['Rule', ...securityProfiles.map((profile) => `\`${profile}\``)];
  const rows = Object.keys(ruleTexts).map((name) => rowOf(name as Rule));
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function rowOf<Name extends Rule>(name: Name): readonly string[] {
  const { about, says, setting }: RuleText<ProfileRules[Name]> = ruleTexts[name];
  const cells = securityProfiles.map((security_profile) => {
    const valueWith = (settings: object) => profileRules(settingsModel.parse({ ...settings, security_profile }))[name];
    const isOpen = setting !== undefined && valueWith(nested(setting, false)) !== valueWith(nested(setting, true));
    return isOpen ? `as \`${setting.join('.')}\`` : says(valueWith({}));
  });
  return [about, ...cells];
}

function nested([name = '', ...rest]: readonly string[], value: boolean): Record<string, unknown> {
  return { [name]: rest.length === 0 ? value : nested(rest, value) };
}
