// The grants that discovery lists and a registration may name (DIS-09, DCR-05).
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { supportedGrantTypes } from './grants.ts';
import { offersImplicit } from './offered-responses.ts';

/** The grant for tokens that /authorize returns without /token (SSO-53). */
const implicitGrantType = 'implicit';

export function announcedGrantTypes(snapshot: Pick<ConfigurationSnapshot, 'rules' | 'settings'>): readonly string[] {
  const supported = supportedGrantTypes(snapshot);
  return offersImplicit(snapshot.settings) ? [...supported, implicitGrantType] : supported;
}
