// Errors of a failing server are logged once a minute, however many requests they affect (PGS-36). The log has
// PostgreSQL's code, and no statements or values.

import type { Stopwatch } from '#shared/base/clock.ts';
import { messageOf } from '#shared/base/error-text.ts';
import type { Logger } from '#shared/base/logger.ts';
import { sqlState } from './connection.ts';

const minuteMilliseconds = 60_000;

export function troubleLog(log: Logger, stopwatch: Stopwatch): (cause: unknown) => void {
  const lastSaid = new Map<string, ReturnType<Stopwatch['read']>>();
  return (cause) => {
    const code = sqlState(cause) ?? 'none';
    const last = lastSaid.get(code);
    if (last !== undefined && stopwatch.since(last) < minuteMilliseconds) return;
    lastSaid.set(code, stopwatch.read());
    log.warn({ sqlstate: code, reason: messageOf(cause) }, 'PostgreSQL cannot be used');
  };
}
