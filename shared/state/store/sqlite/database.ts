// One SQLite connection that never blocks the event loop for the lock of another process: a busy operation is retried
// after pauses, until its deadline of 5 s (STO-15, STO-16). Statements are compiled at their first use, once for all
// namespaces. Their results are checked against a schema. This module knows nothing of what is stored.
import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import type { Stopwatch } from '#shared/base/clock.ts';
import { lazy } from '#shared/base/lazy.ts';
import { storeDeadlineMilliseconds } from '#shared/model/runtime-store/store-deadline.ts';
import type { StoreFailure } from '../ports/condition.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import type { QueryText, StatementTexts } from '../statements/text.ts';
import { type Bindings, type Connection, type Statement, sqliteCode } from './engine.ts';
import type { FileGuard } from './file-guard.ts';
import type { SpaceWhenFull } from './space-when-full.ts';

export { storeDeadlineMilliseconds };

/** With fewer free pages the next request may find none. */
const pagesOfRoom = 16;

const longestPauseMilliseconds = 20;

export interface Query<Row> {
  get(bindings: Bindings): Row | undefined;
  all(bindings: Bindings): Row[];
}

export interface Command {
  /** Returns how many rows it changed. */
  run(bindings: Bindings): number;
}

/** A table of texts as statements of this engine. */
export type Prepared<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends QueryText<infer Row> ? Query<Row> : Command;
};

/** Creates single statements. */
export interface Statements {
  query<Row>(sql: string, row: z.ZodType<Row>): Query<Row>;
  command(sql: string): Command;
}

/**
 * How durable a commit is. `process`: everything committed survives the death of every process (WAL, NORMAL). `stack`:
 * the same without any flush to a disk, for files that end with their stack.
 */
export type Durability = 'process' | 'stack';

export class StoreDatabase {
  readonly #connection: Connection;
  readonly #stopwatch: Stopwatch;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #prepared = new Map<unknown, unknown>();
  /** What to do when no space is left. */
  spaceWhenFull: SpaceWhenFull | undefined;
  /** Watches the file. */
  guard: FileGuard | undefined;

  constructor(connection: Connection, stopwatch: Stopwatch) {
    this.#connection = connection;
    this.#stopwatch = stopwatch;
    this.#begin = connection.prepare('BEGIN IMMEDIATE');
    this.#commit = connection.prepare('COMMIT');
  }

