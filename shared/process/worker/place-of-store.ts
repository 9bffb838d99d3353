// Where a worker's store is and where it listens: received from the supervisor, or read from the files and reported to
// it.

import type { Logger } from '#shared/base/logger.ts';
import { startValuesOf } from '#shared/engine/exchange/start-values.ts';
import type { TlsInForce } from '#shared/model/configuration/settings/tls.ts';
import { storeKindOf } from '#shared/model/configuration/store-kinds.ts';
import type { StoreLocation } from '#shared/model/runtime-store/store-location.ts';
import type { LoadedConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import {
  type DeclaredConfiguration,
  readDeclaredConfiguration,
} from '#shared/state/configuration/read-declared-configuration.ts';
import { authorityFile } from '#shared/state/tls/authority-file.ts';
import type { WorkerStart } from './mailbox.ts';
import type { WorkerContext } from './run-worker.ts';
import type { TcpAddress } from './tcp-address.ts';

/**
 * The first worker of a stack reads the location of the store from the files and reports it to the supervisor. A
 * replacement gets the location from the supervisor and its configuration from the store, not from files edited since
 * (SUP-06).
 */
export async function placeOfStore(
  { start, declare }: { readonly start: WorkerStart; readonly declare?: WorkerContext['declare'] },
  options: Parameters<typeof readDeclaredConfiguration>[0] & { readonly log: Logger },
): Promise<{ declared: DeclaredConfiguration | undefined; location: StoreLocation }> {
  if (start.store !== undefined) return { declared: undefined, location: start.store };
  const declared = await readDeclaredConfiguration(options);
  const { configuration } = declared;
  const { logging } = configuration.settings;
  const location = storeLocation(configuration, start);
  const tls = tlsOf(configuration);
  const caFile = tls === 'off' ? undefined : authorityFile(configuration);
  declare?.({
    ...addressOf(start, configuration),
    ...{ store: location, tls, caFile, logLevel: logging.level, atStart: startValuesOf(configuration) },
  });
  return { declared, location };
}

/** The command line overrides the file, and both override the environment's default (IMG-04). */
export function addressOf(
  { host, port, defaultHost }: Pick<WorkerStart, 'host' | 'port' | 'defaultHost'>,
  { settings: { server }, declaredHost }: LoadedConfiguration,
): TcpAddress {
  return { host: host ?? declaredHost ?? defaultHost ?? server.host, port: port ?? server.port };
}

export function tlsOf({ settings, paths }: LoadedConfiguration): TlsInForce {
  return paths.tlsFiles ?? (settings.server.tls === undefined ? 'off' : 'auto');
}

/**
 * With `runtime.store: memory` a stack shares one store in its private directory. A process that runs alone has the
 * store to itself (SUP-13).
 */
function storeLocation(
  { paths, settings: { runtime } }: LoadedConfiguration,
  { stack, configDirectory = '' }: WorkerStart,
): StoreLocation {
  if (storeKindOf(runtime).place === 'url' && runtime.url !== undefined) {
    const { url, schema, pool_size: poolSize } = runtime;
    return { kind: 'postgres', url, schema, poolSize, directory: configDirectory };
  }
  if (paths.runtimeStore !== undefined) return { kind: 'sqlite', path: paths.runtimeStore };
  return stack === undefined ? { kind: 'memory' } : { kind: 'stack', directory: stack.directory };
}
