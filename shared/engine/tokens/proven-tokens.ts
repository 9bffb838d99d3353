// Tokens whose signature was found right, so that a token that is presented again is not verified again: that this key made
// it stays true. Whatever can change is for the caller to ask each time: whether the key still verifies, the time,
// revocation. Bounded, and gone with the key.
import type { VerificationKey } from '#shared/state/keys/key-ring.ts';

type Claims = Readonly<Record<string, unknown>>;

const tokensOfKeyMax = 256;
/** Longer tokens are verified each time, so that what is kept stays within a MiB or so for each key. */
const tokenLengthMax = 4096;

const proven = new WeakMap<VerificationKey, Map<string, Claims>>();

/** The claims of a token that the key was found to have signed; undefined: nothing is known of it. */
export function provenClaims(token: string, key: VerificationKey): Claims | undefined {
  return proven.get(key)?.get(token);
}

export function keepProven(token: string, key: VerificationKey, claims: Claims): void {
  if (token.length > tokenLengthMax) return;
  let ofKey = proven.get(key);
  if (ofKey === undefined) {
    ofKey = new Map();
    proven.set(key, ofKey);
  }
  const [oldest] = ofKey.keys();
  if (ofKey.size >= tokensOfKeyMax && oldest !== undefined) ofKey.delete(oldest);
  ofKey.set(token, Object.freeze(claims));
}
