// Finds the registered service provider that sent a message, and applies its registration: keys, addresses, and the
// content of assertions (section SPM). All other senders are unregistered, and section SAM applies to them.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveServiceProvider } from '#shared/engine/identities/effective-identities.ts';
import { textOfValue, valuesFrom } from '#shared/engine/tokens/claims/claim-sources.ts';
import { type ClaimSubject, claimsInEffect } from '#shared/engine/tokens/claims/claims-in-effect.ts';
import type { ClaimSource } from '#shared/model/configuration/claim-source.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import { defaultConsumer, type ServiceProvider, usedConsumers } from '#shared/model/configuration/service-provider.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { withIndex } from '#shared/protocol/saml/indexed-endpoints.ts';
import { attributesOf, mappedAttributes, type SamlAttribute, textsOf } from './protocol/attributes.ts';
import type { AuthnRequest } from './protocol/authn-request.ts';
import { ssoRefused } from './sso/sso-refused.ts';

/**
 * undefined: unregistered, and unregistered service providers are accepted.
 * @throws SsoRefusedError while they are not (SPM-08).
 */
export async function registeredServiceProvider(
  issuer: string | undefined,
  { snapshot, store }: Pick<ProtocolContext, 'snapshot' | 'store'>,
): Promise<ServiceProvider | undefined> {
  const found = issuer === undefined ? undefined : await findEffectiveServiceProvider(snapshot, store, issuer);
  if (found === undefined && snapshot.settings.saml.unregistered === 'refuse') {
    throw ssoRefused(samlRefusals.service_provider_not_registered);
  }
  return found?.serviceProvider;
}

/**
 * The address for the response to a registered service provider (SPM-09).
 * @throws SsoRefusedError for an address or index that it does not have.
 */
export function registeredAcsUrl(
  { acs }: ServiceProvider,
  { acsUrl, acsIndex }: Pick<AuthnRequest, 'acsUrl' | 'acsIndex'>,
): string {
  const posted = usedConsumers(acs);
  if (acsUrl !== undefined && acsIndex !== undefined) throw ssoRefused(samlRefusals.acs_by_url_and_index);
  if (acsUrl !== undefined) {
    if (posted.some(({ url }) => url === acsUrl)) return acsUrl;
    throw ssoRefused(samlRefusals.acs_not_registered, { sent: acsUrl, registered: posted.map(({ url }) => url) });
  }
  if (acsIndex !== undefined) {
    const chosen = withIndex(posted, acsIndex);
    if (chosen !== undefined) return chosen.url;
    throw ssoRefused(samlRefusals.acs_index_unknown, { sent: acsIndex });
  }
  const byDefault = defaultConsumer(posted);
  if (byDefault === undefined) throw ssoRefused(samlRefusals.acs_not_declared);
  return byDefault.url;
}

/** A user with the values of one login. */
export interface LoggedInUser {
  readonly user: User;
  /** Typed for that login (PCL-18). An attribute query belongs to no login. */
  readonly login?: OwnClaims | undefined;
}

/** All attributes for an assertion or a query response, before the selection (SAM-40, SPM-13, SPM-16). */
export function attributesFor(
  { user, login }: LoggedInUser,
  serviceProvider: ServiceProvider | undefined,
  occasion: 'sso' | 'query',
  { snapshot: { settings } }: Pick<ProtocolContext, 'snapshot'>,
): readonly SamlAttribute[] {
  if (serviceProvider?.attributes === undefined) {
    return withTypedClaims(attributesOf(user, settings.saml, occasion), login);
  }
  const subject: ClaimSubject = { user, client: undefined, login };
  const claims = claimsInEffect(subject);
  return mappedAttributes(serviceProvider.attributes, (source) =>
    valuesFrom(source, subject, settings.authority_prefixes, claims),
  );
}

/** Claims that were typed for the login are further attributes. One of the same name stays as it is (LIN-07). */
function withTypedClaims(attributes: readonly SamlAttribute[], login: OwnClaims | undefined): readonly SamlAttribute[] {
  if (login === undefined) return attributes;
  const { standard, free } = claimsInEffect({ user: undefined, client: undefined, login });
  const names = new Set(attributes.map(({ name }) => name));
  const typed = Object.entries({ ...standard, ...free }).filter(([name]) => !names.has(name));
  return [...attributes, ...typed.map(([name, value]) => ({ name, values: textsOf(value) }))];
}

/** The only value that the user has at the source of the NameID. undefined: none, or several (SPM-12). */
export function nameIdValueOf(
  { user, login }: LoggedInUser,
  source: ClaimSource,
  { snapshot }: ProtocolContext,
): string | undefined {
  const values = valuesFrom(source, { user, client: undefined, login }, snapshot.settings.authority_prefixes);
  const [name] = values;
  return values.length === 1 ? textOfValue(name) : undefined;
}
