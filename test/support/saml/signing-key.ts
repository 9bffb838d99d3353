// RSA keys with self-signed certificates for SAML tests, generated once per process.
import { systemClock } from '#shared/base/clock.ts';
import { rsa } from '#shared/protocol/jose/kinds/rsa.ts';
import { generateRsaKeyPair } from '#shared/state/keys/key-pair.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { selfSignedCertificate } from '#shared/state/keys/self-signed-certificate.ts';

const keys = new Map<string, Promise<SigningKey>>();

/** The key of that name: `idp` signs responses, `sp` signs requests, and `stranger` is unknown to both. */
export function signingKey(name: 'idp' | 'sp' | 'stranger'): Promise<SigningKey> {
  let key = keys.get(name);
  if (key === undefined) {
    key = draw();
    keys.set(name, key);
  }
  return key;
}

async function draw(): Promise<SigningKey> {
  const pair = await generateRsaKeyPair();
  const certificatePem = selfSignedCertificate(pair, systemClock.now());
  const { thumbprint, privateKey, publicKey } = pair;
  return { kid: thumbprint, algorithm: rsa.algorithm, privateKey, publicKey, certificatePem };
}
