// Randomness as a dependency, so that tests can fix it. No other module draws random numbers.
import { randomBytes, randomFillSync, randomInt } from 'node:crypto';

export interface Randomness {
  bytes(length: number): Buffer;
  /** A uniformly drawn integer from 0 to `bound - 1`. */
  integerBelow(bound: number): number;
  /** `length` random bytes as base64url text. 32 bytes give 43 characters. */
  token(length?: number): string;
}

/** One call to the system's generator costs as much as a whole JSON body, so small draws share one call. */
const poolBytes = 4096;
const pool = Buffer.alloc(poolBytes);
let poolUsed = poolBytes;

/** Every byte of the pool is used once and then wiped. */
function drawToken(length: number): string {
  if (length > poolBytes / 16) return randomBytes(length).toString('base64url');
  if (poolUsed + length > poolBytes) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const drawn = pool.subarray(poolUsed, poolUsed + length);
  poolUsed += length;
  const text = drawn.toString('base64url');
  drawn.fill(0);
  return text;
}

export const systemRandomness: Randomness = {
  bytes: (length) => randomBytes(length),
  integerBelow: (bound) => randomInt(bound),
  token: (length = 32) => drawToken(length),
};
