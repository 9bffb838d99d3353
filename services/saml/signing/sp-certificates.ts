// The certificates of service providers (saml.sp_certificates): public keys that may sign AuthnRequests. They are read
// for each request that needs them, so that a replaced file takes effect at once. An unusable path is skipped with a
// warning (SAM-26). Validity dates are ignored: the operator has chosen the certificate.
import { type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from '#shared/base/logger.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

type Certificate = ConfigurationSnapshot['paths']['spCertificates'][number];

export async function readSpKeys(certificates: readonly Certificate[], log: Logger): Promise<readonly KeyObject[]> {
  const keys: KeyObject[] = [];
  for (const certificate of certificates) {
    try {
      keys.push(...keysOf(typeof certificate === 'string' ? await readFile(certificate, 'utf8') : certificate.pem));
    } catch (error) {
      log.warn(
        { err: error, ...(typeof certificate === 'string' ? { path: certificate } : {}) },
        'a certificate of saml.sp_certificates cannot be used',
      );
    }
  }
  return keys;
}

function keysOf(text: string): KeyObject[] {
  const keys = (text.match(pemCertificate) ?? []).map((pem) => new X509Certificate(pem).publicKey);
  if (keys.length === 0) throw new Error('the file has no PEM certificate');
  if (keys.some((key) => key.asymmetricKeyType !== 'rsa')) throw new Error('the certificate has no RSA key');
  return keys;
}
