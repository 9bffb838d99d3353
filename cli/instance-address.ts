// The instance that the small commands use: `--url`, else IDP_URL, else the one that the configuration would start here
// (PKG-26, PKG-28).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { baseUrlOf } from '#shared/process/worker/tcp-address.ts';
import type { LoadedConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import { UsageError } from './usage-error.ts';

/** The base address without a trailing slash, or undefined when none was named. @throws UsageError */
export function namedInstance(
  option: string | undefined,
  environment = process.env,
  optionName = '--url',
): string | undefined {
  const named = option ?? (environment.IDP_URL || undefined);
  if (named === undefined) return undefined;
  const source = option === undefined ? 'IDP_URL' : optionName;
  const url = URL.canParse(named) ? new URL(named) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new UsageError(`${source} must be the URL of an instance, such as http://127.0.0.1:8000`);
  }
  return url.href.replace(/\/+$/, '');
}

/** The address of an instance, and the authority to trust in addition to those that Node.js trusts. */
export interface InstanceAddress {
  readonly base: string;
  readonly caFile?: string | undefined;
}

/**
 * The address in the configuration. undefined means the embedded configuration. @throws Error that a start would give
 */
export async function configuredInstance(configDirectory: string | undefined): Promise<InstanceAddress> {
  const usual = { host: '127.0.0.1', port: 8000 };
  if (configDirectory === undefined || !existsSync(join(configDirectory, 'settings.yaml'))) {
    return { base: baseUrlOf(usual) };
  }
  const declared = await declaredConfiguration(configDirectory);
  const { server } = declared.settings;
  if (server.tls === undefined) return { base: baseUrlOf(server) };
  const { authorityFile } = await import('#shared/state/tls/authority-file.ts');
  return { base: baseUrlOf(server, 'https'), caFile: authorityFile(declared) };
}

/** Reads the files as a start does. Only this function loads the libraries for that. */
export async function declaredConfiguration(configDirectory: string | undefined): Promise<LoadedConfiguration> {
  const [{ loadDirectory, rejection }, { problemsOfFault }] = await Promise.all([
    import('#shared/state/configuration/load/load-directory.ts'),
    import('#shared/engine/faults/read-fault-order.ts'),
  ]);
  const { configuration, findings } = loadDirectory({
    directory: configDirectory,
    environment: process.env,
    problemsOfFault,
  });
  if (configuration === undefined) throw rejection(findings, configDirectory);
  return configuration;
}
