// What a signature algorithm is to the house: one file each in this folder. A key carries its own, so whoever signs or
// verifies asks the key and names none.
import type { KeyObject } from 'node:crypto';

export interface SignatureAlgorithm {
  /** The `alg` of RFC 7518 §3.1. */
  readonly name: string;
  /** The SignatureMethod of XML signatures, where there is one (XML Signature 1.1 §6.2.1). */
  readonly xmlSignatureMethod: string | undefined;
  /** On the thread pool: a signature costs more than everything else of a request together. */
  sign(input: Uint8Array, privateKey: KeyObject): Promise<Buffer>;
  verify(input: Uint8Array, signature: Uint8Array, publicKey: KeyObject): boolean;
}
