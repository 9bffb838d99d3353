// Operations on PostgreSQL: reads on one session, writes in one transaction under advisory locks, both within 5 s in
// any case (PGS-30). This module knows nothing of what is stored.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { Monotonic, Stopwatch } from '#shared/base/clock.ts';
import { storeDeadlineMilliseconds } from '#shared/model/runtime-store/store-deadline.ts';
import type { StoreFailure } from '../ports/condition.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import {
  type Answer,
  type Connection,
  ConnectionLostError,
  isBroken,
  isCollision,
  type PreparedText,
  sqlState,
} from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { NamedQueues } from './named-queues.ts';
import { command, query, type Runner } from './statement.ts';
import { StatementMessages } from './statement-messages.ts';
import { inTransaction, type Transaction } from './transaction.ts';

const longestPauseMilliseconds = 50;

/** Names what a lock protects. Transactions that name the same lock run one at a time. */
export type Lock = string | { readonly shared: string };

/** Receives the audit entries of a committed transaction. */
type OnCommitted = (recorded: Transaction['recorded']) => void;

/** How long a server without space counts as full, unless an operation queries it again. */
const fullMilliseconds = 10_000;

/** The check for load balancers: a write that changes nothing, and whether any table is closed to writes. */
const probe = {
  write: command('UPDATE head SET single = single'),
  forbidden: query(
    `SELECT string_agg(c.relname, ', ' ORDER BY c.relname) AS tables FROM pg_class c
     WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'head'::regclass) AND c.relkind = 'r'
       AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT'))`,
    z.object({ tables: z.string().nullable() }),
  ),
};

const statusRow = z.object({ status: z.enum(['committed', 'aborted', 'in progress']).nullable() });

export class PostgresDatabase {
  readonly #pool: ConnectionPool;
  readonly #stopwatch: Stopwatch;
  /** Two schemas of one database share no lock (PGS-03). */
  readonly #schema: string;
  readonly #queues = new NamedQueues();
  /** When the server last reported that it had no space. */
  #full: Monotonic | undefined;
  onCommitted: OnCommitted = () => undefined;
  /** Receives the cause whenever an operation fails because the store is unavailable. */
  onUnavailable: (cause: unknown) => void = () => undefined;

  constructor(pool: ConnectionPool, schema: string, stopwatch: Stopwatch) {
    this.#pool = pool;
    this.#schema = schema;
    this.#stopwatch = stopwatch;
  }

  /**
   * Runs statements that only read, without a common transaction. `work` may run more than once.
   * @throws RuntimeStoreUnavailableError
   */
  read<Result>(work: (on: Runner) => Promise<Result>): Promise<Result> {
    return this.#untilDeadline((session) => work(new StatementMessages(session)));
  }

