// The effective issuer of a request (section ISS): fixed, or derived from the request's origin within the allowlist.
import type { Settings } from '#shared/model/configuration/settings.ts';
import type { ProtocolContext } from './request.ts';

type IssuerSettings = Pick<
  Settings['oauth'],
  'issuer' | 'issuer_from_request' | 'issuer_allowlist' | 'device_verification_base_url'
>;

/** `origin` is the request's own, or undefined when it named no valid Host; then the fixed issuer is used (ISS-04). */
export function effectiveIssuer(oauth: IssuerSettings, origin: string | undefined): string {
  if (!oauth.issuer_from_request || origin === undefined) return oauth.issuer;
  // The comparison is literal: a Host in another spelling is another origin (ISS-03).
  if (oauth.issuer_allowlist.length > 0 && !oauth.issuer_allowlist.includes(origin)) return oauth.issuer;
  return origin;
}

/**
 * The address that devices show to people. A setting of its own replaces its base while the issuer follows the request
 * (ISS-10).
 */
export function deviceVerificationAddress(
  oauth: IssuerSettings,
  { issuer, path }: Pick<ProtocolContext, 'issuer' | 'path'>,
): string {
  if (!oauth.issuer_from_request || oauth.device_verification_base_url === undefined) return `${issuer}/device`;
  return oauth.device_verification_base_url.replace(/\/+$/, '') + path('/device');
}
