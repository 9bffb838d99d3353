// A logout that waits for the user's confirmation (LGO-05, LGO-10). States: asked → answered | expired. Bound to the
// browser that showed the question.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';

export const logoutConfirmationLifetimeSeconds = 600;
/** Maximum waiting in a namespace. Beyond it the oldest is evicted. */
export const logoutConfirmationsMax = 1000;

/** The part of an application's request that decides where the browser goes afterwards (LGO-09). */
export interface LogoutRequest {
  /** From the parameter, else from the hint. */
  readonly clientId: string | undefined;
  /** Absent: the request had none. */
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
  /** The sessions that end on confirmation: those that the page names. */
  readonly sids: readonly string[];
  readonly request: LogoutRequest;
  readonly askedAt: Instant;
}

export function endOfLogoutConfirmation({ askedAt }: Pick<LogoutConfirmation, 'askedAt'>): Instant {
  return plusSeconds(askedAt, logoutConfirmationLifetimeSeconds);
}

/** Whether this browser may still answer it. */
export function isAnswerable(confirmation: LogoutConfirmation, browser: string, now: Instant): boolean {
  return confirmation.browser === browser && now < endOfLogoutConfirmation(confirmation);
}
