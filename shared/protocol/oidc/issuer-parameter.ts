// RFC 9207: when the authorization response names its issuer.

/**
 * Whether the `iss` response parameter is sent. It is sent only for an https issuer with a host and without query or
 * fragment, as RFC 9207 §2 requires of an issuer identifier (ISS-12, DIS-13).
 */
export function sendsIssuerParameter(issuer: string): boolean {
  if (!URL.canParse(issuer) || issuer.includes('?') || issuer.includes('#')) return false;
  const url = new URL(issuer);
  return url.protocol === 'https:' && url.hostname !== '';
}
