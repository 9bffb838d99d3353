// The grants of /token: one for each row of shared/model/oauth-rules/grants.ts, else it does not compile. A further one is a
// row there, a file in grants/ and a line here.
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

/** The grant of a grant_type as it was sent; undefined: this server has none of that name. */
export function grantOf(type: string | undefined): Grant | undefined {
  const row = findGrant(type);
  return row && grants[row.type];
}

/** undefined: none of that name is served now (GRT-14). */
export function servedGrant(type: string, snapshot: Pick<ConfigurationSnapshot, 'rules'>): Grant | undefined {
  return findGrant(type)?.isServed?.(snapshot) === false ? undefined : grantOf(type);
}
