// Where the endpoints are that applications ask themselves (CAM-07).
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';

type Settings = Pick<ConfigurationSnapshot, 'settings'>;

/** Base of what discovery publishes for them. `prefix`: that of the namespace, which `issuer` ends with. */
export function backchannelBase({ settings }: Settings, issuer: string, prefix: string): string {
  const { backchannel_base_url } = settings.oauth;
  return backchannel_base_url === undefined ? issuer : backchannel_base_url + prefix;
}

/** What a client may call such an endpoint: as it is published, and as it lies below the issuer. */
export function endpointAddresses(
  path: '/token' | '/userinfo' | '/par',
  snapshot: Settings,
  issuer: string,
  prefix: string,
): readonly string[] {
  return [...new Set([issuer, backchannelBase(snapshot, issuer, prefix)])].map((base) => base + path);
}
