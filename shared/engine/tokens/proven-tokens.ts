// A cache of tokens whose signature was valid, so that a repeated token is not verified again: a valid signature stays
// valid. The caller checks each time what can change: whether the key still verifies, the time, revocation. The cache
// is bounded, and is dropped with the key.
import type { VerificationKey } from '#shared/state/keys/key-ring.ts';

type Claims = Readonly<Record<string, unknown>>;

const tokensOfKeyMax = 256;
/** Longer tokens are verified each time, so that the cache takes about a MiB at most for each key. */
const tokenLengthMax = 4096;

const proven = new WeakMap<VerificationKey, Map<string, Claims>>();

/** The claims of a token that the key is known to have signed; undefined: unknown. */
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
