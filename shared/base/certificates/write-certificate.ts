// Writes an X.509 certificate (RFC 5280 §4.1) in DER, without a library, because the few profiles are fixed and small.
// node:crypto reads the certificates.
import { createHash, type KeyObject, sign } from 'node:crypto';
import type { Instant } from '#shared/base/clock.ts';
import {
  bits,
  derNull,
  derTrue,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octets,
  sequence,
  set,
  tagged,
  utf8,
} from './der.ts';
import { addressBytes } from './host-names.ts';
import { pemOfCertificate } from './pem-of-certificate.ts';

export const dayMilliseconds = 24 * 3600 * 1000;

interface CertificateContent {
  /** Common names. Subject and issuer consist of nothing else. */
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly notBefore: Instant;
  readonly notAfter: Instant;
  /** Positive, at most 20 bytes, highest bit not set. */
  readonly serialNumber: Buffer;
  /** Written in this order. */
  readonly extensions: readonly Buffer[];
}

/** How the issuer's key signs (RFC 5280 §4.1.1.2). */
interface CertificateSignature {
  readonly objectIdentifier: string;
  /** RSA has NULL parameters (RFC 4055 §5), other algorithms have none. */
  readonly hasNullParameters: boolean;
  /** The name in node:crypto. null: the algorithm defines its own hash. */
  readonly hash: string | null;
}

/** Returns the certificate as PEM. Signs on the event loop. */
export function writeCertificate(
  content: CertificateContent,
  issuerKey: KeyObject,
  signature: CertificateSignature,
): string {
  const parameters = signature.hasNullParameters ? [derNull] : [];
  const algorithm = sequence(objectIdentifier(signature.objectIdentifier), ...parameters);
  const toBeSigned = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(content.serialNumber),
    algorithm,
    name(content.issuer),
    sequence(time(content.notBefore), time(content.notAfter)),
    name(content.subject),
    publicKeyInfo(content.publicKey),
    explicit(3, sequence(...content.extensions)),
  );
  const signed = sequence(toBeSigned, algorithm, bits(sign(signature.hash, toBeSigned, issuerKey)));
  return pemOfCertificate(signed.toString('base64'));
}

/** 16 bytes, different for each key and moment. */
export function serialNumberFor(publicKey: KeyObject, now: Instant): Buffer {
  const bytes = createHash('sha256').update(publicKeyInfo(publicKey)).update(String(now)).digest().subarray(0, 16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

/** RFC 5280 §4.2.1.2, computed over the whole SubjectPublicKeyInfo. Any unique value is allowed. */
export function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha256').update(publicKeyInfo(publicKey)).digest().subarray(0, 20);
}

/** The extensions that the certificates use, each as an element of the extension list. */
export const extension = {
  /** A certificate authority that cannot have subordinate authorities (§4.2.1.9). */
  authority: () => critical('2.5.29.19', sequence(derTrue, integer(Buffer.of(0)))),
  noAuthority: () => critical('2.5.29.19', sequence()),
  /** §4.2.1.3: bit 0. */
  digitalSignature: () => critical('2.5.29.15', bits(Buffer.of(0x80), 7)),
  /** §4.2.1.3: bit 2. */
  keyEncipherment: () => critical('2.5.29.15', bits(Buffer.of(0x20), 5)),
  /** §4.2.1.3: bit 5. */
  keyCertSign: () => critical('2.5.29.15', bits(Buffer.of(0x04), 2)),
  /** §4.2.1.12. */
  serverAuth: () => plain('2.5.29.37', sequence(objectIdentifier('1.3.6.1.5.5.7.3.1'))),
  subjectKeyIdentifier: (publicKey: KeyObject) => plain('2.5.29.14', octets(keyIdentifier(publicKey))),
  authorityKeyIdentifier: (publicKey: KeyObject) => plain('2.5.29.35', sequence(implicit(0, keyIdentifier(publicKey)))),
  /** §4.2.1.6: names and addresses. */
  subjectAlternativeName: (names: readonly string[]) => plain('2.5.29.17', sequence(...names.map(generalName))),
} as const;

const critical = (identifier: string, value: Buffer) => sequence(objectIdentifier(identifier), derTrue, octets(value));
const plain = (identifier: string, value: Buffer) => sequence(objectIdentifier(identifier), octets(value));

function generalName(text: string): Buffer {
  const address = addressBytes(text);
  return address === undefined ? implicit(2, Buffer.from(text, 'ascii')) : implicit(7, address);
}

function name(commonName: string): Buffer {
  return sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8(commonName))));
}

function publicKeyInfo(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

/** UTCTime until the end of 2049, GeneralizedTime afterwards (RFC 5280 §4.1.2.5). */
function time(moment: Instant): Buffer {
  const digits = new Date(moment).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  return digits < '2050' ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`)) : tagged(0x18, Buffer.from(`${digits}Z`));
}
