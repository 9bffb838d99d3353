import { inflateRawSync } from 'node:zlib';

/** However much the data promises (SAM-17). */
const inflatedBytesMax = 1024 * 1024;

/** A message as HTTP-Redirect carries it. @throws RangeError for more than 1 MiB, else zlib's own error for what is no raw DEFLATE. */
export function inflateMessage(octets: Buffer): Buffer {
  return inflateRawSync(octets, { maxOutputLength: inflatedBytesMax });
}

/** What a parameter carries in either binding: inflated where it is DEFLATE, else as it is. @throws RangeError as above. */
export function inflatedOrAsIs(octets: Buffer): Buffer {
  try {
    return inflateMessage(octets);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return octets;
  }
}
