// The location of the authority that a client has to trust.
import { join } from 'node:path';
import type { LoadedConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import { tlsFiles } from './generated-certificates.ts';

/** Its file, even before it was made; undefined: none exists, because none is configured or it is in memory. */
export function authorityFile({ paths }: Pick<LoadedConfiguration, 'paths'>): string | undefined {
  if (paths.tlsFiles !== undefined) return paths.tlsFiles.ca;
  return paths.keysDirectory === undefined ? undefined : join(paths.keysDirectory, tlsFiles.authority);
}
