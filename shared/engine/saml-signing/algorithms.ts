// The supported XML signature algorithms, by their URIs. RSA only: a request with an HMAC or an unknown algorithm is
// rejected before anything is computed.
import type { C14nAlgorithm } from '#shared/model/configuration/settings/saml.ts';
import { digestMethodUris, signatureMethods } from '#shared/protocol/saml/signature-algorithms.ts';

export const canonicalizationUris: Readonly<Record<C14nAlgorithm, string>> = {
  exc_c14n: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  c14n: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
  c14n11: 'http://www.w3.org/2006/12/xml-c14n11',
};

export const envelopedSignatureUri = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

/** Signature algorithms that a request may use, with the digest each of them names. */
export const signatureDigests: ReadonlyMap<string, string> = new Map([
  [signatureMethods['rsa-sha256'].uri, 'sha256'],
  [signatureMethods['rsa-sha512'].uri, 'sha512'],
  [signatureMethods['rsa-sha1'].uri, 'sha1'],
]);

/** Digest algorithms that the Reference of a request may use. */
export const digestUris: ReadonlySet<string> = new Set([
  digestMethodUris.sha256,
  digestMethodUris.sha512,
  digestMethodUris.sha1,
]);
