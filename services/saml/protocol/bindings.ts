// Decodes an AuthnRequest: HTTP-Redirect carries base64 of raw DEFLATE, HTTP-POST plain base64 (SAML bindings §3.4.4,
// §3.5.4). Strict reading follows the binding. Lenient reading accepts either form in either binding (SAM-14, SAM-15).
// Inflating stops at 1 MiB, however small the compressed message is (SAM-17).

import { inflated, readLeniently } from '#shared/engine/saml-signing/read-leniently.ts';
import { decodeXml } from '#shared/protocol/saml/xml/decode-xml.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { XmlUnreadableError } from '#shared/protocol/saml/xml/xml-unreadable.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';

export type Binding = 'GET' | 'POST';

const base64Text = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The root element of the message. @throws XmlUnreadableError */
export function readMessage(encoded: string, binding: Binding, strict: boolean): XmlElement {
  return strict ? readStrictly(encoded, binding) : readLeniently(encoded);
}

function readStrictly(encoded: string, binding: Binding): XmlElement {
  const compact = encoded.replace(/[ \t\r\n]+/g, '');
  if (compact === '' || !base64Text.test(compact)) throw new XmlUnreadableError('The value is not base64.');
  const octets = Buffer.from(compact, 'base64');
  return parseXml(decodeXml(binding === 'GET' ? inflated(octets) : octets));
}
