// The supported canonicalizations of XML signatures, by their URIs.
import type { C14nAlgorithm } from '#shared/model/configuration/settings/saml.ts';

export const canonicalizationUris: Readonly<Record<C14nAlgorithm, string>> = {
  exc_c14n: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  c14n: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
  c14n11: 'http://www.w3.org/2006/12/xml-c14n11',
};

export const envelopedSignatureUri = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
