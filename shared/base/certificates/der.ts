// The DER elements that a certificate consists of (X.690 §8, §10). Each function returns the element including its tag
// and length.

/** One element. `tag` is the identifier octet. Content up to 65535 bytes, far more than any certificate here needs. */
export function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const header =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, (length >> 8) & 0xff, length & 0xff];
  return Buffer.concat([Buffer.from(header), content]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
export const set = (...parts: readonly Buffer[]): Buffer => tagged(0x31, ...parts);
/** `[number] EXPLICIT`. */
export const explicit = (number: number, part: Buffer): Buffer => tagged(0xa0 + number, part);
/** `[number] IMPLICIT` of a primitive type. */
export const implicit = (number: number, content: Buffer): Buffer => tagged(0x80 + number, content);
export const octets = (content: Buffer): Buffer => tagged(0x04, content);
export const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text));
/** The bytes of a non-negative number whose highest bit is not set. */
export const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
/** The last `unused` bits of the last byte are not part of the value. */
export const bits = (content: Buffer, unused = 0): Buffer => tagged(0x03, Buffer.of(unused), content);
export const derTrue = Buffer.of(0x01, 0x01, 0xff);
export const derNull = Buffer.of(0x05, 0x00);

/** An object identifier in dotted notation. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...others.flatMap(base128)]));
}

function base128(number: number): number[] {
  const bytes = [number & 0x7f];
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
