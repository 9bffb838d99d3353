// A message in a parameter of either binding: base64 of XML, or of its raw DEFLATE (SAM-14). The inflated size is
// limited to 1 MiB, regardless of the declared size (SAM-17).
import { inflateRawSync } from 'node:zlib';
import { decodeXml } from '#shared/protocol/saml/xml/decode-xml.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { XmlUnreadableError } from '#shared/protocol/saml/xml/xml-unreadable.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';

const inflatedBytesMax = 1024 * 1024;

/** @throws XmlUnreadableError */
export function readLeniently(encoded: string): XmlElement {
  const octets = Buffer.from(encoded, 'base64');
  // Text that parses as XML cannot be DEFLATE, so inflating, which is slower, is not tried first.
  if (octets[0] === 0x3c) {
    try {
      return parseXml(decodeXml(octets));
    } catch (error) {
      if (!(error instanceof XmlUnreadableError)) throw error;
    }
  }
  return parseXml(decodeXml(inflated(octets, octets)));
}

/** `otherwise`: the result for input that is not raw DEFLATE. @throws XmlUnreadableError */
export function inflated(octets: Buffer, otherwise?: Buffer): Buffer {
  try {
    return inflateRawSync(octets, { maxOutputLength: inflatedBytesMax });
  } catch (error) {
    if (error instanceof RangeError) throw new XmlUnreadableError('The data inflates to more than 1 MiB.');
    if (otherwise !== undefined) return otherwise;
    throw new XmlUnreadableError('The data is not raw DEFLATE.', { cause: error });
  }
}
