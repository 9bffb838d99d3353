import type { Instant } from '#shared/base/clock.ts';

export interface RateCounters {
  /**
   * Counts one request in the bucket (a fixed window of `windowSeconds`). Answers undefined when it is within `limit`,
   * else the seconds until the window ends (HDR-14).
   */
  count(bucket: string, limit: number, windowSeconds: number, now: Instant): Promise<number | undefined>;
}

export interface SharedSecrets {
  /** The secret of that name, made with `create` by whoever asks first; the same for every process (LOG-27). */
  get(name: string, create: () => string): Promise<string>;
}

/** Signed redirect requests that a browser sent and that were verified (SAM-28, SAM-29). */
export interface VerifiedAuthnRequests {
  /** Remembers a digest for a browser: at most 10, the oldest goes first. */
  remember(browser: string, digest: string, now: Instant): Promise<void>;
  /** Whether it was remembered in the last 600 s; a hit renews it. */
  recall(browser: string, digest: string, now: Instant): Promise<boolean>;
}

/** What each SAML service provider got last, for the fault that sends it again (FLT-K166). */
export interface DeliveredResponses {
  /**
   * Takes the place of what the same service provider got before. At most 200 service providers are remembered, the one
   * that got nothing for longest goes first, and a document of more than 256 Ki characters is forgotten.
   */
  remember(serviceProvider: string, document: string): Promise<void>;
  last(serviceProvider: string): Promise<string | undefined>;
}
