// The log goes to standard error: JSON lines for programs, readable lines on a terminal. Secrets are redacted by path
// here, once, instead of being remembered at every call (CLI-07).
import { type Logger, pino, stdSerializers } from 'pino';
import { withoutAddressSecrets } from './secrets/mask-addresses.ts';
import { withoutUnruly } from './terminal-safe-text.ts';

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

const secretMembers = [
  'password',
  'client_secret',
  'secret',
  'totp_secret',
  'totp_code',
  'access_token',
  'refresh_token',
  'id_token',
  'code',
  'device_code',
  'code_verifier',
  'authorization',
  'cookie',
  'admin_secret',
  'management_secret',
  'registration_access_token',
  'secret_key',
];

/** Named by the system or by SQLite; an authorization code, which is a secret, never looks like that. */
const faultCode = /^(?:E[A-Z]{2,20}|SQLITE_[A-Z_]{2,40})$/;

/** An error as the log shows it. What its `code` says is no secret, and stands under a name that nobody redacts. */
function serializedError(error: Error): object {
  const shown = stdSerializers.err(error);
  if (typeof shown !== 'object' || shown === null || !('code' in shown)) return shown;
  const { code, ...rest } = shown;
  return typeof code === 'string' && faultCode.test(code) ? { ...rest, fault: code } : shown;
}

/** What somebody sent is told, and fills no disk. */
const textMax = 1024;

function escaped(text: string): string {
  const cut = text.length > textMax ? `${text.slice(0, textMax)}… (${text.length} characters)` : text;
  return withoutUnruly(withoutAddressSecrets(cut));
}

function tamedMembers(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) shown[name] = typeof value === 'string' ? escaped(value) : value;
  return shown;
}

/** `level` in either spelling (`INFO`, `info`); `name` says which process is speaking. */
export function createLogger(options: {
  name: string;
  level?: string | undefined;
  pretty?: NodeJS.WritableStream | undefined;
}): Logger {
  const settings = {
    name: options.name,
    level: levelName(options.level ?? 'INFO'),
    redact: { paths: secretMembers.flatMap((member) => [member, `*.${member}`]), censor: '[redacted]' },
    serializers: { err: serializedError },
    formatters: { log: tamedMembers },
  };
  return options.pretty === undefined
    ? pino(settings, pino.destination({ dest: 2, sync: true }))
    : pino(settings, options.pretty);
}
