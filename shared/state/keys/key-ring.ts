// What the rest of the house may know of keys: who signs now, who verifies, what is published. Implemented over the keys
// directory (generated keys) or over the operator's own pair (external keys). Picks up a rotation by any other process
// before the next operation (KEY-12).
import type { KeyObject } from 'node:crypto';
import type { TokenMark } from '#shared/model/domain/token-mark.ts';
import { rotationRefusalOf } from '#shared/model/refusals/families/keys.ts';
import { RefusedError, refused } from '#shared/model/refusals/refusal.ts';
import type { SignatureAlgorithm } from '#shared/protocol/jose/key-kind.ts';
import type { SigningAlgorithm } from '#shared/protocol/jose/key-kinds.ts';

/** A public key with the one algorithm that it verifies: what a token says of its own counts only when it agrees. */
export interface VerificationKey {
  readonly algorithm: SignatureAlgorithm;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** PEM of the self-signed certificate of exactly this key (SAM-09). */
  readonly certificatePem: string;
}

/** A public key as the key set shows it (DIS-14). */
export interface PublicJwk {
  readonly kty: string;
  readonly use: 'sig';
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  /** Those of the key itself, as its kind has them. */
  readonly [member: string]: string;
}

export interface KeyRing {
  /** The mark of the tokens that are signed and accepted with it; left out: none, as in the default identity provider. */
  readonly tokenMark?: TokenMark;
  /** Generated keys lie in the store, for all machines, and what belongs to them lies there, too (CLU-06, CLU-11). */
  readonly keptInStore?: boolean;
  /** The active key. Looks whether another process rotated; never blocks on the lock. */
  signingKey(): Promise<SigningKey>;
  /**
   * The key that must verify a token with this kid (CLM-04, CLM-06): with external keys that key whatever the kid;
   * without kid the active key; undefined when nobody owns the kid.
   */
  verificationKey(kid: string | undefined): Promise<VerificationKey | undefined>;
  /** Active key first, then the kept previous ones, newest first. Changes identity only when a key changed. */
  publicKeys(): Promise<readonly PublicJwk[]>;
  information(): Promise<KeyInformation>;
  /**
   * Certificates as SAML metadata list them with `saml.metadata_next_key` (SPM-31): the active one, that of the key which the next
   * rotation makes active, those of the kept previous ones, newest first. Makes that key where none lies ready; where nobody
   * can rotate, or each rotation draws its key, it is not among them.
   */
  announcedCertificates(): Promise<readonly string[]>;
  /** Why a rotation would be refused now, as far as it can be told without one; undefined: it would not. */
  rotationRefusal(): Promise<KeyRotationRefusedError | undefined>;
  /** @throws KeyRotationRefusedError with the contract's kinds (KEY-21, KEY-22). */
  rotate(): Promise<KeyRotation>;
}

/** The body of GET /api/keys/info (KEY-11). */
export interface KeyInformation {
  readonly active_kid: string;
  readonly previous_keys_count: number;
  readonly previous_kids: readonly string[];
  readonly max_previous_keys: number;
}

/** The result of a rotation (KEY-10). */
export interface KeyRotation {
  readonly old_kid: string;
  readonly new_kid: string;
  readonly previous_keys_count: number;
  /** ISO 8601 instant. */
  readonly rotated_at: string;
}

export type KeyRotationRefusal =
  | 'external_keys_not_rotatable'
  | 'keys_directory_not_writable'
  | 'lock_namespace_unavailable'
  | 'lock_timeout'
  | 'lock_unsupported';

/** `message` is the fixed public sentence; the directory and the cause go to the log alone (KEY-23). */
export class KeyRotationRefusedError extends RefusedError {
  readonly kind: KeyRotationRefusal;
  constructor(kind: KeyRotationRefusal, options?: { cause?: unknown }) {
    super(refused(rotationRefusalOf[kind]), options);
    this.kind = kind;
  }
}
