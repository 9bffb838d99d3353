// `claims_supported` of the discovery document: the claims that the server always supports, and configured ones
// (DIS-08, PCL-27).

import { type ClaimMapping, claimPath } from '#shared/model/configuration/claim-mapping.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { isTotpInEffect } from '#shared/model/domain/totp-in-effect.ts';

export function claimsSupported({ settings, users, clients }: ConfigurationSnapshot): readonly string[] {
  const names = new Set([
    ...['sub', 'iss', 'aud', 'azp', 'exp', 'iat', 'nbf', 'auth_time', 'nonce', 'at_hash'],
    ...(isTotpInEffect(settings) ? ['amr'] : []),
    ...(settings.login.session === 'on' ? ['acr', 'sid'] : []),
    ...['email', 'email_verified', 'preferred_username'],
    ...['roles', 'groups', 'tenant', 'identity_class', 'entitlements', 'attributes'],
  ]);
  for (const entry of [...users.values(), ...clients.values()]) {
    for (const name of Object.keys(entry.claims)) names.add(name);
  }
  for (const mapping of settings.claim_mappings) {
    const [name = ''] = claimPath(mapping);
    if (mapping.as !== 'omit' && placesOfPeople.some((place) => mapping.in.includes(place))) names.add(name);
  }
  for (const name of names) if (isTakenAway(name, settings.claim_mappings)) names.delete(name);
  return [...names];
}

/**
 * Clients do not read access tokens, so claims that only they contain are no claims about a user (OIDC Discovery §3).
 */
const placesOfPeople = ['id_token', 'userinfo'] as const;

/** Whether mappings remove the whole claim from all users' ID tokens and UserInfo. */
function isTakenAway(name: string, mappings: readonly ClaimMapping[]): boolean {
  const omitting = mappings.filter((mapping) => {
    const [outermost, ...below] = claimPath(mapping);
    const ofEverybody = mapping.clients === undefined && mapping.scope === undefined;
    return mapping.as === 'omit' && outermost === name && below.length === 0 && ofEverybody;
  });
  return placesOfPeople.every((place) => omitting.some((mapping) => mapping.in.includes(place)));
}
