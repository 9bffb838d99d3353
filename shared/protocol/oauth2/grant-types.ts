// The grants this server knows, by their wire names, and which of them a profile serves (DIS-09, DCR-05, GRT-14).
import type { ProfileRules } from '#shared/configuration/profile-rules.ts';

export const deviceCodeGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

export const grantTypes = [
  'authorization_code',
  'client_credentials',
  'password',
  'refresh_token',
  deviceCodeGrantType,
] as const;

export type GrantType = (typeof grantTypes)[number];

/** The grants in force under the profile, in the order discovery lists them. */
export function supportedGrantTypes(rules: Pick<ProfileRules, 'allowPasswordGrant'>): readonly GrantType[] {
  return rules.allowPasswordGrant ? grantTypes : grantTypes.filter((name) => name !== 'password');
}
