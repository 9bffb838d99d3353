// A user's consent to a client: which scopes it may have (SSO-35 to SSO-37).
import type { Instant } from '#shared/base/clock.ts';

/** The bound of a namespace. The oldest consent is evicted. */
export const consentsMax = 10_000;

export interface Consent {
  readonly username: string;
  readonly client_id: string;
  readonly scope: readonly string[];
  readonly givenAt: Instant;
}

/** Whether every requested scope already has consent. */
export function isConsentedTo(scope: readonly string[], consented: readonly string[] | undefined): boolean {
  return consented !== undefined && scope.every((name) => consented.includes(name));
}

/** The stored scopes after a further consent. Scopes once allowed stay allowed. */
export function widenedConsent(before: readonly string[], scope: readonly string[]): readonly string[] {
  return [...new Set([...before, ...scope])];
}
