// Two types of time that cannot be mixed up.
//
// `Clock` is the protocol's time: codes, tokens, SAML conditions, TOTP, cookies, caches. Its offset is in the store and
// can be moved, so it must decide everything that a tester can observe. `Stopwatch` measures real durations: timeouts,
// locks, metrics. Only this file reads the machine's clocks, and the import check enforces that.

declare const instantBrand: unique symbol;

/** A moment of the protocol's clock, in milliseconds since the epoch. */
export type Instant = number & { readonly [instantBrand]: 'Instant' };

declare const elapsedBrand: unique symbol;

/** A reading of the monotonic clock, in milliseconds. Only differences are meaningful. */
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

let lastMicroseconds = 0;

/**
 * Microseconds since the machine started. All processes of the machine share this counter, and it cannot be set. It
 * orders events of several processes when their wall-clock milliseconds are equal or the wall clock was set back. No two
 * calls in a process return the same value, so that two events within one microsecond have an order, too.
 */
export function machineMicroseconds(): number {
  lastMicroseconds = Math.max(Number(process.hrtime.bigint() / 1000n), lastMicroseconds + 1);
  return lastMicroseconds;
}

export function instant(milliseconds: number): Instant {
  return milliseconds as Instant;
}

export function plusSeconds(start: Instant, seconds: number): Instant {
  return (start + seconds * 1000) as Instant;
}

/** Whole seconds since the epoch, as JWT NumericDate requires (RFC 7519 §2). */
export function epochSeconds(moment: Instant): number {
  return Math.floor(moment / 1000);
}
