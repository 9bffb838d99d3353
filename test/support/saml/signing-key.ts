// RSA keys with self-signed certificates for SAML tests, drawn once a process.
import { systemClock } from '#shared/base/clock.ts';
import { rs256 } from '#shared/state/keys/algorithms/rs256.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { generateRsaKeyPair } from '#shared/state/keys/rsa-key-pair.ts';
import { selfSignedCertificate } from '#shared/state/keys/self-signed-certificate.ts';

const keys = new Map<string, Promise<SigningKey>>();

/** The key of that name; `idp` signs answers, `sp` requests, `stranger` is known to nobody. */
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
  return { kid: thumbprint, algorithm: rs256, privateKey, publicKey, certificatePem };
}
