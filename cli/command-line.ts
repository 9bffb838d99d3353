// Reading what was typed: the values of options, checked, with errors that name the option and what it takes.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { WorkerStart } from '#shared/worker/mailbox.ts';
import type { DescribedOptions } from './options.ts';
import { UsageError } from './usage-error.ts';

/** The values of the options given. @throws UsageError */
export function readOptions<const Options extends DescribedOptions>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** `--config-dir`, else IDP_CONFIG_DIR, else ./config; absolute (CLI-02). @throws UsageError */
export function configDirectory(option: string | undefined): string {
  // An unset variable of a script must not mean the working directory.
  if (option === '') throw new UsageError('--config-dir takes a directory');
  return resolve(option ?? (process.env.IDP_CONFIG_DIR || 'config'));
}

interface StartValues {
  readonly 'config-dir'?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly 'log-level'?: string | undefined;
  readonly profile?: string | undefined;
  readonly 'strict-config'?: boolean | undefined;
}

/** What a worker is told of these options. @throws UsageError */
export function startOf(values: StartValues): Omit<WorkerStart, 'stack' | 'store' | 'runBeforeLoadHook'> {
  const { host, port, profile } = values;
  const level = values['log-level'];
  // A colon is part of an address of IPv6 and of nothing else: whoever types a URL or a port means something else.
  if (host === '' || (host !== undefined && /[/[\]\s]/.test(host)) || (host?.includes(':') && isIP(host) === 0)) {
    throw new UsageError(`--host takes an address such as 127.0.0.1 or ::1 and nothing else, not '${host}'`);
  }
  return {
    configDirectory: configDirectory(values['config-dir']),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port: portNumber('--port', port) }),
    ...(profile === undefined ? {} : { profile: oneOf('--profile', profile, ['dev', 'stricter-dev', 'oauth21']) }),
    ...(values['strict-config'] === true ? { strict: true } : {}),
    ...(level === undefined ? {} : { logLevel: oneOf('--log-level', level.toUpperCase(), logLevels) }),
  };
}

const logLevels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;

export function portNumber(option: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`${option} takes a port from 0 (any free one) to 65535, not '${text}'`);
  return port;
}

function oneOf<const Values extends readonly string[]>(option: string, text: string, values: Values): Values[number] {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new UsageError(`${option} takes one of ${values.join(', ')}, not '${text}'`);
  return found;
}
