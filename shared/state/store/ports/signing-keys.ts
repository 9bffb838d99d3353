// The signing keys that this program made, in a store that keeps them for all its machines (CLU-06 to CLU-08), and what
// its living processes sign with (CLU-10).
import type { KeptKey, KeptKeys, KeyRotationRule, SignsWith } from '#shared/model/domain/signing-keys.ts';

interface KeptRotation {
  /** What was in force before. */
  readonly from: KeptKeys;
  readonly to: KeptKeys;
}

export interface SigningKeys {
  /** As of the last look at the store, which every request takes; the same value until a key changes. undefined: none yet. */
  current(): KeptKeys | undefined;
  /** Takes a first key, of one process where several come at once; answers what is in force then (CLU-07). */
  begin(first: KeptKey): Promise<KeptKeys>;
  /** Simultaneous ones follow each other, each on what the one before left (CLU-08). */
  rotate(drawn: KeptKey, rule: KeyRotationRule): Promise<KeptRotation>;
  /** Makes it the next one where none is announced and the active key is still that one; answers what is in force then. */
  announce(after: string, drawn: KeptKey): Promise<KeptKeys>;
  /**
   * Says what this process signs with from now on, unless another process that is not proved dead signs with something else:
   * then nothing changes, and that is answered. A process that lost its proof of life says so anew by itself.
   */
  signWith(keys: SignsWith): Promise<SignsWith>;
}
