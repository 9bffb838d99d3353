// A person's consent to a client: which scopes it may have (SSO-35 to SSO-37).
import type { Instant } from '#shared/base/clock.ts';

/** The bound of a namespace; the consent given first gives way. */
export const consentsMax = 10_000;

export interface Consent {
  readonly username: string;
  readonly client_id: string;
  readonly scope: readonly string[];
  readonly givenAt: Instant;
}

/** Whether nothing new is asked for. */
export function isConsentedTo(scope: readonly string[], consented: readonly string[] | undefined): boolean {
  return consented !== undefined && scope.every((name) => consented.includes(name));
}

/** What is remembered after a further consent: what was allowed once stays allowed. */
export function widenedConsent(before: readonly string[], scope: readonly string[]): readonly string[] {
  return [...new Set([...before, ...scope])];
}