  /**
   * Runs `work` in one transaction, completely or not at all. Writes that name one of its locks run one at a time.
   * `work` may run more than once and must query nothing but the store.
   * @throws RuntimeStoreUnavailableError
   */
  async write<Result>(requested: readonly Lock[], work: (on: Transaction) => Promise<Result>): Promise<Result> {
    const locks = this.#takenBy(requested);
    const { result, recorded } = await this.#inTurn(requested, (start) =>
      this.#untilDeadline(
        (session) => inTransaction(session, { locks, work }),
        start,
        async ({ lost }) => {
          if (lost !== undefined) await this.#learnOutcome(lost.xid, start, lost.cause);
        },
      ),
    );
    this.#told(recorded);
    return result;
  }

  /**
   * Does the same in one round trip, for writes that need no earlier read. It is sent again when its response was lost,
   * so each statement has to detect by an identity of its own that it already ran (PGS-34). Returns the results of
   * each.
   * @throws RuntimeStoreUnavailableError
   */
  async change(
    requested: readonly Lock[],
    statements: readonly PreparedText[],
    recorded: Transaction['recorded'] = [],
  ): Promise<readonly Answer[]> {
    const locks = this.#takenBy(requested);
    // One message is one transaction.
    const message = [...locks, ...statements];
    const answers = await this.#inTurn(requested, (start) =>
      this.#untilDeadline((session) => session.send(message), start),
    );
    this.#told(recorded);
    return answers.slice(locks.length);
  }

  /** Runs `work` after all earlier operations of this process that name one of these locks. */
  async #inTurn<Result>(requested: readonly Lock[], work: (start: Monotonic) => Promise<Result>): Promise<Result> {
    const start = this.#stopwatch.read();
    const place = this.#queues.enter(requested.filter((lock) => typeof lock === 'string'));
    try {
      if (place.ready !== undefined) await this.#beforeDeadline(place.ready, storeDeadlineMilliseconds);
      return await work(start);
    } catch (error) {
      throw this.#unavailable(error);
    } finally {
      place.end();
    }
  }

  #told(recorded: Transaction['recorded']): void {
    if (recorded.length > 0) this.onCommitted(recorded);
  }

  /**
   * The connection broke during the commit: another connection reads whether the transaction was committed (PGS-34).
   * Returns if it was.
   */
  async #learnOutcome(xid: string, start: Monotonic, lost: unknown): Promise<void> {
    for (;;) {
      const left = storeDeadlineMilliseconds - this.#stopwatch.since(start);
      if (left <= 0) throw new OutcomeUnknownError(lost);
      try {
        const session = await this.#pool.acquire(left);
        try {
          const [answer] = await session.send([
            { text: 'SELECT pg_xact_status($1::xid8) AS status', name: undefined, values: [xid] },
          ]);
          const { status } = statusRow.parse(answer?.rows[0]);
          if (status === 'committed') return;
          // Nothing of the transaction remains, so it may run again.
          if (status === 'aborted')
            throw new ConnectionLostError('The transaction was not committed.', { cause: lost });
        } finally {
          this.#pool.release(session);
        }
      } catch (error) {
        if (error instanceof ConnectionLostError && error.cause === lost) throw error;
        if (!isBroken(error)) throw new OutcomeUnknownError(error);
      }
      await pause(longestPauseMilliseconds);
    }
  }

  /** The check for load balancers: returns what prevents writes. */
  async trouble(): Promise<StoreFailure | undefined> {
    try {
      const forbidden = await this.write([], async (on) => {
        await probe.write.run(on, {});
        return (await probe.forbidden.get(on, {}))?.tables;
      });
      if (forbidden !== undefined && forbidden !== null) {
        this.onUnavailable(new Error(`permission denied for ${forbidden}`));
        return 'refused';
      }
      // The probe may fit even if what requests add does not.
      return this.#full !== undefined && this.#stopwatch.since(this.#full) < fullMilliseconds ? 'full' : undefined;
    } catch (error) {
      if (error instanceof RuntimeStoreUnavailableError) return error.trouble;
      throw error;
    }
  }

  /** Sorted, so that two transactions never deadlock. */
  #takenBy(locks: readonly Lock[]): readonly PreparedText[] {
    return locks
      .map((lock) =>
        typeof lock === 'string'
          ? { key: this.#keyOf(lock), how: '' as const }
          : { key: this.#keyOf(lock.shared), how: '_shared' as const },
      )
      .toSorted((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)))
      .map(({ key, how }) => lockStatement(key, how));
  }

  /** Takes another lock. Not for locks that are taken in another order elsewhere. */
  async lock(on: Transaction, name: string): Promise<void> {
    await on.ask(lockStatement(this.#keyOf(name), ''));
  }

  #keyOf(lock: string): bigint {
    return lockKey(this.#schema, lock);
  }

  /** `ensure` runs after the session was returned to the pool. If it throws, the attempt has failed. */
  async #untilDeadline<Result>(
    attempt: (session: Connection) => Promise<Result>,
    start = this.#stopwatch.read(),
    ensure?: (result: Result) => Promise<void>,
  ): Promise<Result> {
    let pauseMilliseconds = 1;
    for (;;) {
      const left = storeDeadlineMilliseconds - this.#stopwatch.since(start);
      try {
        const result = await this.#inSession(left, attempt);
        await ensure?.(result);
        return result;
      } catch (error) {
        const mayHelp = isCollision(error) || isBroken(error);
        const isOver = this.#stopwatch.since(start) + pauseMilliseconds >= storeDeadlineMilliseconds;
        if (!mayHelp || isOver) throw this.#unavailable(error);
      }
      await pause(pauseMilliseconds);
      pauseMilliseconds = Math.min(pauseMilliseconds * 2, longestPauseMilliseconds);
    }
  }

  async #inSession<Result>(milliseconds: number, work: (session: Connection) => Promise<Result>): Promise<Result> {
    const start = this.#stopwatch.read();
    const session = await this.#pool.acquire(milliseconds);
    try {
      const left = milliseconds - this.#stopwatch.since(start);
      const result = await this.#beforeDeadline(work(session), left);
      this.#pool.release(session);
      return result;
    } catch (error) {
      // No operation waits for a running statement of this session any more (PGS-31). A session whose server no longer
      // serves it, or takes no writes, would also fail the next operation (PGS-35).
      if (error instanceof DeadlineError || isBroken(error)) this.#pool.drop(session);
      else this.#pool.release(session);
      throw error;
    }
  }

  #unavailable(error: unknown): unknown {
    const failure = asUnavailable(error);
    if (failure instanceof RuntimeStoreUnavailableError && failure.trouble === 'full')
      this.#full = this.#stopwatch.read();
    if (failure instanceof RuntimeStoreUnavailableError && failure !== error) this.onUnavailable(error);
    return failure;
  }

  /** @throws DeadlineError */
  async #beforeDeadline<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
    let deadline: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_, reject) => {
      const late = () => reject(new DeadlineError('PostgreSQL did not respond in time.'));
      deadline = setTimeout(late, Math.max(milliseconds, 1));
    });
    try {
      return await Promise.race([work, overdue]);
    } finally {
      clearTimeout(deadline);
    }
  }
}

