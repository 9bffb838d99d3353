// A secret in a form that may be shown. It is equal for equal values of one namespace. It is useless for checking a
// list of values, because the key is generated for the namespace and never shown (REC-04).
import { hash } from 'node:crypto';
import type { Randomness } from '#shared/base/random.ts';
import type { SharedSecrets } from '#shared/state/store/ports/coordination.ts';

export interface Fingerprints {
  of(value: string): string;
}

const shownDigits = 12;

/** A client sends the same credentials and tokens again and again. */
const knownMax = 500;
const knownCharactersMax = 2048;

/**
 * The key precedes the value and has a fixed length. Only a short part of the digest is shown, so a length extension is
 * impossible. HMAC would be no safer here, and would cost twice as much for every token.
 */
export function fingerprintsWith(key: string): Fingerprints {
  const known = new Map<string, string>();
  const draw = (value: string) => `fp:${hash('sha256', key + value, 'hex').slice(0, shownDigits)}`;
  return {
    of: (value) => {
      const found = known.get(value);
      if (found !== undefined) return found;
      const drawn = draw(value);
      if (value.length > knownCharactersMax) return drawn;
      if (known.size >= knownMax) known.clear();
      known.set(value, drawn);
      return drawn;
    },
  };
}

const opened = new WeakMap<SharedSecrets, Fingerprints | Promise<Fingerprints>>();

/** The fingerprints of a namespace; a promise only the first time. */
export function fingerprintsOf(secrets: SharedSecrets, random: Randomness): Fingerprints | Promise<Fingerprints> {
  const known = opened.get(secrets);
  if (known !== undefined) return known;
  const knownSecrets = secrets
    .get('recorder-fingerprints', () => random.token(32))
    .then(
      (key) => {
        const made = fingerprintsWith(key);
        opened.set(secrets, made);
        return made;
      },
      (error: unknown) => {
        opened.delete(secrets);
        throw error;
      },
    );
  opened.set(secrets, knownSecrets);
  return knownSecrets;
}
