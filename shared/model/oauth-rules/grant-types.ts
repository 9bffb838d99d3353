// The grants this server knows, by their wire names, and which of them a profile serves (DIS-09, DCR-05, GRT-14).
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { ProfileRules } from '#shared/model/configuration/profile-rules.ts';
import { offersImplicit } from './offered-responses.ts';

export const deviceCodeGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

const grantTypes = [
  'authorization_code',
  'client_credentials',
  'password',
  'refresh_token',
  deviceCodeGrantType,
] as const;

export type GrantType = (typeof grantTypes)[number];

/** Besides those of /token: what /authorize answers without it (SSO-53). */
const implicitGrantType = 'implicit';

/** What discovery lists and a registration may name. */
export function announcedGrantTypes({
  rules,
  settings,
}: Pick<ConfigurationSnapshot, 'rules' | 'settings'>): readonly string[] {
  return offersImplicit(settings) ? [...supportedGrantTypes(rules), implicitGrantType] : supportedGrantTypes(rules);
}

/** The grants in force under the profile, in the order discovery lists them. */
export function supportedGrantTypes(rules: Pick<ProfileRules, 'allowPasswordGrant'>): readonly GrantType[] {
  return rules.allowPasswordGrant ? grantTypes : grantTypes.filter((name) => name !== 'password');
}
