// An EncryptedID in the form of xmlsec and libraries based on it: the prefix of the encrypted element is declared only on
// the message.
import { encryptedData } from '#services/saml/encryption/encrypt-element.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { writeDocument } from '#shared/protocol/saml/xml/write-xml.ts';
import { vocabulary } from '#shared/protocol/saml/xml-element.ts';
import { namespaces } from './service-provider.ts';

/** For a message that declares the prefix `saml`. */
export function encryptedInContext(name: string, certificatePem: string): string {
  const nameId = vocabulary('saml', namespaces.assertion)('NameID', {}, [name]);
  const methods = {
    content: 'aes256-gcm',
    key: 'rsa-oaep-mgf1p',
    digest: 'sha1',
    mgf: 'sha1',
    key_place: 'inside',
  } as const;
  const recipient = { certificatePem, methods, recipient: '' };
  const data = encryptedData(nameId, new Map(), recipient, systemRandomness);
  return `<saml:EncryptedID>${data.map(writeDocument).join('')}</saml:EncryptedID>`;
}
