// The interface of the keys for other modules: the signing key, the verification keys, the published keys. Implemented
// over the keys directory (generated keys) or over the operator's own pair (external keys). A rotation by any other
// process takes effect before the next operation (KEY-12).
import type { KeyObject } from 'node:crypto';
import type { TokenMark } from '#shared/model/domain/token-mark.ts';
import { rotationRefusalOf } from '#shared/model/refusals/families/keys.ts';
import { RefusedError, refused } from '#shared/model/refusals/refusal.ts';
import type { SignatureAlgorithm } from '#shared/protocol/jose/key-kind.ts';
import type { SigningAlgorithm } from '#shared/protocol/jose/key-kinds.ts';

/** A public key with the one algorithm that it verifies. A token's own `alg` counts only when it is the same. */
export interface VerificationKey {
  readonly algorithm: SignatureAlgorithm;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** PEM of the self-signed certificate of this key (SAM-09). */
  readonly certificatePem: string;
}

/** A public key as the key set shows it (DIS-14). */
export interface PublicJwk {
  readonly kty: string;
  readonly use: 'sig';
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  /** The members of the key itself, as its kind defines them. */
  readonly [member: string]: string;
}

export interface KeyRing {
  /** The mark of the tokens that it signs and accepts; left out: none, as in the default identity provider. */
  readonly tokenMark?: TokenMark;
  /** Generated keys are in the store, for all machines, with everything that belongs to them (CLU-06, CLU-11). */
  readonly keptInStore?: boolean;
  /** The active key. Checks whether another process rotated; never waits for the lock. */
  signingKey(): Promise<SigningKey>;
  /**
   * The key that must verify a token with this kid (CLM-04, CLM-06). With external keys it is that key, whatever the
   * kid. Without kid it is the active key. undefined for an unknown kid.
   */
  verificationKey(kid: string | undefined): Promise<VerificationKey | undefined>;
  /** Active key first, then the stored previous ones, newest first. The same object is returned until a key changes. */
  publicKeys(): Promise<readonly PublicJwk[]>;
  information(): Promise<KeyInformation>;
  /**
   * Certificates as SAML metadata list them with `saml.metadata_next_key` (SPM-31): the active one, that of the key
   * that the next rotation makes active, those of the stored previous ones, newest first. Makes the next key if none
   * exists. It is not included if no rotation is possible, or if each rotation generates its key.
   */
  announcedCertificates(): Promise<readonly string[]>;
  /** Why a rotation would be rejected now, as far as this is known without one; undefined: it would be accepted. */
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

/** `message` is the fixed public sentence; the directory and the cause only go to the log (KEY-23). */
export class KeyRotationRefusedError extends RefusedError {
  readonly kind: KeyRotationRefusal;
  constructor(kind: KeyRotationRefusal, options?: { cause?: unknown }) {
    super(refused(rotationRefusalOf[kind]), options);
    this.kind = kind;
  }
}
