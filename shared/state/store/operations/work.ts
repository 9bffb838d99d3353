// A store operation is written once, as a generator that yields what it waits for. The SQLite engine runs a statement
// when the step is created. So it never waits, and a transaction stays within one event-loop turn. The PostgreSQL
// engine waits for the server.
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { BoundedKind } from '#shared/model/domain/byte-bounds.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import type { CommandText, QueryText, StatementTexts } from '../statements/text.ts';
import type { CommonContext } from '../store-context.ts';

/**
 * A running statement or a part of an operation. `yield*` it for its result. Statements created before the first
 * `yield*` share a round trip.
 */
export interface Step<Answer> {
  [Symbol.iterator](): Iterator<Promise<unknown>, Answer, unknown>;
}

/** A part of an operation with several steps. */
export type Work<Result> = Generator<Promise<unknown>, Result, unknown>;

/** A part that only writes. */
// biome-ignore lint/correctness/useYield: it waits for nothing.
export function* writing(changes: () => void): Work<void> {
  changes();
}

export type Bindings = Readonly<Record<string, string | number | Uint8Array | null>>;

interface QuerySteps<Row> {
  get(bindings: Bindings): Step<Row | undefined>;
  all(bindings: Bindings): Step<readonly Row[]>;
}

interface CommandSteps {
  /** Returns how many rows it changed. */
  run(bindings: Bindings): Step<number>;
  /** Nothing waits for it: a failure surfaces at the next step or at the commit. */
  put(bindings: Bindings): void;
  /** For `batch` and `apart`. */
  bound(bindings: Bindings): BoundCommand;
}

/** A command with its values. Only the engine that created it can read it. */
export type BoundCommand = object;

/** A table of statements. Each runs in the current operation. */
export type Steps<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends QueryText<infer Row> ? QuerySteps<Row> : CommandSteps;
};

/**
 * Names what an operation changes: PostgreSQL runs the writes with the same lock one after another. SQLite has one
 * writer anyway.
 */
export type Lock = string | { readonly everywhere: string };
export type Locks = Lock | readonly Lock[];

/** Where the SQL of the two engines differs. */
export interface Dialect {
  /** Deletes a few rows of `@ns` whose `column` is not later than `@now`. */
  purge(table: string, column?: 'expires_at' | 'forgotten_at'): CommandText;
  /** Deletes a few rows of a table that match a condition. `key`: the columns that identify a row. */
  purgeWhere(table: string, key: string, condition: string): CommandText;
  /** The column as an index stores it: some texts are too long for an index. */
  indexed(column: string): string;
  greatest(one: string, other: string): string;
  /** Follows FROM: the elements of the JSON array in a parameter, each called `value`. */
  elements(parameter: string): string;
  /** A boolean member of the JSON text in a column, as 0 or 1. */
  flag(column: string, member: string): string;
  /** Whether the text in a column is among those of the JSON array in a parameter. */
  isAmong(column: string, parameter: string): string;
  /** Follows ORDER BY: all but the first `kept` rows. */
  beyond(kept: number): string;
  /** A number that is greater than that of every earlier use of a session. */
  readonly nextSessionUse: string;
  /** Follows a SELECT: locks the rows that it finds. SQLite has one writer anyway. */
  locked(how: string): string;
  /** The address that identifies a user, in a row of `runtime_identities`. */
  readonly userAddress: string;
  /** For a statement of which the engines share nothing. */
  either<Text>(texts: { readonly sqlite: Text; readonly postgres: Text }): Text;
}

/** The processes that share a store. */
export interface StoreOwners {
  /** Returns the name of this process among them. */
  self(): Promise<string>;
  /** Returns those of `owners` that are proved dead. */
  dead(owners: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The statements of an operation in the SQL of an engine. The same function makes them for every namespace. */
export type TextsIn<Texts extends StatementTexts> = (dialect: Dialect) => Texts;

/**
 * What an operation works with, in one namespace.
 * @throws RuntimeStoreUnavailableError, NamespaceEndedError from each part
 */
export interface OperationContext extends CommonContext {
  readonly ns: NamespaceKey;
  prepare<Texts extends StatementTexts>(texts: TextsIn<Texts>): Steps<Texts>;
  read<Result>(work: () => Step<Result>): Promise<Result>;
  /** Runs the work in one transaction, completely or not at all. It may run more than once. */
  write<Result>(locks: Locks, work: () => Step<Result>): Promise<Result>;
  /** A write that frees space, so that it works when none is left. */
  release<Result>(locks: Locks, work: () => Step<Result>): Promise<Result>;
  /** Within a write: the event is in the audit if and when the write is committed (AUD-10). */
  record(event: AuditEvent): void;
  /** Within a write: returns whether a record of these texts fits beside the other records of its kind. */
  hasRoomFor(kind: BoundedKind, ...texts: readonly string[]): Step<boolean>;
  /** Runs several parts concurrently, where the engine can. */
  together<Results extends readonly unknown[]>(
    ...works: { readonly [Index in keyof Results]: Step<Results[Index]> }
  ): Step<Results>;
  /**
   * Within a write: PostgreSQL runs the command in a separate transaction. Nothing waits for it, and its failure is
   * ignored.
   */
  apart(command: BoundCommand): void;
  /**
   * A whole write of commands that read nothing first, in one message. Returns how many rows each changed. PostgreSQL
   * may send it twice, so each command must be idempotent.
   */
  batch(locks: Locks, commands: () => readonly BoundCommand[]): Promise<readonly number[]>;
  /** Whether each message takes a round trip, so that deciding on recently read records saves time. */
  readonly isFarAway: boolean;
}
