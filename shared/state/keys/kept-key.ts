// Keys in the form that a store holds: PEM texts, made from a pair and parsed again for signing and verifying.
import type { Clock } from '#shared/base/clock.ts';
import type { FormerKey, KeptKey } from '#shared/model/domain/signing-keys.ts';
import { type KeyPair, privateKeyPem, publicKeyPem, readPrivateKey, readPublicKey } from './key-pair.ts';
import { generatedKeySet, type KeySet } from './key-set.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

/** A pair with its certificate. */
export function keptKey(pair: KeyPair, clock: Clock): KeptKey {
  return {
    kid: pair.thumbprint,
    publicKeyPem: publicKeyPem(pair.publicKey),
    ...{ privateKeyPem: privateKeyPem(pair), certificatePem: selfSignedCertificate(pair, clock.now()) },
  };
}

/** `previous` newest first; `maxPrevious` of them verify. */
export function keySetOfKept(
  active: KeptKey,
  previous: readonly Pick<FormerKey, 'kid' | 'publicKeyPem'>[],
  maxPrevious: number,
): KeySet {
  return generatedKeySet(
    { kid: active.kid, pair: readPrivateKey(active.privateKeyPem), certificatePem: active.certificatePem },
    previous.map(({ kid, publicKeyPem: pem }) => ({ kid, publicKey: readPublicKey(pem) })),
    maxPrevious,
  );
}
