// The supported XML signature algorithms, by their URIs. RSA only: a request with an HMAC or an unknown algorithm is
// rejected before anything is computed.
import type { C14nAlgorithm } from '#shared/model/configuration/settings/saml.ts';
import { rsa } from '#shared/protocol/jose/kinds/rsa.ts';

export const canonicalizationUris: Readonly<Record<C14nAlgorithm, string>> = {
  exc_c14n: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  c14n: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
  c14n11: 'http://www.w3.org/2006/12/xml-c14n11',
};

export const envelopedSignatureUri = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const rsaSha256Uri = rsa.algorithm.xmlSignatureMethod;
export const sha256Uri = 'http://www.w3.org/2001/04/xmlenc#sha256';

/** Signature algorithms that a request may use, with the digest each of them names. */
export const signatureDigests: ReadonlyMap<string, string> = new Map([
  [rsaSha256Uri, 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'sha512'],
  ['http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'sha1'],
]);

/** Digest algorithms that the Reference of a request may use. */
export const digestUris: ReadonlySet<string> = new Set([
  sha256Uri,
  'http://www.w3.org/2001/04/xmlenc#sha512',
  'http://www.w3.org/2000/09/xmldsig#sha1',
]);
