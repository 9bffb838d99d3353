// How signing keys follow each other, wherever they lie: one signs, those it followed still verify, and one may be
// announced before its time. Pure; keys themselves are values of whoever keeps them.

/** A key that signs no longer and still verifies. */
export interface FormerKey {
  readonly kid: string;
  readonly publicKeyPem: string;
  /** Kept for metadata that list it (SPM-31); undefined: it was not announced. */
  readonly certificatePem: string | undefined;
}

/** A key as a store keeps it, its private part in clear (CLU-09). */
export interface KeptKey extends FormerKey {
  readonly privateKeyPem: string;
  readonly certificatePem: string;
}

interface KeySuccession<Key, Former> {
  readonly active: Key;
  /** Newest first. */
  readonly previous: readonly Former[];
  /** What the next rotation makes active, announced already (SPM-31). */
  readonly next: Key | undefined;
}

/** All generated keys of a store. */
export type KeptKeys = KeySuccession<KeptKey, FormerKey>;

export interface KeyRotationRule {
  /** `jwt.max_previous_keys`: what still verifies after it (KEY-09). */
  readonly maxPrevious: number;
  /** `saml.metadata_next_key`. */
  readonly announcesNext: boolean;
}

/** A key that was announced is taken before the drawn one, which is then the next to be announced. */
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

/** Where one is announced already that one stays, and after a rotation nobody waits for this one (SPM-31). */
export function announceNextKey(keys: KeptKeys, after: string, drawn: KeptKey): KeptKeys {
  return keys.active.kid !== after || keys.next !== undefined ? keys : { ...keys, next: drawn };
}

/** What a process signs with, as others compare it: the keys of the store, or the operator's pair under its kid (CLU-10). */
export type SignsWith = 'generated' | { readonly kid: string; readonly thumbprint: string };

export function signsWithSame(one: SignsWith, other: SignsWith): boolean {
  if (one === 'generated' || other === 'generated') return one === other;
  return one.kid === other.kid && one.thumbprint === other.thumbprint;
}
