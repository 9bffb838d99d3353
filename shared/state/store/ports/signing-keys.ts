// The signing keys that this program made, in a store that all its machines share (CLU-06 to CLU-08), and what its live
// processes sign with (CLU-10).
import type { KeptKey, KeptKeys, KeyRotationRule, SignsWith } from '#shared/model/domain/signing-keys.ts';

interface KeptRotation {
  /** The active keys before the rotation. */
  readonly from: KeptKeys;
  readonly to: KeptKeys;
}

export interface SigningKeys {
  /**
   * Returns the keys as of the last read of the store, which every request does. The value is the same until a key
   * changes. undefined: none yet.
   */
  current(): KeptKeys | undefined;
  /** Stores a first key. Of several simultaneous processes only one succeeds. Returns the active keys (CLU-07). */
  begin(first: KeptKey): Promise<KeptKeys>;
  /** Simultaneous rotations run in order, each on the result of the previous one (CLU-08). */
  rotate(drawn: KeptKey, rule: KeyRotationRule): Promise<KeptRotation>;
  /** Makes the key the next one if none is announced and `after` is still the active key. Returns the active keys. */
  announce(after: string, drawn: KeptKey): Promise<KeptKeys>;
  /**
   * Publishes what this process signs with from now on. When another process that is not proved dead signs with
   * something else, nothing changes, and the other value is returned. A process that lost its proof of life publishes
   * its value again automatically.
   */
  signWith(keys: SignsWith): Promise<SignsWith>;
}
