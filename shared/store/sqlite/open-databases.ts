// The databases of a store, in memory or in files. Everything is judged before anything is made; whatever a failed start
// had opened is closed again.
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Stopwatch } from '#shared/clock.ts';
import type { Randomness } from '#shared/random.ts';
import { refuseFullDisk, type StoreFiles } from '../store-files.ts';
import { StoreRefusedError } from '../store-refused.ts';
import { auditSchema } from './audit/audit-schema.ts';
import { StoreDatabase } from './database.ts';
import {
  asUnusable,
  inspectDatabaseFile,
  noteDatabaseFileClosed,
  openDatabaseFile,
  openInMemory,
} from './database-file.ts';
import { openProcessOwners, type ProcessOwners, soleOwner } from './process-owners.ts';
import { runtimeSchema, type Schema } from './schema.ts';

export interface SqliteDatabases {
  readonly runtime: StoreDatabase;
  readonly audit: StoreDatabase;
  readonly owners: ProcessOwners;
  close(): void;
}

interface Machine {
  readonly stopwatch: Stopwatch;
  readonly random: Randomness;
}

/** For one process that nobody shares anything with. */
export function openDatabasesInMemory({ stopwatch, random }: Machine): SqliteDatabases {
  const runtime = new StoreDatabase(openInMemory(runtimeSchema), stopwatch);
  const audit = new StoreDatabase(openInMemory(auditSchema), stopwatch);
  return {
    runtime,
    audit,
    owners: soleOwner(random),
    close: () => {
      runtime.close();
      audit.close();
    },
  };
}

/**
 * @param outlivesStack committed state survives every process, and a file of before is read through at its opening.
 * @throws StoreRefusedError
 */
export async function openDatabasesInFiles(
  files: StoreFiles,
  outlivesStack: boolean,
  { stopwatch, random }: Machine,
): Promise<SqliteDatabases> {
  // A file that exists is read through before a new one is made.
  const isRuntimeNew = inspectDatabaseFile(files.runtime, runtimeSchema, [auditSchema]) === 'new';
  const isAuditNew = inspectDatabaseFile(files.audit, auditSchema, [runtimeSchema]) === 'new';
  refuseUnlessDirectory(files.owners);
  refuseFullDisk(files);
  makeDirectory(dirname(files.runtime), files.runtime);

  const undo: (() => void)[] = [];
  const open = async (path: string, schema: Schema, isNew: boolean) => {
    const connection = await openDatabaseFile(path, schema, {
      durability: outlivesStack ? 'process' : 'stack',
      verify: outlivesStack && !isNew,
      stopwatch,
    });
    undo.unshift(() => {
      connection.close();
      noteDatabaseFileClosed(path);
    });
    return new StoreDatabase(connection, stopwatch);
  };
  const openRuntime = () => open(files.runtime, runtimeSchema, isRuntimeNew);
  const openAudit = () => open(files.audit, auditSchema, isAuditNew);
  const close = () => {
    for (const step of undo.splice(0)) step();
  };
  try {
    const auditFirst = isRuntimeNew && !isAuditNew ? await openAudit() : undefined;
    const runtime = await openRuntime();
    const audit = auditFirst ?? (await openAudit());
    makeDirectory(files.owners, files.owners);
    const owners = becomeOwner(files.owners, random);
    undo.unshift(() => owners.close());
    return { runtime, audit, owners, close };
  } catch (error) {
    close();
    throw error;
  }
}

function becomeOwner(directory: string, random: Randomness): ProcessOwners {
  try {
    chmodSync(directory, 0o700);
    return openProcessOwners(directory, random);
  } catch (error) {
    const unusable = asUnusable(directory, error);
    if (unusable !== error) throw unusable;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreRefusedError(`runtime.path: ${directory} cannot be used: ${reason}.`, { cause: error });
  }
}

function refuseUnlessDirectory(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  throw new StoreRefusedError(`runtime.path: ${path} is needed as a directory; move the file away.`);
}

function makeDirectory(path: string, neededFor: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StoreRefusedError(`runtime.path: the directory of ${neededFor} cannot be made.`, { cause: error });
  }
}
