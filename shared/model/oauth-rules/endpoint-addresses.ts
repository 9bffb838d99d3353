// The addresses of the endpoints that applications request directly (CAM-07).
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';

type Settings = Pick<ConfigurationSnapshot, 'settings'>;

/** The base of their published addresses. `prefix`: the namespace's prefix, with which `issuer` ends. */
export function backchannelBase({ settings }: Settings, issuer: string, prefix: string): string {
  const { backchannel_base_url } = settings.oauth;
  return backchannel_base_url === undefined ? issuer : backchannel_base_url + prefix;
}

/** The addresses that a client may use for such an endpoint: the published one, and the one below the issuer. */
export function endpointAddresses(
  path: '/token' | '/userinfo' | '/par',
  snapshot: Settings,
  issuer: string,
  prefix: string,
): readonly string[] {
  return [...new Set([issuer, backchannelBase(snapshot, issuer, prefix)])].map((base) => base + path);
}
