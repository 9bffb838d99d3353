// The log goes to standard error: JSON lines for programs, readable lines on a terminal. Secrets are redacted here by
// path, once, so callers need not do it (CLI-07).
import { type Logger, pino, stdSerializers } from 'pino';
import { escapedForJsonLog } from './terminal-safe-text.ts';

export type { Logger } from 'pino';

/** The level names of `logging.level`, in the file's spelling and pino's. */
const levels: Record<string, string> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'fatal',
};

/** pino's name of a level in either spelling. */
export function levelName(level: string): string {
  return levels[level.toUpperCase()] ?? level.toLowerCase();
}

/** What the log must not show. The layers above define which names are secret. */
export interface LogSecrets {
  /** Members of a log line, or of an object in it, whose values are replaced. */
  readonly members: readonly string[];
  /** Returns the text of a member without the secrets in it. */
  withoutSecrets(text: string): string;
}

/** Set by the system or by SQLite. An authorization code, which is a secret, never has this form. */
const faultCode = /^(?:E[A-Z]{2,20}|SQLITE_[A-Z_]{2,40})$/;

/** An error as the log shows it. Its `code` is not secret and is stored under a name that is not redacted. */
function serializedError(error: Error): object {
  const shown = stdSerializers.err(error);
  if (typeof shown !== 'object' || shown === null || !('code' in shown)) return shown;
  const { code, ...rest } = shown;
  return typeof code === 'string' && faultCode.test(code) ? { ...rest, fault: code } : shown;
}

/** Text from outside is logged, but only up to this length, so that it cannot fill the disk. */
const textMax = 1024;

function escaped(text: string, { withoutSecrets }: LogSecrets): string {
  const cut = text.length > textMax ? `${text.slice(0, textMax)}… (${text.length} characters)` : text;
  return escapedForJsonLog(withoutSecrets(cut));
}

function escapedMembers(members: Readonly<Record<string, unknown>>, secrets: LogSecrets): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    shown[name] = typeof value === 'string' ? escaped(value, secrets) : value;
  }
  return shown;
}

/** `level` in either spelling (`INFO`, `info`). `name` identifies the process that logs. */
export function createLogger(options: {
  name: string;
  level?: string | undefined;
  pretty?: NodeJS.WritableStream | undefined;
  secrets: LogSecrets;
}): Logger {
  const { secrets } = options;
  const settings = {
    name: options.name,
    level: levelName(options.level ?? 'INFO'),
    redact: { paths: secrets.members.flatMap((member) => [member, `*.${member}`]), censor: '[redacted]' },
    serializers: { err: serializedError },
    formatters: { log: (members: Record<string, unknown>) => escapedMembers(members, secrets) },
  };
  return options.pretty === undefined
    ? pino(settings, pino.destination({ dest: 2, sync: true }))
    : pino(settings, options.pretty);
}
