// A database file of this program. Its header is checked before SQLite opens it, and the file is read completely before
// anything is written. So a rejected file keeps its bytes, mode and directory (STO-05). A new file is created in one
// transaction, by exactly one process. It is private with any umask (STO-04).
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stopwatch } from '#shared/base/clock.ts';
import { storeDeadlineMilliseconds } from '#shared/model/runtime-store/store-deadline.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import { StoreRefusedError } from '../store-refused.ts';
import { asUnavailable, type Durability, isBusy } from './database.ts';
import { type Connection, openConnection, sqliteCode } from './engine.ts';
import { makePrivateEmptyFile } from './private-file.ts';

/** What the header of a database file identifies, and the statements that create a new file. */
export interface Schema {
  /** For messages: `runtime store` or `audit`. */
  readonly title: string;
  /** SQLite's application_id: distinguishes the two kinds of file, and both from files of other programs. */
  readonly applicationId: number;
  readonly version: number;
  readonly statements: string;
}

const headerMagic = 'SQLite format 3\0';
const headerBytes = 100;
const userVersionOffset = 60;
const applicationIdOffset = 68;

/**
 * How often this process has each file open. The header of an open file is not read again: closing another descriptor
 * of it would release SQLite's locks (POSIX locks belong to the process).
 */
const openHere = new Map<string, number>();
/** The file that a connection has open, even if it was moved or replaced at its path. */
const openedBy = new WeakMap<Connection, string>();

/**
 * Checks the file at `path` without opening it as a database.
 * @throws StoreRefusedError naming the file and why it is not used.
 */
export function inspectDatabaseFile(path: string, schema: Schema, others: readonly Schema[]): 'new' | 'ours' {
  const stats = statOf(path);
  if (stats === undefined) return 'new';
  if (stats.isDirectory()) throw refusal(path, `is a directory. Name a file for the ${schema.title}`);
  if (!stats.isFile()) throw refusal(path, 'is not a regular file');
  if (openHere.has(identity(stats))) return 'ours';
  if (stats.size === 0) return 'new';
  const header = readHeader(path);
  if (header.length < headerBytes || header.toString('latin1', 0, headerMagic.length) !== headerMagic) {
    throw refusal(path, 'is not an SQLite database');
  }
  const applicationId = header.readInt32BE(applicationIdOffset);
  if (applicationId !== schema.applicationId) {
    const other = others.find((candidate) => candidate.applicationId === applicationId);
    const what = other === undefined ? `is an SQLite database, but not the ${schema.title}` : `is the ${other.title}`;
    throw refusal(path, `${what}. Move it away, or name another file`);
  }
  const version = header.readInt32BE(userVersionOffset);
  if (version !== schema.version) {
    const found = `has the format ${version} of the ${schema.title}, but this program writes ${schema.version}`;
    throw refusal(path, `${found}. Move it away, or name another file`);
  }
  return 'ours';
}

interface OpenOptions {
  readonly durability: Durability;
  /** Reads the whole file once and rejects it when it is damaged. */
  readonly verify: boolean;
  readonly stopwatch: Stopwatch;
}

/** Opens a file that was checked before, or creates it if it is new. Two processes may do so simultaneously. */
export async function openDatabaseFile(path: string, schema: Schema, options: OpenOptions): Promise<Connection> {
  makePrivateFile(path);
  let connection: Connection | undefined;
  try {
    const isVerified = options.verify && hasPendingLog(path);
    if (isVerified) await verifyWithoutWriting(path, options.stopwatch);
    connection = openConnection(path);
    await prepare(connection, schema, { ...options, verify: options.verify && !isVerified });
    for (const suffix of ['', '-wal', '-shm', '-journal']) tighten(`${path}${suffix}`);
  } catch (error) {
    connection?.close();
    if (isDamage(error)) throw refusal(path, 'is damaged. Move it away, or restore a copy', error);
    throw asUnusable(path, error);
  }
  const stats = statOf(path);
  if (stats !== undefined) noteOpened(connection, identity(stats));
  return connection;
}

function noteOpened(connection: Connection, file: string): void {
  openedBy.set(connection, file);
  openHere.set(file, (openHere.get(file) ?? 0) + 1);
}

/** Notes that this process has closed the file. Must be called after the connection was closed. */
export function noteDatabaseFileClosed(connection: Connection): void {
  const file = openedBy.get(connection);
  if (file === undefined || !openedBy.delete(connection)) return;
  const left = (openHere.get(file) ?? 0) - 1;
  // Another file may get the same number from now on.
  if (left > 0) openHere.set(file, left);
  else openHere.delete(file);
}

export function openInMemory(schema: Schema): Connection {
  const connection = openConnection(':memory:');
  create(connection, schema);
  return connection;
}

