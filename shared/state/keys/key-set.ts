// The active keys of one process at one moment, as an immutable value: the signing key, the verification keys, the
// published keys.
import type { KeyObject } from 'node:crypto';
import { type KeyPair, publicJwk, requiredKind } from './key-pair.ts';
import type { KeyInformation, PublicJwk, SigningKey, VerificationKey } from './key-ring.ts';

export interface KeySet {
  readonly signing: SigningKey;
  /** Active key first, then the stored previous ones, newest first (KEY-07). */
  readonly jwks: readonly PublicJwk[];
  readonly information: KeyInformation;
  /** The key that verifies a token with this kid, undefined for an unknown kid (KEY-08, KEY-19). */
  verificationKey(kid: string | undefined): VerificationKey | undefined;
}

export interface ActiveKey {
  readonly kid: string;
  readonly pair: KeyPair;
  readonly certificatePem: string;
}

/** `previous` newest first and not yet limited; `maxPrevious` is `jwt.max_previous_keys` (KEY-09). */
export function generatedKeySet(
  active: ActiveKey,
  previous: readonly { readonly kid: string; readonly publicKey: KeyObject }[],
  maxPrevious: number,
): KeySet {
  const kept = previous.slice(0, maxPrevious);
  const signing = signingKey(active);
  const byKid = new Map<string, VerificationKey>(
    kept.map(({ kid, publicKey }) => [kid, { algorithm: requiredKind(publicKey).algorithm, publicKey }]),
  );
  byKid.set(active.kid, signing);
  return {
    signing,
    jwks: [publicJwk(active.pair.publicKey, active.kid), ...kept.map((key) => publicJwk(key.publicKey, key.kid))],
    information: {
      active_kid: active.kid,
      previous_keys_count: kept.length,
      previous_kids: kept.map((key) => key.kid),
      max_previous_keys: maxPrevious,
    },
    verificationKey: (kid) => byKid.get(kid ?? active.kid),
  };
}

/** The operator's own pair: it signs, is the whole key set, and verifies tokens with any kid. */
export function externalKeySet(active: ActiveKey, maxPrevious: number): KeySet {
  const set = generatedKeySet(active, [], maxPrevious);
  return { ...set, verificationKey: () => set.signing };
}

function signingKey({ kid, pair, certificatePem }: ActiveKey): SigningKey {
  const { privateKey, publicKey } = pair;
  return { kid, algorithm: requiredKind(publicKey).algorithm, privateKey, publicKey, certificatePem };
}
