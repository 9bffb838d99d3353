// One RSA key in the forms the house needs: KeyObjects, PEM texts, kid, published JWK. RS256 alone (CFG-K40), and never
// below 2048 bits (RFC 7518 §3.3). Makes and reads keys; knows no directory.
import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { rs256 } from './algorithms/rs256.ts';
import type { PublicJwk } from './key-ring.ts';

const modulusBitsMin = 2048;

/** A key that cannot be used. `message` says what is wrong with it and never contains key material. */
export class UnusableKeyError extends Error {}

export interface KeyPair {
  /** RFC 7638 SHA-256 thumbprint of the public key (KEY-03). */
  readonly thumbprint: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Draws a new key on the thread pool. */
export function generateRsaKeyPair(): Promise<KeyPair> {
  return new Promise((resolve, reject) => {
    generateKeyPair('rsa', { modulusLength: modulusBitsMin, publicExponent: 65537 }, (error, publicKey, privateKey) => {
      if (error !== null) reject(error);
      else resolve({ thumbprint: rsaThumbprint(publicKey), privateKey, publicKey });
    });
  });
}

/**
 * Reads a private key and derives its public half.
 * @throws UnusableKeyError for anything but an unencrypted RSA key of 2048 bits or more.
 */
export function readPrivateKey(pem: string): KeyPair {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch (cause) {
    throw new UnusableKeyError('it is not a readable, unencrypted private key in PEM', { cause });
  }
  requireStrongRsa(privateKey);
  const publicKey = createPublicKey(privateKey);
  return { thumbprint: rsaThumbprint(publicKey), privateKey, publicKey };
}

/** @throws UnusableKeyError for anything but an RSA public key of 2048 bits or more. */
export function readPublicKey(pem: string): KeyObject {
  let publicKey: KeyObject;
  try {
    publicKey = createPublicKey(pem);
  } catch (cause) {
    throw new UnusableKeyError('it is not a readable public key in PEM', { cause });
  }
  requireStrongRsa(publicKey);
  return publicKey;
}

function requireStrongRsa(key: KeyObject): void {
  if (key.asymmetricKeyType !== 'rsa') {
    throw new UnusableKeyError(
      `it is a key of type ${key.asymmetricKeyType ?? 'unknown'}, and ${rs256.name} needs RSA`,
    );
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < modulusBitsMin) {
    throw new UnusableKeyError(`it has ${bits} bits, and ${rs256.name} needs at least ${modulusBitsMin}`);
  }
}

export function rsaThumbprint(publicKey: KeyObject): string {
  const { n, e } = modulusAndExponent(publicKey);
  // RFC 7638 §3: the required members in this order, without white space.
  return createHash('sha256').update(`{"e":"${e}","kty":"RSA","n":"${n}"}`).digest('base64url');
}

export function publicJwk(publicKey: KeyObject, kid: string): PublicJwk {
  const { n, e } = modulusAndExponent(publicKey);
  return { kty: 'RSA', use: 'sig', kid, alg: rs256.name, n, e };
}

function modulusAndExponent(publicKey: KeyObject): { n: string; e: string } {
  const { n, e } = publicKey.export({ format: 'jwk' });
  if (n === undefined || e === undefined) throw new UnusableKeyError('it is not an RSA key');
  return { n, e };
}

export function privateKeyPem(pair: Pick<KeyPair, 'privateKey'>): string {
  return pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export function publicKeyPem(publicKey: KeyObject): string {
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}
