// Randomness as a dependency, so that tests can fix it. Nothing else in the program draws random numbers.
import { randomBytes, randomInt } from 'node:crypto';

export interface Randomness {
  bytes(length: number): Buffer;
  /** A uniformly drawn integer from 0 to `bound - 1`. */
  integerBelow(bound: number): number;
  /** `length` random bytes as base64url text; 32 bytes give 43 characters. */
  token(length?: number): string;
}

export const systemRandomness: Randomness = {
  bytes: (length) => randomBytes(length),
  integerBelow: (bound) => randomInt(bound),
  token: (length = 32) => randomBytes(length).toString('base64url'),
};
