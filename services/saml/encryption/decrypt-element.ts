// Decrypts an EncryptedData with a private key, by every supported algorithm (ENC-10). All errors (key, padding,
// content, XML) get the same result after the same steps. After a wrong key transport it continues with a random key,
// so that nothing about the padding is disclosed (ENC-11; XML Encryption §6.1.3).
import { createDecipheriv, type KeyObject } from 'node:crypto';
import { encryptionNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { decodeXml } from '#shared/protocol/saml/xml/decode-xml.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { writeDocument } from '#shared/protocol/saml/xml/write-xml.ts';
import {
  attributeValue,
  childElements,
  elementsOf,
  firstChild,
  isNamed,
  textOf,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import {
  contentUris,
  digestMethodUris,
  keyTransportUris,
  mgfUris,
  namedBy,
} from '#shared/state/configuration/service-providers/encryption-methods.ts';
import type { RandomBytes } from './encrypt-element.ts';
import { decryptOaep, decryptPkcs1 } from './rsa-oaep.ts';

/**
 * `container`: an EncryptedID or similar as a standalone element, because its content is read with the namespaces
 * around it. undefined: it cannot be decrypted, and the reason is not disclosed.
 */
export function decrypted(container: XmlElement, key: KeyObject, random: RandomBytes): XmlElement | undefined {
  try {
    const data = firstChild(container, encryptionNamespace, 'EncryptedData');
    const wrapped = [...elementsOf(container)].find((each) => isNamed(each, encryptionNamespace, 'EncryptedKey'));
    const content = data && namedBy(contentUris, methodOf(data));
    if (data === undefined || wrapped === undefined || content === undefined) return undefined;
    const length = content.startsWith('aes256') ? 32 : 16;
    const drawn = random.bytes(length);
    const unwrapped = unwrapKey(wrapped, key);
    const contentKey = unwrapped?.length === length ? unwrapped : drawn;
    return onlyElement(decodeXml(decryptContent(cipherOf(data), contentKey, content)), container);
  } catch {
    return undefined;
  }
}

/**
 * The only element of a text that replaces an element in `container`. Prefixes may be declared only there (XML
 * Encryption, Text Wrapping), as xmlsec and other libraries do.
 */
function onlyElement(text: string, { declarations }: XmlElement): XmlElement | undefined {
  const wrapping = { prefix: '', local: 'wrapping', namespace: '', declarations, attributes: [], children: ['\n'] };
  const [before = '', after = ''] = writeDocument(wrapping).split('\n');
  const { children } = parseXml(`${before}${text.replace(/^<\?xml\s[^>]*\?>/, '')}${after}`);
  const [element, ...others] = children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  return others.length > 0 || typeof element === 'string' ? undefined : element;
}

function unwrapKey(wrapped: XmlElement, key: KeyObject): Buffer | undefined {
  const method = firstChild(wrapped, encryptionNamespace, 'EncryptionMethod');
  const below = (local: string) => {
    const child = method && childElements(method).find((each) => each.local === local);
    return child && attributeValue(child, 'Algorithm');
  };
  const cipher = cipherOf(wrapped);
  const digest = namedBy(digestMethodUris, below('DigestMethod')) ?? 'sha1';
  switch (namedBy(keyTransportUris, methodOf(wrapped))) {
    case 'rsa-1_5':
      return decryptPkcs1(cipher, key);
    case 'rsa-oaep-mgf1p':
      return decryptOaep(cipher, key, { digest, mask: 'sha1' });
    case 'rsa-oaep':
      // The default is MGF1 with SHA-1 (XML Encryption §5.5.2).
      return decryptOaep(cipher, key, { digest, mask: namedBy(mgfUris, below('MGF')) ?? 'sha1' });
    default:
      return undefined;
  }
}

function decryptContent(cipher: Buffer, key: Buffer, content: string): Buffer {
  const bits = key.length * 8 === 256 ? '256' : '128';
  if (content.endsWith('-gcm')) {
    const decipher = createDecipheriv(`aes-${bits}-gcm`, key, cipher.subarray(0, 12));
    decipher.setAuthTag(cipher.subarray(-16));
    return Buffer.concat([decipher.update(cipher.subarray(12, -16)), decipher.final()]);
  }
  const decipher = createDecipheriv(`aes-${bits}-cbc`, key, cipher.subarray(0, 16));
  // XML Encryption pads with arbitrary octets, except the last one, which counts them.
  decipher.setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(cipher.subarray(16)), decipher.final()]);
  return padded.subarray(0, padded.length - (padded.at(-1) ?? 0));
}

function methodOf(element: XmlElement): string | undefined {
  const method = firstChild(element, encryptionNamespace, 'EncryptionMethod');
  return method && attributeValue(method, 'Algorithm');
}

function cipherOf(element: XmlElement): Buffer {
  const data = firstChild(element, encryptionNamespace, 'CipherData');
  const value = data && firstChild(data, encryptionNamespace, 'CipherValue');
  return Buffer.from(value === undefined ? '' : textOf(value), 'base64');
}
