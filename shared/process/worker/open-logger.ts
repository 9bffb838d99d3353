// The log of a worker: readable lines when standard error is a terminal, JSON lines otherwise (CLI-07). The pretty
// printer is loaded only for a terminal.
import { createLogger, type Logger } from '#shared/base/logger.ts';
import { logSecrets } from '#shared/model/secrets/what-is-secret.ts';

/** `level` in the spelling of `logging.level` or of `--log-level`. */
export async function openLogger(name: string, level: string): Promise<Logger> {
  if (!process.stderr.isTTY) return createLogger({ name, level, secrets: logSecrets });
  const { default: pretty } = await import('pino-pretty');
  const printed = pretty({ destination: 2, sync: true, ignore: 'pid,hostname' });
  return createLogger({ name, level, pretty: printed, secrets: logSecrets });
}
