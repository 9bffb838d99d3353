// The encryption algorithms by their identifiers in XML Encryption 1.1 (ENC-02, ENC-09), and which of those in metadata
// are used (ENC-04).

import type { EncryptionMethods } from '#shared/model/configuration/service-provider.ts';
import type {
  ContentCipher,
  EncryptionDigest,
  KeyTransport,
} from '#shared/model/configuration/service-provider-entry.ts';
import { attributeValue, childElements, type XmlElement } from '#shared/protocol/saml/xml-element.ts';

export const contentUris: Readonly<Record<ContentCipher, string>> = {
  'aes256-gcm': 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'aes128-gcm': 'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'aes256-cbc': 'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
  'aes128-cbc': 'http://www.w3.org/2001/04/xmlenc#aes128-cbc',
};

export const keyTransportUris: Readonly<Record<KeyTransport, string>> = {
  'rsa-oaep-mgf1p': 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
  'rsa-oaep': 'http://www.w3.org/2009/xmlenc11#rsa-oaep',
  'rsa-1_5': 'http://www.w3.org/2001/04/xmlenc#rsa-1_5',
};

export const digestMethodUris: Readonly<Record<EncryptionDigest, string>> = {
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
};

export const mgfUris: Readonly<Record<EncryptionDigest, string>> = {
  sha1: 'http://www.w3.org/2009/xmlenc11#mgf1sha1',
  sha256: 'http://www.w3.org/2009/xmlenc11#mgf1sha256',
  sha512: 'http://www.w3.org/2009/xmlenc11#mgf1sha512',
};

/** The name of the algorithm with an identifier. */
export function namedBy<Name extends string>(
  uris: Readonly<Record<Name, string>>,
  uri: string | undefined,
): Name | undefined {
  for (const name in uris) if (uris[name] === uri) return name;
  return undefined;
}

/** The CBC modes and rsa-1_5 are never used only because metadata names them (ENC-03). */
const weak: ReadonlySet<string> = new Set(['aes256-cbc', 'aes128-cbc', 'rsa-1_5']);

/** The first supported content cipher and the first supported key transport of md:EncryptionMethod elements. */
export function methodsNamed(elements: readonly XmlElement[]): Partial<EncryptionMethods> | undefined {
  const named = elements.map((element) => ({ element, uri: attributeValue(element, 'Algorithm') }));
  const first = <Name extends string>(uris: Readonly<Record<Name, string>>) =>
    named
      .map(({ element, uri }) => ({ element, name: namedBy(uris, uri) }))
      .find(({ name }) => name !== undefined && !weak.has(name));
  const content = first(contentUris);
  const key = first(keyTransportUris);
  if (content === undefined && key === undefined) return undefined;
  const below = (local: string) => {
    const child = key && childElements(key.element).find((each) => each.local === local);
    return child && attributeValue(child, 'Algorithm');
  };
  const digest = namedBy(digestMethodUris, below('DigestMethod'));
  const mgf = key?.name === 'rsa-oaep' ? namedBy(mgfUris, below('MGF')) : undefined;
  return {
    ...(content?.name === undefined ? {} : { content: content.name }),
    ...(key?.name === undefined ? {} : { key: key.name }),
    ...(digest === undefined ? {} : { digest }),
    ...(mgf === undefined ? {} : { mgf }),
  };
}
