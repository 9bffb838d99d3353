// The databases of a store, in memory or in files. Everything is checked before anything is created. A failed start
// closes what it has opened.

import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Stopwatch } from '#shared/base/clock.ts';
import { messageOf } from '#shared/base/error-text.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { Randomness } from '#shared/base/random.ts';
import { freeBytes } from '../free-bytes.ts';
import { refuseFullDisk, refuseSmallDisk, type StoreFiles } from '../store-files.ts';
import { StoreRefusedError } from '../store-refused.ts';
import { auditSchema } from './audit/audit-schema.ts';
import { StoreDatabase } from './database.ts';
import {
  asUnusable,
  inspectDatabaseFile,
  noteDatabaseFileClosed,
  openDatabaseFile,
  openInMemory,
  type Schema,
} from './database-file.ts';
import { type DiskSpaceReserve, noDiskSpaceReserve, openDiskSpaceReserve } from './disk-space-reserve.ts';
import { guardFile } from './file-guard.ts';
import { openProcessOwners, type ProcessOwners, soleOwner } from './proof-of-life.ts';
import { runtimeSchema } from './schema/runtime-schema.ts';

export interface SqliteDatabases {
  readonly runtime: StoreDatabase;
  readonly audit: StoreDatabase;
  readonly owners: ProcessOwners;
  readonly reserve: DiskSpaceReserve;
  close(): void;
}

interface Machine {
  readonly stopwatch: Stopwatch;
  readonly random: Randomness;
}

const mebibyte = 1024 * 1024;
/**
 * The second file holds 64 MiB of audits. The rest is for exchanges: the 10 000 of the default namespace, and as many
 * again for sandboxes. An exchange usually takes 2 KiB, and 6 KiB with a SAML message. A full file evicts the oldest
 * exchanges first.
 */
const largest = { runtime: 1024 * mebibyte, audit: 192 * mebibyte };

interface FileMachine extends Machine {
  readonly log: Logger;
  /** The stack has already created the files: a worker that joins it creates no others (one truth). */
  readonly mustExist?: boolean | undefined;
}

/** For a single process whose store no other process shares. */
export function openDatabasesInMemory({ stopwatch, random }: Machine): SqliteDatabases {
  const runtime = new StoreDatabase(openInMemory(runtimeSchema), stopwatch);
  const audit = new StoreDatabase(openInMemory(auditSchema), stopwatch);
  runtime.limitTo(largest.runtime);
  audit.limitTo(largest.audit);
  return {
    runtime,
    audit,
    owners: soleOwner(random),
    reserve: noDiskSpaceReserve,
    close: () => {
      runtime.close();
      audit.close();
    },
  };
}

/**
 * @param outlivesStack committed state survives every process, and an existing file is read completely when it is
 * opened.
 * @throws StoreRefusedError
 */
export async function openDatabasesInFiles(
  files: StoreFiles,
  outlivesStack: boolean,
  { stopwatch, random, log, mustExist = false }: FileMachine,
): Promise<SqliteDatabases> {
  // An existing file is read completely before a new one is created.
  const isRuntimeNew = inspectDatabaseFile(files.runtime, runtimeSchema, [auditSchema]) === 'new';
  const isAuditNew = inspectDatabaseFile(files.audit, auditSchema, [runtimeSchema]) === 'new';
  if (mustExist && (isRuntimeNew || isAuditNew)) throw vanished(isRuntimeNew ? files.runtime : files.audit);
  refuseUnlessDirectory(files.owners);
  // A worker that joins the store of its stack creates nothing. On a full disk only a worker can free space.
  if (!mustExist) refuseFullDisk(files);
  if (!outlivesStack && isRuntimeNew) refuseSmallDisk(files);
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
      noteDatabaseFileClosed(connection);
    });
    const database = new StoreDatabase(connection, stopwatch);
    database.guard = guardFile(path, { refuses: outlivesStack, stopwatch, log });
    return database;
  };
  const openRuntime = () => open(files.runtime, runtimeSchema, isRuntimeNew);
  const openAudit = () => open(files.audit, auditSchema, isAuditNew);
  const undoAll = () => failureIn(undo.splice(0));
  try {
    const auditFirst = isRuntimeNew && !isAuditNew ? await openAudit() : undefined;
    const runtime = await openRuntime();
    const audit = auditFirst ?? (await openAudit());
    makeDirectory(files.owners, files.owners);
    const owners = becomeOwner(files.owners, random);
    const reserve = openDiskSpaceReserve(join(files.owners, 'reserve'));
    undo.unshift(owners.close, () => {
      if (owners.areAllDead()) reserve.release();
    });
    const room = roomOf(files);
    runtime.limitTo(room.runtime);
    audit.limitTo(room.audit);
    const close = () => {
      const failure = undoAll();
      if (failure !== undefined) throw failure;
    };
    return { runtime, audit, owners, reserve, close };
  } catch (error) {
    undoAll();
    throw error;
  }
}

/** Runs every step, even after a failure, and returns the first error. */
function failureIn(steps: readonly (() => void)[]): unknown {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      failures.push(error);
    }
  }
  return failures[0];
}

/**
 * The size limits of the two files, from the space that was free when the first process started. Each file has a log
 * beside it that may grow as large as the file during a long read. Some space is left for other programs.
 */
function roomOf({ runtime, audit }: StoreFiles): { readonly runtime: number; readonly audit: number } {
  const taken = [runtime, audit].flatMap((path) => [path, `${path}-wal`]).reduce((sum, path) => sum + sizeOf(path), 0);
  const room = freeBytes(dirname(runtime)) + taken;
  const share = (part: number, most: number) => Math.min(Math.max(room * part, 8 * mebibyte), most);
  return { runtime: share(0.3, largest.runtime), audit: share(0.15, largest.audit) };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function becomeOwner(directory: string, random: Randomness): ProcessOwners {
  try {
    chmodSync(directory, 0o700);
    return openProcessOwners(directory, random);
  } catch (error) {
    const unusable = asUnusable(directory, error);
    if (unusable !== error) throw unusable;
    const reason = messageOf(error);
    throw new StoreRefusedError(`runtime.path: ${directory} cannot be used: ${reason}.`, { cause: error });
  }
}

function vanished(path: string): StoreRefusedError {
  return new StoreRefusedError(`runtime.path: ${path} was deleted while its stack was running. Restart the stack.`);
}

function refuseUnlessDirectory(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  throw new StoreRefusedError(`runtime.path: ${path} must be a directory. Move the file away.`);
}

function makeDirectory(path: string, neededFor: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StoreRefusedError(`runtime.path: the directory of ${neededFor} cannot be created.`, { cause: error });
  }
}
