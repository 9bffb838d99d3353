// The SQLite behind every store: better-sqlite3, or the built-in `node:sqlite` where the binding of the former cannot
// be loaded (D44; npm 12 runs no install scripts of dependencies). Only this module knows which of the two is used. A
// connection never waits for the lock of another connection: `isBusy` and the retries of database.ts handle that.
import { existsSync } from 'node:fs';
import BetterSqlite, { type Database as BetterDatabase } from 'better-sqlite3';
import { NoSqliteError } from '../store-refused.ts';

type Bound = string | number | Uint8Array | null;
export type Bindings = Readonly<Record<string, Bound>>;

export interface Statement {
  run(bindings?: Bindings): { readonly changes: number | bigint };
  get(bindings?: Bindings): unknown;
  all(bindings?: Bindings): unknown[];
}

export interface Connection {
  /** Parameters are written `@name`. Members of the bindings that a statement does not name are left out. */
  prepare(sql: string): Statement;
  exec(sql: string): void;
  /** Reads or sets a pragma. Returns the first value of the first row. */
  pragma(text: string): unknown;
  /** After a failed statement SQLite may have ended the transaction automatically. */
  rollbackIfOpen(): void;
  close(): void;
}

interface OpenConnectionOptions {
  readonly readonly?: boolean;
  readonly fileMustExist?: boolean;
}

type Engine = (path: string, options: OpenConnectionOptions) => Connection;

let engine: Engine | undefined;

/** @throws SQLite's own error, which `sqliteCode` reads; NoSqliteError when there is no SQLite at all (PKG-11) */
export function openConnection(path: string, options: OpenConnectionOptions = {}): Connection {
  engine ??= loadEngine();
  return engine(path, options);
}

/**
 * Returns the name of SQLite's result code, such as `SQLITE_BUSY`, possibly with a suffix. undefined for other errors.
 */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof BetterSqlite.SqliteError) return error.code;
  const { errcode } = error as { readonly errcode?: unknown };
  if (!('code' in error) || error.code !== 'ERR_SQLITE_ERROR' || typeof errcode !== 'number') return undefined;
  // The lower eight bits are the primary code. The higher bits add details.
  return primaryCodes.get(errcode & 0xff) ?? 'SQLITE_ERROR';
}

/** https://sqlite.org/rescode.html, only the codes that are distinguished here. */
const primaryCodes: ReadonlyMap<number, string> = new Map([
  [5, 'SQLITE_BUSY'],
  [6, 'SQLITE_LOCKED'],
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [15, 'SQLITE_PROTOCOL'],
  [26, 'SQLITE_NOTADB'],
]);

function loadEngine(): Engine {
  try {
    new BetterSqlite(':memory:').close();
    return openBetter;
  } catch (cause) {
    const builtIn = loadBuiltIn();
    if (builtIn !== undefined) return (path, options) => openBuiltIn(builtIn, path, options);
    throw new NoSqliteError(
      `SQLite is not available for Node.js ${process.version} (${process.platform}-${process.arch}). Allow the install script of better-sqlite3 and run \`npm rebuild better-sqlite3\`, or use Node.js 22.13 or newer, which includes SQLite.`,
      { cause },
    );
  }
}

function openBetter(path: string, options: OpenConnectionOptions): Connection {
  const connection: BetterDatabase = new BetterSqlite(path, { ...options, timeout: 0 });
  return {
    prepare: (sql) => prepared(connection, sql),
    exec: (sql) => void connection.exec(sql),
    pragma: (text) => connection.pragma(text, { simple: true }),
    rollbackIfOpen: () => {
      if (connection.inTransaction) connection.exec('ROLLBACK');
    },
    close: () => void connection.close(),
  };
}

/**
 * Passes the bindings by position. By name better-sqlite3 queries V8 twice for each of them, which takes as long as
 * many statements.
 */
