import type { Instant } from '#shared/base/clock.ts';

export interface RateCounters {
  /**
   * Counts one request in the bucket (a fixed window of `windowSeconds`). Returns undefined within `limit`, otherwise
   * the seconds until the window ends (HDR-14).
   */
  count(bucket: string, limit: number, windowSeconds: number, now: Instant): Promise<number | undefined>;
}

export interface SharedSecrets {
  /**
   * Returns the secret of that name. The first caller makes it with `create`, and every process gets the same one
   * (LOG-27).
   */
  get(name: string, create: () => string): Promise<string>;
}

/** Signed redirect requests that a browser sent and that were verified (SAM-28, SAM-29). */
export interface VerifiedAuthnRequests {
  /** Stores a digest for a browser. At most 10 are stored, and the oldest is evicted first. */
  record(browser: string, digest: string, now: Instant): Promise<void>;
  /** Returns whether the digest was stored in the last 600 s. A hit renews it. */
  recall(browser: string, digest: string, now: Instant): Promise<boolean>;
}

/** The last response to each SAML service provider, for the fault that sends it again (FLT-K166). */
export interface DeliveredResponses {
  /**
   * Replaces the previous response to the same service provider. Responses of at most 200 service providers are stored.
   * The least recently updated is evicted first. A document of more than 256 Ki characters is not stored, and the
   * previous one is deleted.
   */
  record(serviceProvider: string, document: string): Promise<void>;
  last(serviceProvider: string): Promise<string | undefined>;
}
