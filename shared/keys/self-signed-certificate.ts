// The self-signed certificate of a signing key, as SAML metadata shows it (KEY-04, SAM-03): RSA with SHA-256, valid from
// the day before for 3650 days. Written in DER here, because the profile is fixed and small; node:crypto reads it back.
// RFC 5280 §4.1 names the fields.
import { createHash, sign, X509Certificate } from 'node:crypto';
import { type Instant, instant } from '#shared/clock.ts';
import type { KeyPair } from './rsa-key-pair.ts';

const dayMilliseconds = 24 * 3600 * 1000;
const validityDays = 3650;
const subjectCommonName = 'test-idp';

/**
 * The certificate as PEM, the same for the same key and moment: processes that have to make it each for themselves agree.
 * Signs on the event loop, since it is made once in a key's life.
 */
export function selfSignedCertificate(pair: KeyPair, now: Instant): string {
  const notBefore = instant(now - dayMilliseconds);
  const notAfter = instant(notBefore + validityDays * dayMilliseconds);
  const name = sequence(set(sequence(objectIdentifiers.commonName, utf8(subjectCommonName))));
  const publicKeyInfo = pair.publicKey.export({ type: 'spki', format: 'der' });
  const toBeSigned = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(serialNumber(publicKeyInfo, now)),
    sha256WithRsa,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKeyInfo,
    explicit(
      3,
      sequence(
        sequence(objectIdentifiers.keyUsage, derTrue, octets(tagged(0x03, Buffer.of(7, 0x80)))),
        sequence(objectIdentifiers.subjectKeyIdentifier, octets(octets(keyIdentifier(publicKeyInfo)))),
      ),
    ),
  );
  const signature = sign('RSA-SHA256', toBeSigned, pair.privateKey);
  return pem(sequence(toBeSigned, sha256WithRsa, tagged(0x03, Buffer.concat([Buffer.of(0), signature]))));
}

/** Whether `certificatePem` is a readable certificate of exactly this key. */
export function isCertificateOf(certificatePem: string, pair: KeyPair): boolean {
  try {
    return new X509Certificate(certificatePem).checkPrivateKey(pair.privateKey);
  } catch {
    return false;
  }
}

/** Positive, 16 bytes, another one for another key or moment. */
function serialNumber(publicKeyInfo: Buffer, now: Instant): Buffer {
  const bytes = createHash('sha256').update(publicKeyInfo).update(String(now)).digest().subarray(0, 16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

/** RFC 5280 §4.2.1.2, over the whole SubjectPublicKeyInfo: any unique value will do. */
function keyIdentifier(publicKeyInfo: Buffer): Buffer {
  return createHash('sha256').update(publicKeyInfo).digest().subarray(0, 20);
}

/** UTCTime until the end of 2049, GeneralizedTime afterwards (RFC 5280 §4.1.2.5). */
function time(moment: Instant): Buffer {
  const digits = new Date(moment).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  return digits < '2050' ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`)) : tagged(0x18, Buffer.from(`${digits}Z`));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
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

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
const set = (...parts: readonly Buffer[]): Buffer => tagged(0x31, ...parts);
const explicit = (number: number, part: Buffer): Buffer => tagged(0xa0 + number, part);
const octets = (content: Buffer): Buffer => tagged(0x04, content);
const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text));
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const derTrue = Buffer.of(0x01, 0x01, 0xff);

const objectIdentifiers = {
  commonName: Buffer.of(0x06, 0x03, 0x55, 0x04, 0x03),
  keyUsage: Buffer.of(0x06, 0x03, 0x55, 0x1d, 0x0f),
  subjectKeyIdentifier: Buffer.of(0x06, 0x03, 0x55, 0x1d, 0x0e),
} as const;

/** AlgorithmIdentifier sha256WithRSAEncryption, 1.2.840.113549.1.1.11 with NULL parameters. */
const sha256WithRsa = sequence(
  Buffer.of(0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b),
  Buffer.of(0x05, 0x00),
);
