// The discovery document of OpenID Connect and RFC 8414, made from the settings, so that it says what the program does
// (section DIS). The same object is served over HTTP and by the MCP tool get_oidc_discovery.

import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';
import { tokenEndpointAuthMethods } from '#shared/configuration/model/client-entry.ts';
import { acrValuesSupported } from '#shared/domain/authentication-context.ts';
import { supportedGrantTypes } from '../oauth2/grant-types.ts';
import { claimsSupported } from './claims-supported.ts';
import { sendsIssuerParameter } from './issuer-parameter.ts';

export type DiscoveryDocument = Readonly<Record<string, string | boolean | readonly string[]>>;

/** `issuer` is the effective issuer, without trailing slash; `prefix` that of the namespace, which it ends with. */
export function discoveryDocument(snapshot: ConfigurationSnapshot, issuer: string, prefix = ''): DiscoveryDocument {
  const { settings, rules } = snapshot;
  const { oauth } = settings;
  const { backchannel_base_url } = oauth;
  const base = backchannel_base_url === undefined ? issuer : backchannel_base_url + prefix;
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${base}/token`,
    userinfo_endpoint: `${base}/userinfo`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    introspection_endpoint: `${base}/introspect`,
    revocation_endpoint: `${base}/revoke`,
    end_session_endpoint: `${issuer}/logout`,
    device_authorization_endpoint: `${base}/device_authorization`,
    ...(oauth.dynamic_registration.enabled ? { registration_endpoint: `${base}/register` } : {}),
    scopes_supported: oauth.scopes_supported,
    response_types_supported: ['code'],
    response_modes_supported: [...new Set(oauth.response_modes)],
    grant_types_supported: supportedGrantTypes(rules),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [settings.jwt.algorithm],
    token_endpoint_auth_methods_supported: tokenEndpointAuthMethods,
    revocation_endpoint_auth_methods_supported: tokenEndpointAuthMethods,
    introspection_endpoint_auth_methods_supported: tokenEndpointAuthMethods.filter((method) => method !== 'none'),
    code_challenge_methods_supported: rules.allowPlainPkce ? ['plain', 'S256'] : ['S256'],
    claims_parameter_supported: true,
    ...(settings.login.session === 'on'
      ? {
          acr_values_supported: acrValuesSupported(settings),
          backchannel_logout_supported: true,
          backchannel_logout_session_supported: true,
          frontchannel_logout_supported: true,
          frontchannel_logout_session_supported: true,
        }
      : {}),
    claims_supported: claimsSupported(snapshot),
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: sendsIssuerParameter(issuer),
    ...(oauth.client_id_metadata_documents.enabled ? { client_id_metadata_document_supported: true } : {}),
  };
}
