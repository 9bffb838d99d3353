import { pino } from 'pino';
import type { Logger } from '#shared/base/logger.ts';

/** For tests that do not read the log. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}
