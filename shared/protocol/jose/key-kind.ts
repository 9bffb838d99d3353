// What a kind of signing key is: one file each in kinds/, listed in key-kinds.ts. A key carries its algorithm, so code that signs
// or verifies asks the key and names none.
import type { KeyObject } from 'node:crypto';

export interface SignatureAlgorithm<Name extends string = string> {
  /** The `alg` of RFC 7518 §3.1. */
  readonly name: Name;
  /** The SignatureMethod of XML signatures, where there is one (XML Signature 1.1 §6.2.1). */
  readonly xmlSignatureMethod: string | undefined;
  /** On the thread pool: a signature costs more than everything else of a request together. */
  sign(input: Uint8Array, privateKey: KeyObject): Promise<Buffer>;
  verify(input: Uint8Array, signature: Uint8Array, publicKey: KeyObject): boolean;
}

export interface KeyObjects {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface KeyKind<Name extends string = string> {
  /** What its keys are called in a sentence, such as `RSA`. */
  readonly title: string;
  readonly algorithm: SignatureAlgorithm<Name>;
  /** How its keys sign an X.509 certificate: the AlgorithmIdentifier, and the hash as node:crypto names it. */
  readonly certificateSignature: {
    readonly objectIdentifier: string;
    readonly hasNullParameters: boolean;
    /** null: the algorithm has its own. */
    readonly hash: string | null;
  };
  /** The members of a public JWK in the order in which they are published, `kty` first (RFC 7518 §6). They make the thumbprint. */
  readonly jwkMembers: readonly ['kty', ...string[]];
  isOfKind(key: KeyObject): boolean;
  /** Why a key of this kind cannot be used, as the end of a sentence; undefined: it can. */
  problemOf(key: KeyObject): string | undefined;
  /** Makes a new key on the thread pool. */
  generate(): Promise<KeyObjects>;
}
