// A key outside the key set. It is generated when its fault is created, and stored with the fault. Every process can
// then sign with it and serve its material (FLT-23).
import type { Instant } from '#shared/base/clock.ts';
import { rsa } from '#shared/protocol/jose/kinds/rsa.ts';
import { generateRsaKeyPair, privateKeyPem, readPrivateKey } from '#shared/state/keys/key-pair.ts';
import { selfSignedCertificate } from '#shared/state/keys/self-signed-certificate.ts';
import type { UnknownKey } from './fault-row.ts';

/** As PEM. */
export async function drawUnknownKey(): Promise<string> {
  return privateKeyPem(await generateRsaKeyPair());
}

/** `createdAt` of its fault: processes that make the certificate separately get the same one. */
export function unknownKeyOf(pem: string, createdAt: Instant): UnknownKey {
  const pair = readPrivateKey(pem);
  const { thumbprint: kid, privateKey, publicKey } = pair;
  return {
    kid,
    privateKey,
    publicKey,
    algorithm: rsa.algorithm,
    certificatePem: selfSignedCertificate(pair, createdAt),
  };
}
