// Opens the store at a location: `:memory:`, the private directory of a stack, or the configured file. These differ
// only in lifetime and reach (STO-13). A location can also be a schema of a PostgreSQL database, whose code is loaded
// only then.

import { type PostgresLocation, placeOf, type StoreLocation } from '#shared/model/runtime-store/store-location.ts';
import type { OpenedStore, OpenStoreDependencies } from './opened-store.ts';
import { asUnusable } from './sqlite/database-file.ts';
import { openDatabasesInFiles, openDatabasesInMemory, type SqliteDatabases } from './sqlite/open-databases.ts';
import { openSqliteStore } from './sqlite/open-sqlite-store.ts';
import { requireSqliteVersion } from './sqlite/sqlite-version.ts';
import { refuseInsideConfiguration, stackStoreFiles, storeFilesOf } from './store-files.ts';

export type * from './opened-store.ts';

/**
 * @throws StoreRefusedError: not a test-idp store, damaged, locked by another process for 5 s, on a full or read-only
 * disk.
 */
export async function openRuntimeStore(location: StoreLocation, deps: OpenStoreDependencies): Promise<OpenedStore> {
  if (location.kind === 'postgres') {
    const { openPostgresLocation } = await import('./postgres/open-postgres-location.ts');
    const opened = await openPostgresLocation(location, deps);
    deps.log.debug({ store: location.kind, owner: opened.owner }, 'opened the runtime store');
    return { location, ...opened };
  }
  requireSqliteVersion();
  const databases = await openDatabases(location, deps);
  try {
    const opened = await openSqliteStore(databases, deps);
    deps.log.debug({ store: location.kind, owner: opened.owner }, 'opened the runtime store');
    return { location, ...opened };
  } catch (error) {
    databases.close();
    throw asUnusable(placeOf(location), error);
  }
}

async function openDatabases(
  location: Exclude<StoreLocation, PostgresLocation>,
  deps: OpenStoreDependencies,
): Promise<SqliteDatabases> {
  if (location.kind === 'memory') return openDatabasesInMemory(deps);
  if (location.kind === 'stack') return openDatabasesInFiles(stackStoreFiles(location.directory), false, deps);
  const files = storeFilesOf(location.path);
  if (deps.configurationDirectory !== undefined) refuseInsideConfiguration(files, deps.configurationDirectory);
  return openDatabasesInFiles(files, true, deps);
}