function prepared(connection: BetterDatabase, sql: string): Statement {
  const { names, text } = withPlaces(sql);
  const statement = connection.prepare<[Bound[]]>(text);
  const inOrder = (bindings: Bindings = {}): Bound[] => {
    const values: Bound[] = [];
    for (const name of names) {
      const value = bindings[name];
      if (value === undefined) throw new TypeError(`@${name} is not bound`);
      values.push(value);
    }
    return values;
  };
  return {
    run: (bindings) => statement.run(inOrder(bindings)),
    get: (bindings) => statement.get(inOrder(bindings)),
    all: (bindings) => statement.all(inOrder(bindings)),
  };
}

/**
 * Returns the names of the parameters in the order of the text, repeated ones included, and the text with positional
 * placeholders.
 */
function withPlaces(sql: string): { readonly names: readonly string[]; readonly text: string } {
  const names: string[] = [];
  const text = sql.replace(/'[^']*'|@(\w+)/g, (found: string, name: string | undefined) => {
    if (name === undefined) return found;
    names.push(name);
    return '?';
  });
  return { names, text };
}

/** The used part of `node:sqlite`. Its types come with versions later than the oldest supported one. */
interface BuiltInStatement extends Statement {
  /** Available from 22.15 on. */
  setAllowUnknownNamedParameters?(allowed: boolean): void;
}

interface BuiltInDatabase {
  prepare(sql: string): BuiltInStatement;
  exec(sql: string): void;
  close(): void;
}

type BuiltIn = new (path: string, options: { readonly readOnly: boolean }) => BuiltInDatabase;

/** undefined: this Node.js has none, or only behind a flag (before 22.13). */
function loadBuiltIn(): BuiltIn | undefined {
  const { emitWarning } = process;
  // Suppresses the experimental warning, which would appear in the log once for each process.
  process.emitWarning = () => {};
  try {
    const builtIn: object | undefined = process.getBuiltinModule('node:sqlite');
    return builtIn !== undefined && hasDatabase(builtIn) ? builtIn.DatabaseSync : undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function hasDatabase(module: object): module is { readonly DatabaseSync: BuiltIn } {
  return typeof Reflect.get(module, 'DatabaseSync') === 'function';
}

function openBuiltIn(BuiltInDatabase: BuiltIn, path: string, options: OpenConnectionOptions): Connection {
  const { readonly = false, fileMustExist = readonly } = options;
  if (fileMustExist && path !== ':memory:' && !existsSync(path)) throw cannotOpen(path);
  const connection = new BuiltInDatabase(path, { readOnly: readonly });
  return {
    prepare: (sql) => tolerant(connection.prepare(sql), sql),
    exec: (sql) => connection.exec(sql),
    pragma: (text) => {
      const row = connection.prepare(`PRAGMA ${text}`).get();
      return typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined;
    },
    rollbackIfOpen: () => {
      try {
        connection.exec('ROLLBACK');
      } catch (error) {
        if (!(error instanceof Error) || !/no transaction is active/.test(error.message)) throw error;
      }
    },
    close: () => connection.close(),
  };
}

/** `node:sqlite` rejects bindings that the statement does not name. better-sqlite3 does not. */
function tolerant(statement: BuiltInStatement, sql: string): Statement {
  if (statement.setAllowUnknownNamedParameters !== undefined) {
    statement.setAllowUnknownNamedParameters(true);
    return statement;
  }
  const names = new Set(withPlaces(sql).names);
  const named = (bindings: Bindings = {}) =>
    Object.fromEntries(Object.entries(bindings).filter(([name]) => names.has(name)));
  return {
    run: (bindings) => statement.run(named(bindings)),
    get: (bindings) => statement.get(named(bindings)),
    all: (bindings) => statement.all(named(bindings)),
  };
}

function cannotOpen(path: string): Error {
  return Object.assign(new Error(`unable to open database file ${path}`), { code: 'ERR_SQLITE_ERROR', errcode: 14 });
}
