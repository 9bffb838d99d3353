// Time, in two types that cannot be mixed up.
//
// `Clock` says what time it is for the protocol: codes, tokens, SAML conditions, TOTP, cookies, caches. Its offset may
// be moved (it lives in the store), so it must decide everything a tester can observe. `Stopwatch` measures how long
// something really took: timeouts, locks, metrics. This file is the only one that reads the machine's clocks; the
// import check says so.

declare const instantBrand: unique symbol;

/** A moment of the protocol's clock, in milliseconds since the epoch. */
export type Instant = number & { readonly [instantBrand]: 'Instant' };

declare const elapsedBrand: unique symbol;

/** A reading of the monotonic clock, in milliseconds; only differences mean anything. */
export type Monotonic = number & { readonly [elapsedBrand]: 'Monotonic' };

/** The clock of one request or one process: the machine's time plus the namespace's offset. */
export interface Clock {
  now(): Instant;
}

/** Real, monotonic time for timeouts, locks and metrics. */
export interface Stopwatch {
  read(): Monotonic;
  /** Milliseconds since `start`. */
  since(start: Monotonic): number;
}

export const systemClock: Clock = { now: () => Date.now() as Instant };

export const systemStopwatch: Stopwatch = {
  read: () => performance.now() as Monotonic,
  since: (start) => performance.now() - start,
};

/**
 * Microseconds of a count that all processes of this machine share and nobody moves; it begins with the machine. Orders what
 * several processes did, where the milliseconds of the wall clock are equal or it was set back.
 */
export function machineMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

export function instant(milliseconds: number): Instant {
  return milliseconds as Instant;
}

export function plusSeconds(start: Instant, seconds: number): Instant {
  return (start + seconds * 1000) as Instant;
}

/** Whole seconds since the epoch, as JWT NumericDate wants them (RFC 7519 §2). */
export function epochSeconds(moment: Instant): number {
  return Math.floor(moment / 1000);
}
