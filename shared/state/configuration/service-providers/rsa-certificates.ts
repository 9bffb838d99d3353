// Certificates of service providers: only RSA certificates are accepted (SPM-03).
import { X509Certificate } from 'node:crypto';
import type { Instant } from '#shared/base/clock.ts';

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

type CertificatesReading =
  | { readonly outcome: 'read'; readonly certificates: readonly string[]; readonly expired: boolean }
  /** Continues after the name of the certificate. */
  | { readonly outcome: 'refused'; readonly message: string };

export function isPem(text: string): boolean {
  return text.includes('-----BEGIN ');
}

/** Every certificate of a PEM text, in its order. */
export function readCertificates(text: string, now: Instant): CertificatesReading {
  const certificates = text.match(pemCertificate) ?? [];
  if (certificates.length === 0) return { outcome: 'refused', message: 'has no PEM certificate' };
  let expired = false;
  for (const pem of certificates) {
    try {
      const { publicKey, validTo } = new X509Certificate(pem);
      if (publicKey.asymmetricKeyType !== 'rsa') return { outcome: 'refused', message: 'has no RSA key' };
      if (Date.parse(validTo) <= now) expired = true;
    } catch {
      return { outcome: 'refused', message: 'cannot be read as a certificate' };
    }
  }
  return { outcome: 'read', certificates, expired };
}
