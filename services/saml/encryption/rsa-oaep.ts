// RSAES-OAEP and RSAES-PKCS1-v1_5 with the raw RSA of node:crypto (RFC 8017 §7.1, §7.2). node:crypto uses one digest
// for label and mask, while XML Encryption names them separately, and rsa-oaep-mgf1p always masks with SHA-1.
import { constants, createHash, type KeyObject, privateDecrypt, publicEncrypt } from 'node:crypto';
import type { EncryptionDigest } from '#shared/model/configuration/service-provider-entry.ts';

interface RandomBytes {
  bytes(length: number): Buffer;
}

/** The digest of the label and the digest of the mask. */
interface OaepDigests {
  readonly digest: EncryptionDigest;
  readonly mask: EncryptionDigest;
}

const digestBytes: Readonly<Record<EncryptionDigest, number>> = { sha1: 20, sha256: 32, sha512: 64 };

const hashed = (digest: EncryptionDigest, ...parts: readonly Buffer[]) => {
  const hash = createHash(digest);
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** @throws RangeError when the message is too long for the key under this digest. */
export function encryptOaep(
  message: Buffer,
  key: KeyObject,
  { digest, mask }: OaepDigests,
  random: RandomBytes,
): Buffer {
  const size = modulusBytes(key);
  const length = digestBytes[digest];
  const room = size - 2 * length - 2 - message.length;
  if (room < 0) throw new RangeError(`a key of ${size * 8} bits is too short for OAEP with ${digest}`);
  const block = Buffer.concat([hashed(digest), Buffer.alloc(room), Buffer.of(1), message]);
  const seed = random.bytes(length);
  const masked = xor(block, maskOf(seed, block.length, mask));
  const maskedSeed = xor(seed, maskOf(masked, length, mask));
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, Buffer.concat([Buffer.of(0), maskedSeed, masked]));
}

/** undefined: the padding is invalid. */
export function decryptOaep(encrypted: Buffer, key: KeyObject, { digest, mask }: OaepDigests): Buffer | undefined {
  const block = bare(encrypted, key);
  const length = digestBytes[digest];
  if (block === undefined || block.length < 2 * length + 2) return undefined;
  const seed = xor(block.subarray(1, 1 + length), maskOf(block.subarray(1 + length), length, mask));
  const data = xor(block.subarray(1 + length), maskOf(seed, block.length - 1 - length, mask));
  const rest = data.subarray(length);
  const end = rest.findIndex((byte) => byte !== 0);
  const isRight = block[0] === 0 && data.subarray(0, length).equals(hashed(digest)) && rest[end] === 1;
  return isRight ? rest.subarray(end + 1) : undefined;
}

export function encryptPkcs1(message: Buffer, key: KeyObject): Buffer {
  return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, message);
}

/** undefined: the padding is invalid. The caller must continue in the same way in both cases. */
export function decryptPkcs1(encrypted: Buffer, key: KeyObject): Buffer | undefined {
  const block = bare(encrypted, key);
  if (block === undefined) return undefined;
  const end = block.indexOf(0, 2);
  return block[0] === 0 && block[1] === 2 && end >= 10 ? block.subarray(end + 1) : undefined;
}

function bare(encrypted: Buffer, key: KeyObject): Buffer | undefined {
  try {
    return privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, encrypted);
  } catch {
    return undefined;
  }
}

function modulusBytes(key: KeyObject): number {
  return Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
}

/** MGF1 (RFC 8017 §B.2.1). */
function maskOf(seed: Buffer, length: number, digest: EncryptionDigest): Buffer {
  const parts: Buffer[] = [];
  for (let counter = 0; parts.length * digestBytes[digest] < length; counter += 1) {
    const index = Buffer.alloc(4);
    index.writeUInt32BE(counter);
    parts.push(hashed(digest, seed, index));
  }
  return Buffer.concat(parts).subarray(0, length);
}

function xor(one: Buffer, other: Buffer): Buffer {
  const result = Buffer.from(one);
  for (let index = 0; index < result.length; index += 1) result[index] = (one[index] ?? 0) ^ (other[index] ?? 0);
  return result;
}
