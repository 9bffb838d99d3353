// The self-signed certificate of a signing key, as SAML metadata shows it (KEY-04, SAM-03): valid from the
// day before for 3650 days.
import { X509Certificate } from 'node:crypto';
import {
  dayMilliseconds,
  extension,
  serialNumberFor,
  writeCertificate,
} from '#shared/base/certificates/write-certificate.ts';
import { type Instant, instant } from '#shared/base/clock.ts';
import { type KeyPair, requiredKind } from './key-pair.ts';

const validityDays = 3650;
const subjectCommonName = 'test-idp';

/**
 * The certificate as PEM, identical for the same key and time, so that processes that make it separately get the same
 * one. Signs on the event loop, because it is made once in a key's life.
 */
export function selfSignedCertificate(
  { publicKey, privateKey }: KeyPair,
  now: Instant,
  use: 'digitalSignature' | 'keyEncipherment' = 'digitalSignature',
): string {
  const notBefore = instant(now - dayMilliseconds);
  return writeCertificate(
    {
      subject: subjectCommonName,
      issuer: subjectCommonName,
      publicKey,
      notBefore,
      notAfter: instant(notBefore + validityDays * dayMilliseconds),
      serialNumber: serialNumberFor(publicKey, now),
      extensions: [extension[use](), extension.subjectKeyIdentifier(publicKey)],
    },
    privateKey,
    requiredKind(publicKey).certificateSignature,
  );
}

/** Whether `certificatePem` is a readable certificate of exactly this key. */
export function isCertificateOf(certificatePem: string, pair: KeyPair): boolean {
  try {
    return new X509Certificate(certificatePem).checkPrivateKey(pair.privateKey);
  } catch {
    return false;
  }
}
