// An authority of this program's own, and its certificates: EC P-256 with SHA-256 (TLS-02, TLS-05).
import { generateKeyPair, type KeyObject, type X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import {
  dayMilliseconds,
  extension,
  keyIdentifier,
  serialNumberFor,
  writeCertificate,
} from '#shared/base/certificates/write-certificate.ts';
import { type Instant, instant } from '#shared/base/clock.ts';
import { readCertificate } from './server-certificate.ts';

/** ecdsa-with-SHA256 (RFC 5758 §3.2). */
const ecdsaWithSha256 = { objectIdentifier: '1.2.840.10045.4.3.2', hasNullParameters: false, hash: 'sha256' };

const authorityDays = 3650;
/** Browsers accept at most 398 days. */
const leafDays = 397;

export interface Authority {
  readonly certificate: X509Certificate;
  readonly certificatePem: string;
  readonly key: KeyObject;
}

export async function makeAuthority(now: Instant): Promise<Authority & { readonly keyPem: string }> {
  const { publicKey, privateKey } = await drawKeyPair('ec', { namedCurve: 'P-256' });
  // Trust stores find authorities by their name, so two of them must not share one.
  const subject = `test-idp authority ${keyIdentifier(publicKey).toString('hex').slice(0, 8)}`;
  const certificatePem = writeCertificate(
    {
      ...{ subject, issuer: subject, publicKey },
      ...validity(now, authorityDays),
      serialNumber: serialNumberFor(publicKey, now),
      extensions: [extension.authority(), extension.keyCertSign(), extension.subjectKeyIdentifier(publicKey)],
    },
    privateKey,
    ecdsaWithSha256,
  );
  const certificate = readCertificate(certificatePem);
  if (certificate === undefined) throw new Error('the new authority cannot be read');
  return { certificate, certificatePem, key: privateKey, keyPem: pemOf(privateKey) };
}

/** A certificate for a server with these names, with a new key. */
export async function makeLeaf(
  names: readonly string[],
  authority: Authority,
  now: Instant,
): Promise<{ readonly certificatePem: string; readonly keyPem: string }> {
  const { publicKey, privateKey } = await drawKeyPair('ec', { namedCurve: 'P-256' });
  const issuer = /^CN=(.+)$/m.exec(authority.certificate.subject)?.[1] ?? '';
  const certificatePem = writeCertificate(
    {
      ...{ subject: 'test-idp', issuer, publicKey },
      ...validity(now, leafDays),
      serialNumber: serialNumberFor(publicKey, now),
      extensions: [
        extension.noAuthority(),
        extension.digitalSignature(),
        extension.serverAuth(),
        extension.subjectAlternativeName(names),
        extension.subjectKeyIdentifier(publicKey),
        extension.authorityKeyIdentifier(authority.certificate.publicKey),
      ],
    },
    authority.key,
    ecdsaWithSha256,
  );
  return { certificatePem, keyPem: pemOf(privateKey) };
}

/** The validity begins a day earlier, for clocks that are behind; both ends count (RFC 5280 §4.1.2.5). */
function validity(now: Instant, days: number) {
  const notBefore = instant(now - dayMilliseconds);
  return { notBefore, notAfter: instant(notBefore + days * dayMilliseconds - 1000) };
}

const drawKeyPair = promisify(generateKeyPair);

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
