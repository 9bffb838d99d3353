// The addresses of the endpoints that applications request directly (CAM-07).

/** The addresses that a client may use for such an endpoint: the published one, and the one below the base address. */
export function endpointAddresses(
  path: '/token' | '/userinfo' | '/par',
  { baseUrl, backchannelUrl }: { readonly baseUrl: string; readonly backchannelUrl: string },
): readonly string[] {
  return [...new Set([baseUrl, backchannelUrl])].map((base) => base + path);
}
