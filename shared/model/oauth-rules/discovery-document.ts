// The discovery document of OpenID Connect and RFC 8414, derived from the settings, so that it matches the server's
// behaviour (section DIS). HTTP and the MCP tool get_oidc_discovery return the same object.

import { keyAuthMethod, tokenEndpointAuthMethods } from '#shared/model/configuration/client-authentication.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { acrValuesSupported } from '#shared/model/domain/authentication-context.ts';
import type { ResponseType } from '#shared/model/domain/authorization-request.ts';
import {
  assertionAlgorithms,
  dpopAlgorithms,
  requestObjectAlgorithms,
  signingAlgorithms,
} from '#shared/protocol/jose/signing-algorithms.ts';
import { sendsIssuerParameter } from '#shared/protocol/oidc/issuer-parameter.ts';
import { announcedGrantTypes } from './announced-grant-types.ts';
import { claimsSupported } from './claims-supported.ts';
import { type AddressBases, publishedEndpoints } from './endpoint-addresses.ts';
import { offeredResponseModes } from './offered-responses.ts';

type DiscoveryDocument = Readonly<Record<string, string | boolean | readonly string[]>>;

export function discoveryDocument(snapshot: ConfigurationSnapshot, addresses: AddressBases): DiscoveryDocument {
  const { issuer } = addresses;
  const published = publishedEndpoints(snapshot, addresses);
  const { settings, rules } = snapshot;
  const { oauth } = settings;
  // A list without values must be omitted (OIDC Discovery §4.2, RFC 8414 §3.2).
  const acrValues = acrValuesSupported(settings);
  const takesKeys = isFullRegistration(snapshot) || someClient(snapshot, takesKeyMethod);
  const methods = takesKeys ? [...tokenEndpointAuthMethods, keyAuthMethod] : tokenEndpointAuthMethods;
  const algorithms = (endpoint: string) =>
    takesKeys ? { [`${endpoint}_auth_signing_alg_values_supported`]: assertionAlgorithms } : {};
  return {
    issuer,
    authorization_endpoint: published.authorization,
    token_endpoint: published.token,
    userinfo_endpoint: published.userinfo,
    jwks_uri: published.jwks,
    introspection_endpoint: published.introspection,
    revocation_endpoint: published.revocation,
    end_session_endpoint: published.end_session,
    device_authorization_endpoint: published.device_authorization,
    ...pushedRequests(snapshot, published.pushed_authorization_request),
    ...(published.registration === undefined ? {} : { registration_endpoint: published.registration }),
    ...(oauth.scopes_supported.length > 0 ? { scopes_supported: oauth.scopes_supported } : {}),
    response_types_supported: [...new Set(oauth.response_types)].flatMap(inEitherOrder),
    response_modes_supported: offeredResponseModes(settings),
    grant_types_supported: announcedGrantTypes(snapshot),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [settings.jwt.algorithm],
    ...(isFullRegistration(snapshot) || someClient(snapshot, wantsSignedUserInfo)
      ? { userinfo_signing_alg_values_supported: signingAlgorithms }
      : {}),
    token_endpoint_auth_methods_supported: methods,
    ...algorithms('token_endpoint'),
    revocation_endpoint_auth_methods_supported: methods,
    ...algorithms('revocation_endpoint'),
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== 'none'),
    ...algorithms('introspection_endpoint'),
    ...(oauth.dpop === 'off' ? {} : { dpop_signing_alg_values_supported: dpopAlgorithms }),
    code_challenge_methods_supported: rules.allowPlainPkce ? ['plain', 'S256'] : ['S256'],
    claims_parameter_supported: true,
    ...(settings.login.session === 'on'
      ? {
          ...(acrValues.length > 0 ? { acr_values_supported: acrValues } : {}),
          backchannel_logout_supported: true,
          backchannel_logout_session_supported: true,
          frontchannel_logout_supported: true,
          frontchannel_logout_session_supported: true,
        }
      : {}),
    claims_supported: claimsSupported(snapshot),
    ...requestObjects(snapshot),
    authorization_response_iss_parameter_supported: sendsIssuerParameter(issuer),
    ...(oauth.client_id_metadata_documents.enabled ? { client_id_metadata_document_supported: true } : {}),
  };
}

/** A response type's parts may have any order, and some clients search for their own order. */
function inEitherOrder(type: ResponseType): readonly string[] {
  return type === 'id_token token' ? [type, 'token id_token'] : [type];
}

/** A pushed request's `request_uri` is usable even if other request_uris are not supported (RFC 9126 §5). */
function pushedRequests(
  { settings }: Pick<ConfigurationSnapshot, 'settings'>,
  address: string | undefined,
): DiscoveryDocument {
  const isRequired = settings.oauth.pushed_authorization_requests === 'required';
  return {
    ...(address === undefined ? {} : { pushed_authorization_request_endpoint: address }),
    ...(isRequired ? { require_pushed_authorization_requests: true } : {}),
  };
}

/** `request_uri` is only useful if the server may fetch from a host. */
function requestObjects({ settings: { oauth } }: Pick<ConfigurationSnapshot, 'settings'>): DiscoveryDocument {
  const areRead = oauth.request_objects === 'on';
  const areFetched = areRead && oauth.client_fetch.allowed_hosts.length > 0;
  return {
    request_parameter_supported: areRead,
    request_uri_parameter_supported: areFetched,
    ...(areFetched ? { require_request_uri_registration: true } : {}),
    ...(areRead ? { request_object_signing_alg_values_supported: ['none', ...requestObjectAlgorithms] } : {}),
  };
}

function isFullRegistration({ settings: { oauth } }: Pick<ConfigurationSnapshot, 'settings'>): boolean {
  return oauth.dynamic_registration.enabled && oauth.dynamic_registration.metadata === 'full';
}

function someClient({ clients }: Pick<ConfigurationSnapshot, 'clients'>, is: (client: Client) => boolean): boolean {
  return [...clients.values()].some(is);
}

function takesKeyMethod({ token_endpoint_auth_method }: Client): boolean {
  return token_endpoint_auth_method === keyAuthMethod;
}

function wantsSignedUserInfo({ userinfo_signed_response_alg }: Client): boolean {
  return userinfo_signed_response_alg !== undefined;
}
