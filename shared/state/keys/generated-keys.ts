// The keys that this program makes, wherever they lie: in a directory of the machine (directory-keys.ts), in a store that all
// machines share (store-keys.ts), or in the memory of one process (memory-keys.ts).
import type { KeyRotation, KeyRotationRefusedError } from './key-ring.ts';
import type { KeySet } from './key-set.ts';

export interface GeneratedKeys {
  /** For the log, and two with the same place are the same: `store`, `memory`, or the path of a directory. */
  readonly place: string;
  /** The keys in force now; a promise only when they have to be read or made first. */
  current(): KeySet | Promise<KeySet>;
  /** `jwt.max_previous_keys` in force from now on. */
  keepPrevious(maxPrevious: number): void;
  /** Whether rotations leave behind what metadata list beside the active certificate (SPM-31). */
  announceNext(announcesNext: boolean): void;
  /** The active certificate, the next one where there is one, and those kept of previous keys (SPM-31). */
  announcedCertificates(): Promise<readonly string[]>;
  /** Why a rotation would be refused now, as far as it can be told without one. */
  rotationRefusal(): Promise<KeyRotationRefusedError | undefined>;
  /** Simultaneous ones follow each other. @throws KeyRotationRefusedError, and what `refusalFor` makes one of; then no key has changed. */
  rotate(): Promise<KeyRotation>;
}
