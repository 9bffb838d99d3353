import type { Instant } from '#shared/base/clock.ts';
import type { LogoutConfirmation } from '#shared/model/domain/logout-confirmation.ts';

/** Logouts that wait for a yes or no of the person. */
export interface LogoutConfirmations {
  /** Keeps a question; 1000 wait at most, the oldest gives way. */
  ask(confirmation: LogoutConfirmation, now: Instant): Promise<void>;
  /** undefined: unknown, over, answered, or another browser's. */
  find(logoutId: string, browser: string, now: Instant): Promise<LogoutConfirmation | undefined>;
  /** Uses it up: of several simultaneous calls exactly one gets it. */
  answer(logoutId: string, browser: string, now: Instant): Promise<LogoutConfirmation | undefined>;
}
