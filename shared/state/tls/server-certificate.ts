// What a TLS server shows and with what it proves it. The private key is here and nowhere else: nothing that is shown or
// logged is made from this value but its names and its end.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { certificateName } from '#shared/base/certificates/host-names.ts';
import { type Instant, instant } from '#shared/base/clock.ts';

export interface ServerCertificate {
  /** The certificate, with those between it and its authority behind it where there are any. */
  readonly certificatePem: string;
  readonly keyPem: string;
  /** In the order of the certificate. */
  readonly names: readonly string[];
  readonly expiresAt: Instant;
}

/** Which of the two texts is no good, and in what way. */
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
