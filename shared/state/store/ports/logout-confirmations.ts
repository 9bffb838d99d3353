import type { Instant } from '#shared/base/clock.ts';
import type { LogoutConfirmation } from '#shared/model/domain/logout-confirmation.ts';

/** Logouts that wait for the user's yes or no. */
export interface LogoutConfirmations {
  /** Stores a confirmation request. At most 1000 are stored. The oldest is evicted. */
  ask(confirmation: LogoutConfirmation, now: Instant): Promise<void>;
  /** undefined: unknown, expired, answered, or another browser's. */
  find(logoutId: string, browser: string, now: Instant): Promise<LogoutConfirmation | undefined>;
  /** Uses it up. Of several simultaneous calls exactly one gets it. */
  answer(logoutId: string, browser: string, now: Instant): Promise<LogoutConfirmation | undefined>;
}
