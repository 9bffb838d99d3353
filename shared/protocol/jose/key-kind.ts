// Defines a kind of signing key. Each kind is one file in kinds/, listed in key-kinds.ts. A key carries its algorithm,
// so code that signs or verifies reads it from the key and names no algorithm.
import type { KeyObject } from 'node:crypto';

export interface SignatureAlgorithm<Name extends string = string> {
  /** The `alg` of RFC 7518 §3.1. */
  readonly name: Name;
  /** The SignatureMethod of XML signatures, if it has one (XML Signature 1.1 §6.4). */
  readonly xmlSignatureMethod: string | undefined;
  /** Runs on the thread pool: a signature costs more than the rest of a request. */
  sign(input: Uint8Array, privateKey: KeyObject): Promise<Buffer>;
  verify(input: Uint8Array, signature: Uint8Array, publicKey: KeyObject): boolean;
}

export interface KeyObjects {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface KeyKind<Name extends string = string> {
  /** The name of the kind in messages, such as `RSA`. */
  readonly title: string;
  readonly algorithm: SignatureAlgorithm<Name>;
  /** How its keys sign an X.509 certificate: the AlgorithmIdentifier, and the hash as node:crypto names it. */
  readonly certificateSignature: {
    readonly objectIdentifier: string;
    readonly hasNullParameters: boolean;
    /** null: the algorithm defines its own hash. */
    readonly hash: string | null;
  };
  /** The members of a public JWK in published order, `kty` first (RFC 7518 §6). They make the thumbprint. */
  readonly jwkMembers: readonly ['kty', ...string[]];
  isOfKind(key: KeyObject): boolean;
  /** Why a key of this kind cannot be used, as the end of a sentence. undefined: the key can be used. */
  problemOf(key: KeyObject): string | undefined;
  /** Generates a new key on the thread pool. */
  generate(): Promise<KeyObjects>;
}
