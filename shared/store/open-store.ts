// Opens the runtime store and the audit of one namespace at one location: `:memory:`, the private directory of a stack,
// or the file the configuration names. The three differ in lifetime and reach alone (STO-13).
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AuditEntry } from '#shared/audit/audit-event.ts';
import type { AuditLog } from '#shared/audit/audit-log.ts';
import { auditDatabase } from '#shared/audit/sqlite/audit-database.ts';
import { AuditRecorder } from '#shared/audit/sqlite/audit-recorder.ts';
import { auditSchema } from '#shared/audit/sqlite/audit-schema.ts';
import type { Stopwatch } from '#shared/clock.ts';
import type { Logger } from '#shared/logger.ts';
import type { Randomness } from '#shared/random.ts';
import type { RuntimeStore, StoreLocation } from './ports/index.ts';
import { RuntimeStoreUnavailableError } from './runtime-store-unavailable.ts';
import { StoreDatabase } from './sqlite/database.ts';
import {
  asUnusable,
  inspectDatabaseFile,
  noteDatabaseFileClosed,
  openDatabaseFile,
  openInMemory,
} from './sqlite/database-file.ts';
import type { Outbox } from './sqlite/outbox.ts';
import { openOutbox } from './sqlite/outbox.ts';
import { openProcessOwners, type ProcessOwners, soleOwner } from './sqlite/process-owners.ts';
import { defaultNamespace, runtimeSchema, type Schema } from './sqlite/schema.ts';
import { sqliteStore } from './sqlite/sqlite-store.ts';
import { requireSqliteVersion } from './sqlite/sqlite-version.ts';
import {
  refuseFullDisk,
  refuseInsideConfiguration,
  type StoreFiles,
  stackStoreFiles,
  storeFilesOf,
} from './store-files.ts';
import { StoreRefusedError } from './store-refused.ts';
import type { OnStoreStep } from './store-steps.ts';

export interface OpenStoreDependencies {
  readonly stopwatch: Stopwatch;
  readonly random: Randomness;
  readonly log: Logger;
  readonly namespace?: string;
  /** For tests that end the process between two steps of a change. */
  readonly onStep?: OnStoreStep | undefined;
  /** With a `sqlite` location: where no file of the store may lie (STO-02). */
  readonly configurationDirectory?: string | undefined;
}

export interface OpenedStore {
  readonly location: StoreLocation;
  readonly store: RuntimeStore;
  readonly audit: AuditLog;
  /** This process among the owners of the store. */
  readonly owner: string;
  /** Hears of each audit entry once, in the process that recorded it; set it before the first event (HOK-08). */
  onAuditRecorded(listener: (entry: AuditEntry) => void): void;
  /** Waits for events under way, then closes; the last process leaves no companion files behind. */
  close(): Promise<void>;
}

interface Databases {
  readonly runtime: StoreDatabase;
  readonly audit: StoreDatabase;
  readonly owners: ProcessOwners;
  close(): void;
}

/** @throws StoreRefusedError: no store of ours, damaged, held by another process for 5 s, on a full or read-only disk. */
export async function openRuntimeStore(location: StoreLocation, deps: OpenStoreDependencies): Promise<OpenedStore> {
  requireSqliteVersion();
  const databases = await openDatabases(location, deps);
  try {
    return await assemble(location, databases, deps);
  } catch (error) {
    databases.close();
    throw asUnusable(placeOf(location), error);
  }
}

function placeOf(location: StoreLocation): string {
  if (location.kind === 'memory') return ':memory:';
  return location.kind === 'sqlite' ? location.path : location.directory;
}

async function assemble(
  location: StoreLocation,
  databases: Databases,
  { stopwatch, random, log, namespace: ns = defaultNamespace, onStep }: OpenStoreDependencies,
): Promise<OpenedStore> {
  const listeners: ((entry: AuditEntry) => void)[] = [];
  const recorded = (entry: AuditEntry) => {
    for (const listener of listeners) listener(entry);
  };
  const entries = auditDatabase(databases.audit);
  const recorder = new AuditRecorder(databases.audit, entries, ns, stopwatch, recorded);
  const context = { database: databases.runtime, ns, random, log, onStep };
  const outbox = openOutbox(context, (waiting) => recorder.deliver(waiting));
  const store = await sqliteStore(context, outbox, databases.owners);
  // What a process that died left undelivered.
  await outbox.deliver();
  log.debug({ store: location.kind, owner: databases.owners.self }, 'runtime store opened');

  let closed: Promise<void> | undefined;
  const close = async () => {
    await recorder.settled();
    databases.close();
  };
  return {
    location,
    store,
    audit: auditLog({ recorder, entries, outbox, ns, log }),
    owner: databases.owners.self,
    onAuditRecorded: (listener) => {
      listeners.push(listener);
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

interface AuditParts {
  readonly recorder: AuditRecorder;
  readonly entries: ReturnType<typeof auditDatabase>;
  readonly outbox: Outbox;
  readonly ns: string;
  readonly log: Logger;
}

function auditLog({ recorder, entries, outbox, ns, log }: AuditParts): AuditLog {
  return {
    record: async (event, { done = false } = {}) => {
      try {
        await recorder.record(event);
      } catch (error) {
        if (!done || !(error instanceof RuntimeStoreUnavailableError)) throw error;
        log.warn({ err: error.cause, event_type: event.event_type }, 'the event of what is done waits for the audit');
        await outbox.keep(event);
      }
    },
    // A reader finishes what a dead process left in the outbox, so that the audit is whole (AUD-10).
    read: async (query) => {
      await outbox.deliver();
      return entries.read(ns, query);
    },
    statistics: async () => {
      await outbox.deliver();
      return entries.statistics(ns);
    },
    clear: async () => {
      await outbox.deliver();
      await entries.clear(ns);
    },
    close: () => recorder.settled(),
  };
}

async function openDatabases(location: StoreLocation, deps: OpenStoreDependencies): Promise<Databases> {
  switch (location.kind) {
    case 'memory':
      return databasesInMemory(deps);
    case 'stack':
      return databasesInFiles(stackStoreFiles(location.directory), false, deps);
    case 'sqlite': {
      const files = storeFilesOf(location.path);
      if (deps.configurationDirectory !== undefined) refuseInsideConfiguration(files, deps.configurationDirectory);
      return databasesInFiles(files, true, deps);
    }
  }
}

function databasesInMemory({ stopwatch, random }: OpenStoreDependencies): Databases {
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

async function databasesInFiles(
  files: StoreFiles,
  outlivesStack: boolean,
  { stopwatch, random }: OpenStoreDependencies,
): Promise<Databases> {
  // Everything is judged before anything is made; a file that exists is read through before a new one is made.
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
