// Operations on PostgreSQL: reading on one session, writing in one transaction under advisory locks, both within 5 s whatever
// happens (PGS-30). Knows nothing of what is stored.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { AuditEntry } from '#shared/audit/audit-event.ts';
import type { Monotonic, Stopwatch } from '#shared/clock.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import type { StoreTrouble } from '../ports/condition.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import { type Answer, type Connection, ConnectionLostError, isBroken, isCollision, sqlState } from './connection.ts';
import type { Sessions } from './sessions.ts';
import type { Runner } from './statement.ts';
import { Turns } from './turns.ts';

export const storeDeadlineMilliseconds = 5_000;
const longestPauseMilliseconds = 50;

/** A transaction under way, with the entries whose events it puts into the audit: heard of once it is committed. */
export interface Transaction extends Runner {
  readonly recorded: { readonly namespace: NamespaceKey; readonly entry: AuditEntry }[];
}

/** Names what a rule is about: of any number of transactions that name the same thing one goes on at a time. */
export type Lock = string | { readonly shared: string };

/** Hears of the entries of a transaction that is committed. */
export type OnCommitted = (recorded: Transaction['recorded']) => void;

const xidRow = z.object({ xid: z.string() });
const statusRow = z.object({ status: z.enum(['committed', 'aborted', 'in progress']).nullable() });

export class PostgresDatabase {
  readonly #sessions: Sessions;
  readonly #stopwatch: Stopwatch;
  /** Two schemas of one database share no lock (PGS-03). */
  readonly #schema: string;
  readonly #turns = new Turns();
  onCommitted: OnCommitted = () => undefined;

  constructor(sessions: Sessions, schema: string, stopwatch: Stopwatch) {
    this.#sessions = sessions;
    this.#schema = schema;
    this.#stopwatch = stopwatch;
  }

  /** Runs statements that only read, each by itself. `work` may run more than once. @throws RuntimeStoreUnavailableError */
  read<Result>(work: (on: Runner) => Promise<Result>): Promise<Result> {
    return this.#untilDeadline((session) => work(session));
  }

  /**
   * Runs `work` in one transaction, whole or not at all, alone among those that name one of its locks. It may run more
   * than once and asks nothing but the store.
   * @throws RuntimeStoreUnavailableError
   */
  async write<Result>(locks: readonly Lock[], work: (on: Transaction) => Promise<Result>): Promise<Result> {
    const start = this.#stopwatch.read();
    const begin = this.#beginning(locks);
    const turn = this.#turns.take(locks.filter((lock) => typeof lock === 'string'));
    try {
      if (turn.ready !== undefined) await this.#beforeDeadline(turn.ready, storeDeadlineMilliseconds);
      const attempt = (session: Connection) => this.#attempt(session, begin, work, start);
      const { result, recorded } = await this.#untilDeadline(attempt, start);
      if (recorded.length > 0) this.onCommitted(recorded);
      return result;
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      turn.end();
    }
  }

