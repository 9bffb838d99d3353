// The keys that this program generates, in a directory of the machine (directory-keys.ts), in a store that all machines
// share (store-keys.ts), or in the memory of one process (memory-keys.ts).
import type { KeyRotation, KeyRotationRefusedError } from './key-ring.ts';
import type { KeySet } from './key-set.ts';

export interface GeneratedKeys {
  /** For the log; equal for the same keys: `store`, `memory`, or the path of a directory. */
  readonly place: string;
  /** The active keys; a promise only when they have to be read or made first. */
  current(): KeySet | Promise<KeySet>;
  /** Sets the active `jwt.max_previous_keys`. */
  keepPrevious(maxPrevious: number): void;
  /** Whether rotations leave the certificates that metadata list beside the active one (SPM-31). */
  announceNext(announcesNext: boolean): void;
  /** The active certificate, the next one if it exists, and those stored of previous keys (SPM-31). */
  announcedCertificates(): Promise<readonly string[]>;
  /** Why a rotation would be rejected now, as far as this is known without one. */
  rotationRefusal(): Promise<KeyRotationRefusedError | undefined>;
  /**
   * Simultaneous rotations run one after the other. @throws KeyRotationRefusedError, and errors that `refusalFor` turns
   * into one; then no key has changed.
   */
  rotate(): Promise<KeyRotation>;
}
