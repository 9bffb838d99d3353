// A certificate authority for tests, with leaf certificates for names and addresses. A client trusts a local HTTPS host if
// it gets the authority's PEM (`ca`, or NODE_EXTRA_CA_CERTS for a spawned process).
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const day = 24 * 3600 * 1000;

// The certificate library needs a polyfill for decorator metadata that it never reads.
for (const name of ['getMetadata', 'getOwnMetadata', 'hasOwnMetadata', 'defineMetadata']) {
  if (!(name in Reflect)) Object.defineProperty(Reflect, name, { value: () => undefined, configurable: true });
}
const x509 = await import('@peculiar/x509');

export interface TestAuthority {
  readonly certificatePem: string;
  /** Key and certificate of a server or client with these names. `expired`: it was valid until yesterday. */
  issue(names: readonly string[], options?: { expired?: boolean }): Promise<{ key: string; cert: string }>;
}

export async function createTestAuthority(name = 'test-idp test authority'): Promise<TestAuthority> {
  x509.cryptoProvider.set(webcrypto as Crypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const now = Date.now();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: new Date(now - day * 30),
    notAfter: new Date(now + day * 30),
    signingAlgorithm: algorithm,
    keys: keys as CryptoKeyPair,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return {
    certificatePem: root.toString('pem'),
    async issue(names, { expired = false } = {}) {
      const leafKeys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const leaf = await x509.X509CertificateGenerator.create({
        subject: `CN=${names[0] ?? 'nobody'}`,
        issuer: root.subject,
        notBefore: new Date(now - day * 20),
        notAfter: new Date(expired ? now - day : now + day * 20),
        signingAlgorithm: algorithm,
        publicKey: leafKeys.publicKey as CryptoKey,
        signingKey: keys.privateKey as CryptoKey,
        extensions: [
          new x509.SubjectAlternativeNameExtension(
            names.map((entry) => ({ type: isIP(entry) === 0 ? ('dns' as const) : ('ip' as const), value: entry })),
          ),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
        ],
      });
      const key = await webcrypto.subtle.exportKey('pkcs8', leafKeys.privateKey);
      const pem = Buffer.from(key).toString('base64').replace(/.{64}/g, '$&\n');
      return { key: `-----BEGIN PRIVATE KEY-----\n${pem}\n-----END PRIVATE KEY-----\n`, cert: leaf.toString('pem') };
    },
  };
}
