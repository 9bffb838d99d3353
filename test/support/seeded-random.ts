// Reproducible random input: a test prints its seed, and SEED=<number> repeats the run.
export interface SeededRandom {
  readonly seed: number;
  /** From 0 (included) to 1 (excluded). */
  next(): number;
  /** From `low` to `high`, both included. */
  integer(low: number, high: number): number;
}

/** mulberry32: small, and good enough to select times and victims. */
export function seededRandom(seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))): SeededRandom {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, next, integer: (low, high) => low + Math.floor(next() * (high - low + 1)) };
}
