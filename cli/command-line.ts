// Parses the command line and checks the values of options. Errors name the option and the values that it takes.

import { lstatSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { WorkerStart } from '#shared/process/worker/mailbox.ts';
import type { DescribedOptions } from './options.ts';
import { remarksAtStart } from './remarks-at-start.ts';
import { parsingError, UsageError } from './usage-error.ts';

/** The values of the given options. `--config` is another spelling of `--config-dir`. @throws UsageError */
export function readOptions<const Options extends DescribedOptions>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: withConfigDir(args, options), options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw parsingError(error, Object.keys(options));
  }
}

/** `--config`, the name in other programs, becomes `--config-dir` where that is an option. */
export function withConfigDir(args: readonly string[], options: DescribedOptions): string[] {
  if (!('config-dir' in options)) return [...args];
  const end = args.indexOf('--');
  return args.map((arg, index) => (end !== -1 && index > end ? arg : arg.replace(/^--config(?==|$)/, '--config-dir')));
}

const usualDirectory = 'config';

/** `--config-dir`, else IDP_CONFIG_DIR, else ./config. Absolute (CLI-02). @throws UsageError */
export function configDirectory(option: string | undefined): string {
  return resolve(namedDirectory(option) ?? usualDirectory);
}

/** The same, or undefined when none was named and ./config does not exist: the embedded configuration (PKG-13). */
export function configDirectoryIfAny(option: string | undefined): string | undefined {
  const named = namedDirectory(option);
  if (named !== undefined) return resolve(named);
  // Anything of that name counts, even if it is unusable. The load then fails with the reason.
  return lstatSync(usualDirectory, { throwIfNoEntry: false }) === undefined ? undefined : resolve(usualDirectory);
}

function namedDirectory(option: string | undefined): string | undefined {
  // An unset variable in a script must not mean the working directory.
  if (option === '') throw new UsageError('--config-dir must be a directory');
  return option ?? (process.env.IDP_CONFIG_DIR || undefined);
}

interface StartValues {
  readonly 'config-dir'?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly 'log-level'?: string | undefined;
  readonly profile?: string | undefined;
  readonly 'strict-config'?: boolean | undefined;
  readonly declare?: boolean | undefined;
  readonly tls?: boolean | undefined;
}

/** The options for a worker. @throws UsageError */
export function startOf(values: StartValues): Omit<WorkerStart, 'stack' | 'store' | 'runBeforeLoadHook'> {
  const { host, port, profile } = values;
  const directory = configDirectoryIfAny(values['config-dir']);
  const level = values['log-level'];
  // A colon only occurs in IPv6 addresses. In any other value it means a URL or a port.
  if (host === '' || (host !== undefined && /[/[\]\s]/.test(host)) || (host?.includes(':') && isIP(host) === 0)) {
    throw new UsageError(`--host must be an address such as 127.0.0.1 or ::1, not '${host}'`);
  }
  const { host: defaultHost } = defaultsOfPlace();
  return {
    ...(directory === undefined ? {} : { configDirectory: directory }),
    remarks: remarksAtStart(directory),
    ...(host === undefined ? {} : { host }),
    ...(defaultHost === undefined ? {} : { defaultHost }),
    ...(port === undefined ? {} : { port: portNumber('--port', port) }),
    ...(profile === undefined ? {} : { profile: oneOf('--profile', profile, ['dev', 'stricter-dev', 'oauth21']) }),
    ...(values.tls === true ? { tls: 'auto' as const } : {}),
    ...(values['strict-config'] === true ? { strict: true } : {}),
    ...(values.declare === true ? { declare: true } : {}),
    ...(level === undefined ? {} : { logLevel: oneOf('--log-level', level.toUpperCase(), logLevels) }),
  };
}

/**
 * Defaults that an image sets for everything that starts in it. The command line and the files override them: the
 * address to bind, and the port of the MCP server, which then listens there too (IMG-04).
 */
export function defaultsOfPlace({ IDP_DEFAULT_HOST: host, IDP_DEFAULT_MCP_PORT: port } = process.env): {
  readonly host: string | undefined;
  readonly mcpPort: number | undefined;
} {
  return {
    host: host || undefined,
    mcpPort: port === undefined || port === '' ? undefined : portNumber('IDP_DEFAULT_MCP_PORT', port),
  };
}

const logLevels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;

export function portNumber(option: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw new UsageError(`${option} must be a port from 0 (any free port) to 65535, not '${text}'`);
  return port;
}

function oneOf<const Values extends readonly string[]>(option: string, text: string, values: Values): Values[number] {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new UsageError(`${option} must be one of ${values.join(', ')}, not '${text}'`);
  return found;
}
