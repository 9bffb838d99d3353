// The names of SAML 2.0, XML signature and SOAP 1.1 that this identity provider uses, and functions that create
// elements.
import { vocabulary } from './xml-element.ts';

export const protocolNamespace = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const assertionNamespace = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const metadataNamespace = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const signatureNamespace = 'http://www.w3.org/2000/09/xmldsig#';
export const encryptionNamespace = 'http://www.w3.org/2001/04/xmlenc#';
export const encryption11Namespace = 'http://www.w3.org/2009/xmlenc11#';
export const soapNamespace = 'http://schemas.xmlsoap.org/soap/envelope/';

/** Elements of the SAML protocol. */
export const saml2p = vocabulary('saml2p', protocolNamespace);
/** Elements of SAML assertions. */
export const saml2 = vocabulary('saml2', assertionNamespace);
/** Elements of SAML metadata. */
export const md = vocabulary('md', metadataNamespace);
/** Elements of XML signature. */
export const ds = vocabulary('ds', signatureNamespace);
/** Elements of XML encryption 1.0. */
export const xenc = vocabulary('xenc', encryptionNamespace);
/** Elements that XML encryption 1.1 added. */
export const xenc11 = vocabulary('xenc11', encryption11Namespace);

export const httpPostBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
export const httpRedirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const soapBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:SOAP';

/** The bindings that an assertion consumer service may have in metadata, by URI. */
export const assertionConsumerBindings: ReadonlyMap<
  string,
  'HTTP-POST' | 'HTTP-Redirect' | 'HTTP-Artifact' | 'SOAP' | 'PAOS'
> = new Map([
  [httpPostBinding, 'HTTP-POST'],
  [httpRedirectBinding, 'HTTP-Redirect'],
  ['urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact', 'HTTP-Artifact'],
  [soapBinding, 'SOAP'],
  ['urn:oasis:names:tc:SAML:2.0:bindings:PAOS', 'PAOS'],
]);

/** The supported bindings of single logout. */
export const logoutBindingNames: ReadonlyMap<string, 'HTTP-Redirect' | 'HTTP-POST' | 'SOAP'> = new Map([
  [httpRedirectBinding, 'HTTP-Redirect'],
  [httpPostBinding, 'HTTP-POST'],
  [soapBinding, 'SOAP'],
]);

/** The confirmation method of a Subject that a browser carries (SAML profiles §3.3). */
export const bearerConfirmation = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
