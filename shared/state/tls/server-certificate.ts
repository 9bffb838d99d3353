// The certificate and private key of a TLS server. The private key is only here: output and logs use only the names and
// the expiry of this value.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { certificateName } from '#shared/base/certificates/host-names.ts';
import { type Instant, instant } from '#shared/base/clock.ts';

export interface ServerCertificate {
  /** The certificate, followed by its intermediate certificates if there are any. */
  readonly certificatePem: string;
  readonly keyPem: string;
  /** In the order of the certificate. */
  readonly names: readonly string[];
  readonly expiresAt: Instant;
}

/** Which of the two texts is invalid, and why. */
export type CertificateProblem = 'certificate_unreadable' | 'key_unreadable' | 'key_does_not_fit';

export function readServerCertificate(
  certificatePem: string,
  keyPem: string,
): ServerCertificate | { readonly problem: CertificateProblem } {
  const certificate = readCertificate(certificatePem);
  if (certificate === undefined) return { problem: 'certificate_unreadable' };
  const key = readPrivateKey(keyPem);
  if (key === undefined) return { problem: 'key_unreadable' };
  if (!certificate.checkPrivateKey(key)) return { problem: 'key_does_not_fit' };
  return { certificatePem, keyPem, names: namesOf(certificate), expiresAt: endOf(certificate) };
}

/** The first certificate of the text. */
export function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

export function readPrivateKey(pem: string) {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

export function endOf(certificate: X509Certificate): Instant {
  return instant(Date.parse(certificate.validTo));
}

function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName.split(', ').flatMap((entry) => {
    const name = /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1];
    return name === undefined ? [] : (certificateName(name) ?? []);
  });
}
