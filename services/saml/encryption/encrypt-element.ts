// Encrypts an element of a tree, with a new content key and IV each time, and the key wrapped for one certificate (XML
// Encryption 1.1 §3, §5; ENC-05 to ENC-09). The element is encrypted as a standalone document with the namespaces
// around it, so that a signature in it can be verified after decryption.
import { createCipheriv, type KeyObject, X509Certificate } from 'node:crypto';
import type { SamlEncryption } from '#shared/engine/exchange/saml-answer.ts';
import type { EncryptionMethods } from '#shared/model/configuration/service-provider.ts';
import { certificateBase64 } from '#shared/protocol/saml/certificate-base64.ts';
import { freshIdentifier } from '#shared/protocol/saml/identifiers.ts';
import {
  ds,
  encryption11Namespace,
  encryptionNamespace,
  signatureNamespace,
  xenc,
  xenc11,
} from '#shared/protocol/saml/vocabulary.ts';
import { writeDocument } from '#shared/protocol/saml/xml/write-xml.ts';
import {
  declaring,
  type NamespaceScope,
  withInheritedNamespaces,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import {
  contentUris,
  digestMethodUris,
  keyTransportUris,
  mgfUris,
} from '#shared/state/configuration/service-providers/encryption-methods.ts';
import { encryptOaep, encryptPkcs1 } from './rsa-oaep.ts';

type Recipient = Omit<SamlEncryption, 'parts'>;

export interface RandomBytes {
  bytes(length: number): Buffer;
}

const elementType = 'http://www.w3.org/2001/04/xmlenc#Element';
const encryptedKeyType = 'http://www.w3.org/2001/04/xmlenc#EncryptedKey';

/**
 * The EncryptedData, and behind it the EncryptedKey if that is not inside (SRE-11). `inherited`: the namespaces in
 * scope at the element's position.
 */
export function encryptedData(
  element: XmlElement,
  inherited: NamespaceScope,
  recipient: Recipient,
  random: RandomBytes,
): readonly XmlElement[] {
  const {
    methods,
    certificatePem,
    tampered = (cipher: Buffer) => cipher,
    written = (text: string) => text,
  } = recipient;
  const declared = recipient.declaredContent ?? contentUris[methods.content];
  const contentKey = random.bytes(methods.content.startsWith('aes256') ? 32 : 16);
  const prefixed = new Map([...inherited].filter(([prefix]) => prefix !== ''));
  const plain = Buffer.from(written(writeDocument(withInheritedNamespaces(element, prefixed))), 'utf8');
  const content = tampered(encryptContent(plain, contentKey, methods.content, random));
  const wrapped = wrapKey(contentKey, publicKeyOf(certificatePem), methods, random);
  const isBeside = methods.key_place === 'beside';
  const [dataId, keyId] = isBeside ? [freshIdentifier(random), freshIdentifier(random)] : [];
  const encryptedKey = xenc('EncryptedKey', { Id: keyId, Recipient: isBeside ? recipient.recipient : undefined }, [
    keyTransportMethod(methods),
    ds('KeyInfo', {}, [ds('X509Data', {}, [ds('X509Certificate', {}, [certificateBase64(certificatePem)])])]),
    cipherData(wrapped),
    isBeside ? xenc('ReferenceList', {}, [xenc('DataReference', { URI: `#${dataId}` })]) : undefined,
  ]);
  const keyOrItsPlace = isBeside ? ds('RetrievalMethod', { Type: encryptedKeyType, URI: `#${keyId}` }) : encryptedKey;
  const data = xenc('EncryptedData', { Id: dataId, Type: elementType }, [
    xenc('EncryptionMethod', { Algorithm: declared }),
    ds('KeyInfo', {}, [keyOrItsPlace]),
    cipherData(content),
  ]);
  return (isBeside ? [data, encryptedKey] : [data]).map((each) =>
    declaring(each, [
      ['xenc', encryptionNamespace],
      ['ds', signatureNamespace],
    ]),
  );
}

function encryptContent(
  plain: Buffer,
  key: Buffer,
  content: EncryptionMethods['content'],
  random: RandomBytes,
): Buffer {
  const bits = key.length * 8 === 256 ? '256' : '128';
  if (content.endsWith('-gcm')) {
    const iv = random.bytes(12);
    const cipher = createCipheriv(`aes-${bits}-gcm`, key, iv);
    return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }
  const iv = random.bytes(16);
  const cipher = createCipheriv(`aes-${bits}-cbc`, key, iv);
  return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
}

const publicKeys = new Map<string, KeyObject>();
const publicKeysMax = 100;

/** Cached, because reading a certificate takes longer than encrypting for it. */
function publicKeyOf(pem: string): KeyObject {
  const known = publicKeys.get(pem);
  if (known !== undefined) return known;
  if (publicKeys.size >= publicKeysMax) publicKeys.clear();
  const { publicKey } = new X509Certificate(pem);
  publicKeys.set(pem, publicKey);
  return publicKey;
}

function wrapKey(key: Buffer, recipient: KeyObject, methods: EncryptionMethods, random: RandomBytes): Buffer {
  switch (methods.key) {
    case 'rsa-1_5':
      return encryptPkcs1(key, recipient);
    case 'rsa-oaep-mgf1p':
      return encryptOaep(key, recipient, { digest: methods.digest, mask: 'sha1' }, random);
    case 'rsa-oaep':
      return encryptOaep(key, recipient, { digest: methods.digest, mask: methods.mgf }, random);
  }
}

function keyTransportMethod({ key, digest, mgf }: EncryptionMethods): XmlElement {
  const method = (children: readonly XmlElement[]) =>
    xenc('EncryptionMethod', { Algorithm: keyTransportUris[key] }, children);
  if (key === 'rsa-1_5') return method([]);
  const digested = ds('DigestMethod', { Algorithm: digestMethodUris[digest] });
  if (key === 'rsa-oaep-mgf1p') return method([digested]);
  const mask = declaring(xenc11('MGF', { Algorithm: mgfUris[mgf] }), [['xenc11', encryption11Namespace]]);
  return method([digested, mask]);
}

function cipherData(octets: Buffer): XmlElement {
  return xenc('CipherData', {}, [xenc('CipherValue', {}, [octets.toString('base64')])]);
}
