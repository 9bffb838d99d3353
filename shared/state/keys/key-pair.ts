// One signing key in all its forms: KeyObjects, PEM texts, kid, published JWK. The differences between kinds of keys
// are in shared/protocol/jose/kinds/. Makes and reads keys, without any directory.
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { KeyKind } from '#shared/protocol/jose/key-kind.ts';
import {
  defaultSigningAlgorithm,
  keyKinds,
  kindOfAlgorithm,
  kindOfKey,
  type SigningAlgorithm,
} from '#shared/protocol/jose/key-kinds.ts';
import { rsa } from '#shared/protocol/jose/kinds/rsa.ts';
import type { PublicJwk } from './key-ring.ts';

/** A key that cannot be used. `message` describes the error and never contains key material. */
export class UnusableKeyError extends Error {}

export interface KeyPair {
  /** RFC 7638 SHA-256 thumbprint of the public key (KEY-03). */
  readonly thumbprint: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The source of new keys of an algorithm. */
export type DrawKeyPair = (algorithm: SigningAlgorithm) => Promise<KeyPair>;

/** Makes a new key on the thread pool. */
export function generateKeyPair(algorithm: SigningAlgorithm = defaultSigningAlgorithm): Promise<KeyPair> {
  return generate(kindOfAlgorithm(algorithm));
}

/** For uses that need an RSA key, such as XML encryption, with any algorithm of tokens. */
export function generateRsaKeyPair(): Promise<KeyPair> {
  return generate(rsa);
}

async function generate(kind: KeyKind): Promise<KeyPair> {
  const { publicKey, privateKey } = await kind.generate();
  return { thumbprint: thumbprintOf(publicKey), privateKey, publicKey };
}

/**
 * Reads a private key and derives its public half.
 * @throws UnusableKeyError for any input except an unencrypted key of a kind that this server signs with.
 */
export function readPrivateKey(pem: string): KeyPair {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch (cause) {
    throw new UnusableKeyError('it is not a readable, unencrypted private key in PEM', { cause });
  }
  requireUsable(privateKey);
  const publicKey = createPublicKey(privateKey);
  return { thumbprint: thumbprintOf(publicKey), privateKey, publicKey };
}

/** @throws UnusableKeyError for any input except a public key of a kind that this server signs with. */
export function readPublicKey(pem: string): KeyObject {
  let publicKey: KeyObject;
  try {
    publicKey = createPublicKey(pem);
  } catch (cause) {
    throw new UnusableKeyError('it is not a readable public key in PEM', { cause });
  }
  requireUsable(publicKey);
  return publicKey;
}

function requireUsable(key: KeyObject): void {
  const problem = requiredKind(key).problemOf(key);
  if (problem !== undefined) throw new UnusableKeyError(problem);
}

/** @throws UnusableKeyError */
export function requiredKind(key: KeyObject): KeyKind<SigningAlgorithm> {
  const kind = kindOfKey(key);
  if (kind !== undefined) return kind;
  const needed = keyKinds.map(({ algorithm, title }) => `${algorithm.name} requires ${title}`).join(', ');
  throw new UnusableKeyError(`it is a key of type ${key.asymmetricKeyType ?? 'unknown'}, but ${needed}`);
}

export function thumbprintOf(publicKey: KeyObject): string {
  // RFC 7638 §3: the required members in lexicographic order, without white space.
  const members = publicMembers(publicKey).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest('base64url');
}

export function publicJwk(publicKey: KeyObject, kid: string): PublicJwk {
  const [[, kty], ...members] = publicMembers(publicKey);
  const alg = requiredKind(publicKey).algorithm.name;
  return { kty, use: 'sig', kid, alg, ...Object.fromEntries(members) };
}

type Member = readonly [name: string, value: string];

/** `kty` first. */
function publicMembers(publicKey: KeyObject): readonly [Member, ...Member[]] {
  const jwk = publicKey.export({ format: 'jwk' });
  const [first, ...others] = requiredKind(publicKey).jwkMembers;
  const member = (name: string): Member => {
    const value = jwk[name];
    if (typeof value !== 'string') throw new UnusableKeyError(`its JWK has no ${name}`);
    return [name, value];
  };
  return [member(first), ...others.map(member)];
}

export function privateKeyPem(pair: Pick<KeyPair, 'privateKey'>): string {
  return pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export function publicKeyPem(publicKey: KeyObject): string {
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}