  /** Returns statements that are made once for this connection, for all namespaces. */
  prepared<Made>(make: (statements: Statements) => Made): Made {
    // The entry of a function was made by that function.
    if (this.#prepared.has(make)) return this.#prepared.get(make) as Made;
    const made = make(this);
    this.#prepared.set(make, made);
    return made;
  }

  /** Returns the statements of a table, made once for this connection, for all namespaces. */
  prepare<Texts extends StatementTexts>(texts: Texts): Prepared<Texts> {
    // The entry of a table was made from that table.
    const known = this.#prepared.get(texts) as Prepared<Texts> | undefined;
    if (known !== undefined) return known;
    const made = Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [
        name,
        'row' in text ? this.query(text.sql, text.row) : this.command(text.sql),
      ]),
    ) as Prepared<Texts>;
    this.#prepared.set(texts, made);
    return made;
  }

  query<Row>(sql: string, row: z.ZodType<Row>): Query<Row> {
    const compiled = this.#compiled(sql);
    return {
      get: (bindings) => {
        const found = compiled().get(bindings);
        return found === undefined ? undefined : row.parse(found);
      },
      all: (bindings) =>
        compiled()
          .all(bindings)
          .map((found) => row.parse(found)),
    };
  }

  command(sql: string): Command {
    const compiled = this.#compiled(sql);
    return { run: (bindings) => Number(compiled().run(bindings).changes) };
  }

  #compiled(sql: string): () => Statement {
    return lazy(() => this.#connection.prepare(withPlanKept(sql)));
  }

  /** Runs statements that only read. @throws RuntimeStoreUnavailableError */
  async read<Result>(work: () => Result): Promise<Result> {
    return this.#untilDeadline(work);
  }

  /**
   * Runs `work` in one write transaction, completely or not at all. `work` must be synchronous and may run more than
   * once.
   * @throws RuntimeStoreUnavailableError
   */
  async write<Result>(work: () => Result): Promise<Result> {
    return this.#untilDeadline(() => {
      try {
        return this.tryWrite(work);
      } catch (error) {
        if (!isFull(error) || this.spaceWhenFull === undefined) throw error;
        this.spaceWhenFull.freeWhatIsOver();
        return this.tryWrite(work);
      }
    });
  }

  /** Runs a write that frees space: it works when none is left. @throws RuntimeStoreUnavailableError */
  async free<Result>(work: () => Result): Promise<Result> {
    return this.#untilDeadline(() => {
      try {
        return this.tryWrite(work);
      } catch (error) {
        const { spaceWhenFull } = this;
        if (!isFull(error) || spaceWhenFull === undefined) throw error;
        return spaceWhenFull.withReserve(() => this.tryWrite(work));
      }
    });
  }

  /**
   * Makes one attempt at a write transaction. Throws SQLite's own error: `isBusy` returns whether another attempt may
   * succeed
   */
  tryWrite<Result>(work: () => Result): Result {
    this.#begin.run();
    try {
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      this.#connection.rollbackIfOpen();
      throw error;
    }
  }

  /** Limits the file to this size. Its log may take as much again at worst. Writes beyond it fail as full. */
  limitTo(bytes: number): void {
    const page = Number(this.#connection.pragma('page_size'));
    this.#connection.pragma(`max_page_count = ${Math.ceil(bytes / page)}`);
  }

  /** Returns whether the bound of the file leaves no space, independently of the disk. */
  isAtBound(pagesWanted = pagesOfRoom): boolean {
    const [pages, most, free] = ['page_count', 'max_page_count', 'freelist_count'].map((name) =>
      Number(this.#connection.pragma(name)),
    );
    return (most ?? 0) - (pages ?? 0) + (free ?? 0) < pagesWanted;
  }

  /** Returns what prevents a write. undefined: nothing does. */
  async trouble(): Promise<StoreFailure | undefined> {
    if (this.guard?.isReplaced() === true) return 'replaced';
    // The next write would do the same: a store with something left to evict is not full.
    if (this.isAtBound()) this.spaceWhenFull?.freeWhatIsOver();
    if (this.isAtBound()) return 'full';
    try {
      const version = Number(this.#connection.pragma('user_version'));
      // Writes the same number again: this writes the header, and with it the log.
      await this.write(() => this.#connection.pragma(`user_version = ${version}`));
      return undefined;
    } catch (error) {
      if (error instanceof RuntimeStoreUnavailableError) return error.trouble;
      throw error;
    }
  }

  /** Moves the log into the file and frees its space, unless a reader prevents it. */
  returnLog(): void {
    try {
      this.#connection.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // A reader is active, or the file has no space: the log stays, and the next call tries again.
    }
  }

  /** @throws RuntimeStoreUnavailableError when the path no longer leads to this file */
  requireFile(): void {
    if (this.guard?.refuses !== true || !this.guard.isReplaced()) return;
    throw new RuntimeStoreUnavailableError({ trouble: 'replaced' });
  }

  close(): void {
    this.#connection.close();
  }

  async #untilDeadline<Result>(attempt: () => Result): Promise<Result> {
    this.requireFile();
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw asUnavailable(error);
    }
    const start = this.#stopwatch.read();
    for (let pauseMilliseconds = 1; ; pauseMilliseconds = Math.min(pauseMilliseconds * 2, longestPauseMilliseconds)) {
      await pause(pauseMilliseconds);
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw asUnavailable(error);
        if (this.#stopwatch.since(start) >= storeDeadlineMilliseconds) {
          throw new RuntimeStoreUnavailableError({ cause: error, trouble: 'busy' });
        }
      }
    }
  }
}

/**
 * SQLite plans a statement again at each run when a lone parameter follows LIMIT or OFFSET, because its value may
 * favour another plan (`sqlite3ExprIsInteger`, from 3.47 on). Planning takes longer than the statement. An expression
 * avoids it.
 */
function withPlanKept(sql: string): string {
  return sql.replace(/\b(LIMIT|OFFSET) (@\w+)/g, '$1 $2 + 0');
}

/** Another connection holds the needed lock. The next attempt may succeed. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  if (code === undefined) return false;
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED') || code === 'SQLITE_PROTOCOL';
}

/** No space is left: on the disk, or within the bound of the file. */
export function isFull(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && (code.startsWith('SQLITE_FULL') || roomCodes.has(code));
}

/** On a full disk SQLite reports different codes. */
const roomCodes: ReadonlySet<string> = new Set(['SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE', 'SQLITE_IOERR_SHMOPEN']);

/**
 * A full or read-only disk and a damaged file also make the store unavailable. Programming errors are returned
 * unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  const found = sqliteCode(error);
  if (found === undefined) return error;
  const unusable = [
    'SQLITE_FULL',
    'SQLITE_READONLY',
    'SQLITE_IOERR',
    'SQLITE_CANTOPEN',
    'SQLITE_CORRUPT',
    'SQLITE_NOTADB',
  ];
  return unusable.some((code) => found.startsWith(code))
    ? new RuntimeStoreUnavailableError({ cause: error, trouble: isFull(error) ? 'full' : 'unusable' })
    : error;
}
