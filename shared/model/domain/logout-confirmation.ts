// A logout that waits for the person to say yes (LGO-05, LGO-10). States: asked → answered | expired. Bound to the browser
// that was asked.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';

export const logoutConfirmationLifetimeSeconds = 600;
/** Waiting in a namespace; beyond that the oldest gives way. */
export const logoutConfirmationsMax = 1000;

/** What an application asked for, as far as it decides where the browser goes afterwards (LGO-09). */
export interface LogoutRequest {
  /** As the parameter says, else as the hint does. */
  readonly clientId: string | undefined;
  /** Absent: none was sent. */
  readonly hint: LogoutHint | undefined;
  readonly address: string | undefined;
  readonly state: string | undefined;
}

/** A valid id_token_hint. */
interface LogoutHint {
  readonly clientId: string | undefined;
}

export interface LogoutConfirmation {
  readonly logout_id: string;
  readonly browser: string;
  /** The sessions that end with a yes: those that the page names. */
  readonly sids: readonly string[];
  readonly request: LogoutRequest;
  readonly askedAt: Instant;
}

export function endOfLogoutConfirmation({ askedAt }: Pick<LogoutConfirmation, 'askedAt'>): Instant {
  return plusSeconds(askedAt, logoutConfirmationLifetimeSeconds);
}

/** This browser may still answer it. */
export function isAnswerable(confirmation: LogoutConfirmation, browser: string, now: Instant): boolean {
  return confirmation.browser === browser && now < endOfLogoutConfirmation(confirmation);
}
