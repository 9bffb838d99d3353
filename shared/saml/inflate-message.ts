import { inflateRawSync } from 'node:zlib';

/** However much the data promises (SAM-17). */
const inflatedBytesMax = 1024 * 1024;

/** A message as HTTP-Redirect carries it. @throws RangeError for more than 1 MiB, else zlib's own error for what is no raw DEFLATE. */
export function inflateMessage(octets: Buffer): Buffer {
  return inflateRawSync(octets, { maxOutputLength: inflatedBytesMax });
}
