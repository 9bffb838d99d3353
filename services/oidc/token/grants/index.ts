// The grants of /token: exactly one for each row of shared/model/oauth-rules/grants.ts, enforced by the compiler. To
// add one, add a row there, a file in grants/ and a line here.
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { findGrant, type GrantType } from '#shared/model/oauth-rules/grants.ts';
import type { Grant } from '../grant.ts';
import { authorizationCodeGrant } from './authorization-code.ts';
import { clientCredentialsGrant } from './client-credentials.ts';
import { deviceCodeGrant } from './device-code.ts';
import { passwordGrant } from './password.ts';
import { refreshTokenGrant } from './refresh-token.ts';

const grants: { readonly [Type in GrantType]: Grant & { readonly type: Type } } = {
  authorization_code: authorizationCodeGrant,
  client_credentials: clientCredentialsGrant,
  password: passwordGrant,
  refresh_token: refreshTokenGrant,
  'urn:ietf:params:oauth:grant-type:device_code': deviceCodeGrant,
};

/** The grant of a grant_type as it was sent. undefined: an unknown grant. */
export function grantOf(type: string | undefined): Grant | undefined {
  const row = findGrant(type);
  return row && grants[row.type];
}

/** undefined: no served grant has this name (GRT-14). */
export function servedGrant(type: string, snapshot: Pick<ConfigurationSnapshot, 'rules'>): Grant | undefined {
  return findGrant(type)?.isServed?.(snapshot) === false ? undefined : grantOf(type);
}