function prepare(connection: Connection, schema: Schema, options: OpenOptions): Promise<void> {
  return untilFree(options.stopwatch, () => {
    if (options.verify) verify(connection);
    if (readApplicationId(connection) === 0) create(connection, schema);
    // Only now: the header of a new file must be complete before WAL mode is possible.
    connection.pragma('journal_mode = WAL');
    connection.pragma(`synchronous = ${options.durability === 'stack' ? 'OFF' : 'NORMAL'}`);
  });
}

/**
 * The same check on a file whose write-ahead log still holds what a killed process wrote. An ordinary connection would
 * move the log into the file at its close, and a rejected file would have changed. A connection that cannot write
 * leaves both unchanged. It creates a missing `-shm`, SQLite's index of the log. A rejection removes that again.
 */
async function verifyWithoutWriting(path: string, stopwatch: Stopwatch): Promise<void> {
  const index = `${path}-shm`;
  const isIndexOurs = statOf(index) === undefined;
  const connection = openConnection(path, { readonly: true });
  try {
    await untilFree(stopwatch, () => verify(connection));
    connection.close();
  } catch (error) {
    connection.close();
    if (isIndexOurs && isDamage(error)) rmSync(index, { force: true });
    throw error;
  }
}

/** Reads the whole file: pages, tables, and the consistency of every index with its table. */
function verify(connection: Connection): void {
  if (connection.pragma('integrity_check(1)') !== 'ok') throw new DamageError();
}

function hasPendingLog(path: string): boolean {
  return (statOf(`${path}-wal`)?.size ?? 0) > 0;
}

async function untilFree(stopwatch: Stopwatch, attempt: () => void): Promise<void> {
  const start = stopwatch.read();
  for (;;) {
    try {
      attempt();
      return;
    } catch (error) {
      if (!isBusy(error) || stopwatch.since(start) >= storeDeadlineMilliseconds) throw error;
    }
    await pause(5);
  }
}

function create(connection: Connection, schema: Schema): void {
  connection.exec('BEGIN EXCLUSIVE');
  try {
    if (readApplicationId(connection) === 0) {
      connection.exec(schema.statements);
      connection.pragma(`application_id = ${schema.applicationId}`);
      connection.pragma(`user_version = ${schema.version}`);
    }
    connection.exec('COMMIT');
  } catch (error) {
    connection.rollbackIfOpen();
    throw error;
  }
}

function readApplicationId(connection: Connection): unknown {
  return connection.pragma('application_id');
}

class DamageError extends Error {}

function isDamage(error: unknown): boolean {
  if (error instanceof DamageError) return true;
  const code = sqliteCode(error);
  return code !== undefined && (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB');
}

/** Creates an empty file of mode 0600, if none exists. SQLite gives its companion files the mode of the database. */
function makePrivateFile(path: string): void {
  try {
    makePrivateEmptyFile(path);
  } catch (error) {
    if (!existsSync(path)) throw refusal(path, `cannot be created: ${reasonOf(error)}`, error);
    refuseUnlessWritable(path);
  }
}

/** Checks the file and its directory, where SQLite puts the log. SQLite itself would not report the reason. */
function refuseUnlessWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw refusal(path, `cannot be written: ${reasonOf(error)}`, error);
  }
}

function tighten(path: string): void {
  const stats = statOf(path);
  if (stats === undefined || (stats.mode & 0o777) === 0o600) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    // A companion file may disappear meanwhile. Another user's file stays unchanged and is rejected.
    if (existsSync(path)) throw refusal(path, `cannot be made private: ${reasonOf(error)}`, error);
  }
}

function readHeader(path: string): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    throw refusal(path, `cannot be read: ${reasonOf(error)}`, error);
  }
  try {
    const header = Buffer.alloc(headerBytes);
    return header.subarray(0, readSync(descriptor, header, 0, headerBytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw refusal(path, `cannot be inspected: ${reasonOf(error)}`, error);
  }
}

function identity(stats: Stats): string {
  return `${stats.dev}:${stats.ino}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown reason';
}

/** Distinguishes busy, full and read-only in the message for the user who starts the program. */
export function asUnusable(path: string, error: unknown): unknown {
  const cause = error instanceof RuntimeStoreUnavailableError ? error.cause : error;
  if (!(cause instanceof Error) || sqliteCode(cause) === undefined) return error;
  if (isBusy(cause)) return refusal(path, 'is locked by another process. End it, or try again', cause);
  return asUnavailable(cause) === cause ? cause : refusal(path, `cannot be used: ${cause.message}`, cause);
}

function refusal(path: string, why: string, cause?: unknown): StoreRefusedError {
  return new StoreRefusedError(`runtime.path: ${path} ${why}.`, cause === undefined ? undefined : { cause });
}