class DeadlineError extends Error {}

/** Whether the transaction was committed is unknown. */
class OutcomeUnknownError extends Error {
  constructor(cause: unknown) {
    super('The connection broke during a commit.', { cause });
  }
}

/** Whether a schema (3F000), table, column or function was not found. */
export function isNameMissing(error: unknown): boolean {
  return ['3F000', '42P01', '42703', '42883'].includes(sqlState(error) ?? '');
}

/**
 * Returns the key of an advisory lock: 64 bits of its name. Two names with the same key only wait for each other
 * occasionally.
 */
export function lockKey(schema: string, name: string): bigint {
  return createHash('sha256').update(`${schema}\0${name}`).digest().readBigInt64BE();
}

function lockStatement(key: bigint, how: '' | '_shared'): PreparedText {
  const text = `SELECT pg_advisory_xact_lock${how}($1::bigint)`;
  return { text, name: `lock${how}`, values: [String(key)] };
}

/**
 * 57014: cancelled, usually by the timeout. 55P03: a lock. 42501: a privilege. Class 53: no memory, disk or connection
 * (PGS-36). The schema or a part of it is missing or not permitted: then PostgreSQL finds no such table, column or
 * function.
 */
export function asUnavailable(error: unknown): unknown {
  const trouble = troubleOf(error);
  return trouble === undefined ? error : new RuntimeStoreUnavailableError({ cause: error, trouble, isLogged: true });
}

function troubleOf(error: unknown): StoreFailure | undefined {
  if (error instanceof DeadlineError || isCollision(error)) return 'busy';
  if (error instanceof OutcomeUnknownError || isBroken(error)) return 'unreachable';
  const state = sqlState(error);
  if (state === '57014' || state === '55P03') return 'busy';
  if (state === '53100') return 'full';
  const isOutside =
    state === '42501' ||
    isNameMissing(error) ||
    ['28', '3D', '53', '54', '58', 'XX'].some((kind) => state?.startsWith(kind) === true);
  return isOutside ? 'refused' : undefined;
}
