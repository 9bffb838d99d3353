// Decodes octets to characters: UTF-8, or UTF-16 with a byte order mark, as every XML processor must (XML 1.0 §4.3.3).
// It does not guess. Octets that are invalid in the encoding make the document unreadable.
import { XmlUnreadableError } from './xml-unreadable.ts';

const encodings = [
  { mark: Buffer.from([0xef, 0xbb, 0xbf]), label: 'utf-8' },
  { mark: Buffer.from([0xfe, 0xff]), label: 'utf-16be' },
  { mark: Buffer.from([0xff, 0xfe]), label: 'utf-16le' },
];

/** @throws XmlUnreadableError */
export function decodeXml(octets: Buffer): string {
  const label = encodings.find(({ mark }) => octets.subarray(0, mark.length).equals(mark))?.label ?? 'utf-8';
  try {
    return new TextDecoder(label, { fatal: true }).decode(octets);
  } catch {
    throw new XmlUnreadableError(`The document is not valid ${label.toUpperCase()}.`);
  }
}
