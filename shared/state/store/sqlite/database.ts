// One SQLite connection that never makes the event loop wait for somebody else's lock: an operation that finds the
// database busy is tried again after pauses, until its deadline of 5 s (STO-15, STO-16). Statements are compiled at their
// first use, once for all namespaces; what they answer is checked against a schema. Knows nothing of what is stored.
import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import type { Stopwatch } from '#shared/base/clock.ts';
import { lazy } from '#shared/base/lazy.ts';
import type { StoreTrouble } from '../ports/condition.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import type { QueryText, StatementTexts } from '../statements/text.ts';
import { storeDeadlineMilliseconds } from '../store-deadline.ts';
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
  /** How many rows it changed. */
  run(bindings: Bindings): number;
}

/** A table of texts as statements of this engine. */
export type Prepared<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends QueryText<infer Row> ? Query<Row> : Command;
};

/** Makes statements one by one. */
export interface Statements {
  query<Row>(sql: string, row: z.ZodType<Row>): Query<Row>;
  command(sql: string): Command;
}

/**
 * How much a commit waits for. `process`: everything committed survives the death of every process (WAL, NORMAL).
 * `stack`: the same without any flush to a disk, for files that end with their stack.
 */
export type Durability = 'process' | 'stack';

export class StoreDatabase {
  readonly #connection: Connection;
  readonly #stopwatch: Stopwatch;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #prepared = new Map<unknown, unknown>();
  /** What to do when there is no room. */
  spaceWhenFull: SpaceWhenFull | undefined;
  /** Watches over the file. */
  guard: FileGuard | undefined;

  constructor(connection: Connection, stopwatch: Stopwatch) {
    this.#connection = connection;
    this.#stopwatch = stopwatch;
    this.#begin = connection.prepare('BEGIN IMMEDIATE');
    this.#commit = connection.prepare('COMMIT');
  }

  /** Statements: made once for this connection, whichever namespace asks first. */
  prepared<Made>(make: (statements: Statements) => Made): Made {
    // What is kept under a function is what that very function made.
    if (this.#prepared.has(make)) return this.#prepared.get(make) as Made;
    const made = make(this);
    this.#prepared.set(make, made);
    return made;
  }

  /** The statements of such a table: made once for this connection, whichever namespace asks first. */
  prepare<Texts extends StatementTexts>(texts: Texts): Prepared<Texts> {
    // What is kept under a table was made of that very table.
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
   * Runs `work` in one write transaction, whole or not at all. It must be synchronous and may run more than once.
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

  /** A write that frees room: it works when none is left. @throws RuntimeStoreUnavailableError */
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

  /** One attempt at a write transaction; throws SQLite's own error, `isBusy` tells whether another may help. */
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

  /** The file takes so many bytes at most, its log as many again at worst: whatever comes beyond is refused as full. */
  limitTo(bytes: number): void {
    const page = Number(this.#connection.pragma('page_size'));
    this.#connection.pragma(`max_page_count = ${Math.ceil(bytes / page)}`);
  }

  /** Whether the bound of the file leaves no room, whatever the disk does. */
  isAtBound(pagesWanted = pagesOfRoom): boolean {
    const [pages, most, free] = ['page_count', 'max_page_count', 'freelist_count'].map((name) =>
      Number(this.#connection.pragma(name)),
    );
    return (most ?? 0) - (pages ?? 0) + (free ?? 0) < pagesWanted;
  }

  /** What stands in the way of a write; undefined: nothing does. */
  async trouble(): Promise<StoreTrouble | undefined> {
    if (this.guard?.isReplaced() === true) return 'replaced';
    // The next write would do the same: what still has something to let go is not full.
    if (this.isAtBound()) this.spaceWhenFull?.freeWhatIsOver();
    if (this.isAtBound()) return 'full';
    try {
      const version = Number(this.#connection.pragma('user_version'));
      // The same number again: the header is written, and with it the log.
      await this.write(() => this.#connection.pragma(`user_version = ${version}`));
      return undefined;
    } catch (error) {
      if (error instanceof RuntimeStoreUnavailableError) return error.trouble;
      throw error;
    }
  }

  /** Moves the log into the file and gives its room back, as far as nobody is reading. */
  returnLog(): void {
    try {
      this.#connection.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // Somebody reads, or there is no room in the file: the log stays, and the next one tries again.
    }
  }

  /** @throws RuntimeStoreUnavailableError when the file is no longer the one that others would open. */
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
 * SQLite plans a statement anew at each run when a parameter stands alone behind LIMIT or OFFSET, since its value may make
 * another plan the better one (`sqlite3ExprIsInteger`, from 3.47 on). That takes longer than the statement. An expression it
 * leaves alone.
 */
function withPlanKept(sql: string): string {
  return sql.replace(/\b(LIMIT|OFFSET) (@\w+)/g, '$1 $2 + 0');
}

/** Somebody else holds the lock that was needed; the next attempt may succeed. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  if (code === undefined) return false;
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED') || code === 'SQLITE_PROTOCOL';
}

/** There is no room: on the disk, or within the bound of the file. */
export function isFull(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && (code.startsWith('SQLITE_FULL') || roomCodes.has(code));
}

/** On a full disk SQLite says now this, now that. */
const roomCodes: ReadonlySet<string> = new Set(['SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE', 'SQLITE_IOERR_SHMOPEN']);

/** A disk that is full or read-only and a damaged file make the store unusable, too; mistakes of ours stay what they are. */
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
