// The published addresses of the endpoints. Applications request some of them directly (CAM-07).
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { baseAddress } from '#shared/protocol/oidc/issuer-address.ts';

/** The issuer, and what published addresses begin with. Only the issuer may end with a slash. */
export interface AddressBases {
  readonly issuer: string;
  readonly baseUrl: string;
  readonly backchannelUrl: string;
}

/**
 * The addresses that a client may use for such an endpoint: the published ones, and the one below the issuer, which a
 * client may know without discovery.
 */
export function endpointAddresses(
  path: '/token' | '/userinfo' | '/par',
  { issuer, baseUrl, backchannelUrl }: AddressBases,
): readonly string[] {
  return [...new Set([baseAddress(issuer), baseUrl, backchannelUrl])].map((base) => base + path);
}

/** The published addresses by endpoint. Registration and pushed requests have one only while they are enabled. */
export function publishedEndpoints(
  { settings }: Pick<ConfigurationSnapshot, 'settings'>,
  { baseUrl, backchannelUrl: base }: AddressBases,
) {
  const { dynamic_registration, pushed_authorization_requests } = settings.oauth;
  return {
    discovery: `${baseUrl}/.well-known/openid-configuration`,
    authorization: `${baseUrl}/authorize`,
    token: `${base}/token`,
    userinfo: `${base}/userinfo`,
    jwks: `${base}/.well-known/jwks.json`,
    introspection: `${base}/introspect`,
    revocation: `${base}/revoke`,
    end_session: `${baseUrl}/logout`,
    device_authorization: `${base}/device_authorization`,
    registration: dynamic_registration.enabled ? `${base}/register` : undefined,
    pushed_authorization_request: pushed_authorization_requests === 'off' ? undefined : `${base}/par`,
  };
}
