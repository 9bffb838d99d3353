import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { namesHost } from '#shared/protocol/oauth2/unrepaired-uri.ts';
import type { VerifiedAuthnRequest } from '../protocol/verified-authn-request.ts';
import { registeredAcsUrl } from '../registered-service-provider.ts';
import { ssoRefused } from './sso-refused.ts';

/**
 * The address for the Response. For an unregistered service provider: the address in the request, else the configured
 * one (SAM-20, SAM-21).
 * @throws SsoRefusedError when there is no usable address
 */
export function acsUrlOf(
  received: VerifiedAuthnRequest,
  serviceProvider: ServiceProvider | undefined,
  context: ProtocolContext,
): string {
  if (serviceProvider !== undefined) return registeredAcsUrl(serviceProvider, received);
  const acsUrl = received.acsUrl ?? context.snapshot.settings.saml.default_acs_url;
  if (acsUrl === '') {
    throw ssoRefused(samlRefusals.assertion_consumer_service_missing);
  }
  if (!namesHost(acsUrl) || !URL.canParse(acsUrl)) {
    throw ssoRefused(samlRefusals.assertion_consumer_service_wrong);
  }
  return acsUrl;
}
