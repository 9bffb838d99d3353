// The effective issuer of a request (section ISS) and the beginnings of its published addresses (section ADR): fixed,
// or derived from the request's origin within the allowlist.
import type { Settings } from '#shared/model/configuration/settings.ts';
import { baseAddress, issuerBelow, issuerPath } from '#shared/protocol/oidc/issuer-address.ts';

type IssuerSettings = Pick<Settings['oauth'], 'issuer' | 'issuer_from_request' | 'issuer_allowlist'>;

/** The issuer of a namespace, and what its published addresses begin with. */
export interface ProviderAddresses {
  /** `iss` of tokens and `issuer` of discovery, with the trailing slash that the settings may have. */
  readonly issuer: string;
  /** Published addresses begin with it. It has no trailing slash. */
  readonly baseUrl: string;
  /** Published addresses that applications request directly begin with it (CAM-07). */
  readonly backchannelUrl: string;
  /** Precedes every path of the namespace: empty, or for example `/s/box`. */
  readonly prefix: string;
}

/** `origin` is the request's own, or undefined when it named no valid Host; then the fixed issuer is used (ISS-04). */
export function effectiveIssuer(oauth: IssuerSettings, origin: string | undefined): string {
  const { issuer, issuer_from_request, issuer_allowlist } = oauth;
  if (!issuer_from_request || origin === undefined) return issuer;
  // The comparison is literal: a Host in another spelling is another origin (ISS-03).
  if (issuer_allowlist.length > 0 && !issuer_allowlist.includes(origin)) return issuer;
  return origin + issuerPath(issuer);
}

/** The addresses of the namespace with that prefix, for a request with that origin. */
export function effectiveAddresses(
  oauth: IssuerSettings & Pick<Settings['oauth'], 'base_url' | 'backchannel_base_url'>,
  origin: string | undefined,
  prefix: string,
): ProviderAddresses {
  const issuer = effectiveIssuer(oauth, origin);
  const { base_url: declared } = oauth;
  const base = (declared === 'request' ? origin : declared) ?? baseAddress(issuer);
  return {
    issuer: issuerBelow(issuer, prefix),
    baseUrl: base + prefix,
    backchannelUrl: (oauth.backchannel_base_url ?? base) + prefix,
    prefix,
  };
}

/**
 * The address that devices show to people. A setting of its own replaces its base while the issuer follows the request
 * (ISS-10).
 */
export function deviceVerificationAddress(
  oauth: Pick<Settings['oauth'], 'issuer_from_request' | 'device_verification_base_url'>,
  { baseUrl, prefix }: Pick<ProviderAddresses, 'baseUrl' | 'prefix'>,
): string {
  if (!oauth.issuer_from_request || oauth.device_verification_base_url === undefined) return `${baseUrl}/device`;
  return `${oauth.device_verification_base_url}${prefix}/device`;
}