  async #attempt<Result>(
    session: Connection,
    begin: string,
    work: (on: Transaction) => Promise<Result>,
    start: Monotonic,
  ): Promise<{ readonly result: Result; readonly recorded: Transaction['recorded'] }> {
    const recorded: Transaction['recorded'] = [];
    let xid: string;
    let result: Result;
    try {
      xid = xidOf(await session.say(begin));
      result = await work({ ask: (prepared) => session.ask(prepared), recorded });
    } catch (error) {
      // A session in doubt is given up rather than asked: whatever it holds ends with it.
      if (session.isOpen() && !isBroken(error)) await session.say('ROLLBACK').catch(() => session.drop());
      throw error;
    }
    try {
      await session.say('COMMIT');
    } catch (error) {
      if (!isBroken(error)) throw error;
      await this.#learnOutcome(xid, start, error);
    }
    return { result, recorded };
  }

  /**
   * The connection broke while the transaction was being committed: another one says whether it was (PGS-34). Returns when it
   * was.
   */
  async #learnOutcome(xid: string, start: Monotonic, lost: unknown): Promise<void> {
    for (;;) {
      const left = storeDeadlineMilliseconds - this.#stopwatch.since(start);
      if (left <= 0) throw new OutcomeUnknownError(lost);
      try {
        const session = await this.#sessions.take(left);
        try {
          const { rows } = await session.ask({
            text: 'SELECT pg_xact_status($1::xid8) AS status',
            name: undefined,
            values: [xid],
          });
          const { status } = statusRow.parse(rows[0]);
          if (status === 'committed') return;
          // Whatever broke it, nothing of it is there: it may be done again.
          if (status === 'aborted')
            throw new ConnectionLostError('The transaction was not committed.', { cause: lost });
        } finally {
          this.#sessions.give(session);
        }
      } catch (error) {
        if (error instanceof ConnectionLostError && error.cause === lost) throw error;
        if (!isBroken(error)) throw new OutcomeUnknownError(error);
      }
      await pause(longestPauseMilliseconds);
    }
  }

  /** What a balancer asks: can it be written to? */
  async trouble(): Promise<StoreTrouble | undefined> {
    try {
      await this.write([], async () => undefined);
      return undefined;
    } catch (error) {
      if (error instanceof RuntimeStoreUnavailableError) return error.trouble;
      throw error;
    }
  }

  /** In one order for everybody, so that two transactions never wait for each other. */
  #beginning(locks: readonly Lock[]): string {
    const asked = locks
      .map((lock) =>
        typeof lock === 'string'
          ? { key: this.#keyOf(lock), how: '' }
          : { key: this.#keyOf(lock.shared), how: '_shared' },
      )
      .toSorted((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));
    const taken = asked.map(({ key, how }) => `SELECT pg_catalog.pg_advisory_xact_lock${how}(${key});`);
    return [
      'BEGIN ISOLATION LEVEL READ COMMITTED;',
      'SELECT pg_catalog.pg_current_xact_id()::text AS xid;',
      ...taken,
    ].join(' ');
  }

  /** Takes one more lock; not for what is taken in another order elsewhere. */
  async lock(on: Transaction, name: string): Promise<void> {
    await on.ask({
      text: 'SELECT pg_advisory_xact_lock($1::bigint)',
      name: 'lock',
      values: [String(this.#keyOf(name))],
    });
  }

  #keyOf(lock: string): bigint {
    return lockKey(this.#schema, lock);
  }

  async #untilDeadline<Result>(
    attempt: (session: Connection) => Promise<Result>,
    start = this.#stopwatch.read(),
  ): Promise<Result> {
    let pauseMilliseconds = 1;
    for (;;) {
      const left = storeDeadlineMilliseconds - this.#stopwatch.since(start);
      try {
        return await this.#inSession(left, attempt);
      } catch (error) {
        const mayHelp = isCollision(error) || isBroken(error);
        const isOver = this.#stopwatch.since(start) + pauseMilliseconds >= storeDeadlineMilliseconds;
        if (!mayHelp || isOver) throw asUnavailable(error);
      }
      await pause(pauseMilliseconds);
      pauseMilliseconds = Math.min(pauseMilliseconds * 2, longestPauseMilliseconds);
    }
  }

  async #inSession<Result>(milliseconds: number, work: (session: Connection) => Promise<Result>): Promise<Result> {
    const start = this.#stopwatch.read();
    const session = await this.#sessions.take(milliseconds);
    try {
      const left = milliseconds - this.#stopwatch.since(start);
      const result = await this.#beforeDeadline(work(session), left);
      this.#sessions.give(session);
      return result;
    } catch (error) {
      // Whatever is under way in it nobody waits for any more (PGS-31).
      if (error instanceof DeadlineError) this.#sessions.drop(session);
      else this.#sessions.give(session);
      throw error;
    }
  }

  /** @throws DeadlineError */
  async #beforeDeadline<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
    let deadline: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_, reject) => {
      const late = () => reject(new DeadlineError('PostgreSQL did not answer in time.'));
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

/** Committed or not: nobody can say. */
class OutcomeUnknownError extends Error {
  constructor(cause: unknown) {
    super('The connection broke during a commit.', { cause });
  }
}

/** Of advisory locks: 64 bits of a name. Two names with one key wait for each other now and then, and nothing else. */
export function lockKey(schema: string, name: string): bigint {
  return createHash('sha256').update(`${schema}\0${name}`).digest().readBigInt64BE();
}

function xidOf(answers: readonly Answer[]): string {
  return xidRow.parse(answers[1]?.rows[0]).xid;
}

/** 57014: cancelled, as a rule by the timeout; 55P03: a lock; 42501: a privilege; class 53: no memory, disk or connection (PGS-36). */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof DeadlineError) return new RuntimeStoreUnavailableError({ cause: error, trouble: 'busy' });
  if (error instanceof OutcomeUnknownError) return new RuntimeStoreUnavailableError({ cause: error });
  if (isCollision(error)) return new RuntimeStoreUnavailableError({ cause: error, trouble: 'busy' });
  if (isBroken(error)) return new RuntimeStoreUnavailableError({ cause: error });
  const state = sqlState(error);
  if (state === '57014' || state === '55P03')
    return new RuntimeStoreUnavailableError({ cause: error, trouble: 'busy' });
  if (state === '53100') return new RuntimeStoreUnavailableError({ cause: error, trouble: 'full' });
  const isOutside =
    state === '42501' || ['28', '3D', '53', '54', '58', 'XX'].some((kind) => state?.startsWith(kind) === true);
  return isOutside ? new RuntimeStoreUnavailableError({ cause: error }) : error;
}
