// The succession of signing keys, wherever they are stored: one signs, previous ones still verify, and the next may be
// announced early. Pure. The type of a key is the caller's.

/** A key that no longer signs, but still verifies. */
export interface FormerKey {
  readonly kid: string;
  readonly publicKeyPem: string;
  /** Kept for metadata that list it (SPM-31). undefined: it was not announced. */
  readonly certificatePem: string | undefined;
}

/** A key as a store keeps it, with its private part unencrypted (CLU-09). */
export interface KeptKey extends FormerKey {
  readonly privateKeyPem: string;
  readonly certificatePem: string;
}

interface KeySuccession<Key, Former> {
  readonly active: Key;
  /** Newest first. */
  readonly previous: readonly Former[];
  /** The next rotation makes this key active. It is already announced (SPM-31). */
  readonly next: Key | undefined;
}

/** All generated keys of a store. */
export type KeptKeys = KeySuccession<KeptKey, FormerKey>;

/** The largest `jwt.max_previous_keys`. */
export const previousKeysMax = 10;

export interface KeyRotationRule {
  /** `jwt.max_previous_keys`: how many previous keys still verify (KEY-09). */
  readonly maxPrevious: number;
  /** `saml.metadata_next_key`. */
  readonly announcesNext: boolean;
}

/** A key that was announced is used before the drawn one, which is then announced. */
export function keysAfterRotation<Key, Former>(
  { active, previous, next }: KeySuccession<Key, Former>,
  drawn: Key,
  { maxPrevious, announcesNext }: KeyRotationRule,
  retired: (key: Key) => Former,
): KeySuccession<Key, Former> {
  return {
    active: next ?? drawn,
    previous: [retired(active), ...previous].slice(0, maxPrevious),
    next: next !== undefined && announcesNext ? drawn : undefined,
  };
}

export function rotateKeptKeys(keys: KeptKeys, drawn: KeptKey, rule: KeyRotationRule): KeptKeys {
  return keysAfterRotation(keys, drawn, rule, ({ kid, publicKeyPem, certificatePem }) => ({
    ...{ kid, publicKeyPem },
    certificatePem: rule.announcesNext ? certificatePem : undefined,
  }));
}

/** If a key is already announced, that one stays. After a rotation this one is no longer needed (SPM-31). */
export function announceNextKey(keys: KeptKeys, after: string, drawn: KeptKey): KeptKeys {
  return keys.active.kid !== after || keys.next !== undefined ? keys : { ...keys, next: drawn };
}

/**
 * What a process signs with, for comparison with other processes: the keys of the store, or the operator's pair under
 * its kid (CLU-10).
 */
export type SignsWith = 'generated' | { readonly kid: string; readonly thumbprint: string };

export function signsWithSame(one: SignsWith, other: SignsWith): boolean {
  if (one === 'generated' || other === 'generated') return one === other;
  return one.kid === other.kid && one.thumbprint === other.thumbprint;
}
