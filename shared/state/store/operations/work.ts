// A store operation is written once, as a generator that yields to whatever it waits for. The SQLite engine has carried out a
// statement when the step is made, so that nothing is ever waited for and a transaction stays within one turn of the event loop. The
// PostgreSQL engine waits for the server.
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { BoundedKind } from '#shared/model/domain/byte-bounds.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import type { CommandText, QueryText, StatementTexts } from '../statements/text.ts';
import type { CommonContext } from '../store-context.ts';

/** A statement on its way, or a piece of work. `yield*` it for its answer. Statements that are made before one is waited for share a round trip. */
export interface Step<Answer> {
  [Symbol.iterator](): Iterator<Promise<unknown>, Answer, unknown>;
}

/** A piece of work of several steps. */
export type Work<Result> = Generator<Promise<unknown>, Result, unknown>;

/** A piece of work that only writes. */
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
  /** Answers how many rows it changed. */
  run(bindings: Bindings): Step<number>;
  /** Nothing waits for it: a failure comes with the next step, or with the commit. */
  put(bindings: Bindings): void;
  /** For `batch` and `apart`. */
  bound(bindings: Bindings): BoundCommand;
}

/** A command with its values. Only the engine that made it can read it. */
export type BoundCommand = object;

/** A table of statements. Each acts in the operation that is being carried out. */
export type Steps<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends QueryText<infer Row> ? QuerySteps<Row> : CommandSteps;
};

/** Names what an operation is about: PostgreSQL carries out one write after the other that names it. SQLite has one writer anyway. */
export type Lock = string | { readonly everywhere: string };
export type Locks = Lock | readonly Lock[];

/** What the two engines say differently. */
export interface Dialect {
  /** Removes a few rows of `@ns` whose `column` is not later than `@now`. */
  purge(table: string, column?: 'expires_at' | 'forgotten_at'): CommandText;
  /** Removes a few rows of a table for which a condition holds. `key`: the columns that identify a row. */
  purgeWhere(table: string, key: string, condition: string): CommandText;
  /** The column as an index holds it: some texts are too long for one. */
  indexed(column: string): string;
  greatest(one: string, other: string): string;
  /** Behind FROM: the elements of the JSON array in a parameter, each called `value`. */
  elements(parameter: string): string;
  /** A boolean member of the JSON text in a column, as 0 or 1. */
  flag(column: string, member: string): string;
  /** Whether the text in a column is among those of the JSON array in a parameter. */
  isAmong(column: string, parameter: string): string;
  /** Behind ORDER BY: all but the first rows. */
  beyond(kept: number): string;
  /** A number that is greater than that of every earlier use of a session. */
  readonly nextSessionUse: string;
  /** Behind a SELECT: the lock on the rows that it finds. SQLite has one writer anyway. */
  locked(how: string): string;
  /** The address that names a user, in a row of `runtime_identities`. */
  readonly userAddress: string;
  /** For a statement that the engines have nothing of in common. */
  either<Text>(texts: { readonly sqlite: Text; readonly postgres: Text }): Text;
}

/** The processes that share a store. */
export interface StoreOwners {
  /** The name of this process among them. */
  self(): Promise<string>;
  /** Those of these that are proved dead. */
  dead(owners: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The statements of an operation in the words of an engine. The same function makes them for every namespace. */
export type TextsIn<Texts extends StatementTexts> = (dialect: Dialect) => Texts;

/** What an operation works with, in one namespace. @throws RuntimeStoreUnavailableError, NamespaceEndedError from each piece of work */
export interface OperationContext extends CommonContext {
  readonly ns: NamespaceKey;
  prepare<Texts extends StatementTexts>(texts: TextsIn<Texts>): Steps<Texts>;
  read<Result>(work: () => Step<Result>): Promise<Result>;
  /** In one transaction, whole or not at all. The work may be carried out more than once. */
  write<Result>(locks: Locks, work: () => Step<Result>): Promise<Result>;
  /** A write that frees room, so that it works when none is left. */
  release<Result>(locks: Locks, work: () => Step<Result>): Promise<Result>;
  /** Within a write: the event is in the audit if and when the write is committed (AUD-10). */
  record(event: AuditEvent): void;
  /** Within a write: whether a record of these texts fits beside the others of its kind. */
  hasRoomFor(kind: BoundedKind, ...texts: readonly string[]): Step<boolean>;
  /** Carries out several pieces of work side by side, where the engine can. */
  together<Results extends readonly unknown[]>(
    ...works: { readonly [Index in keyof Results]: Step<Results[Index]> }
  ): Step<Results>;
  /** Within a write: PostgreSQL carries it out in a transaction of its own, for which nothing waits and whose failure nobody sees. */
  apart(command: BoundCommand): void;
  /**
   * A whole write of commands that read nothing first, in one message. It answers how many rows each changed. PostgreSQL may send it
   * twice, so each command has to leave the store the same when it is repeated.
   */
  batch(locks: Locks, commands: () => readonly BoundCommand[]): Promise<readonly number[]>;
  /** Whether each message takes a round trip, so that it pays to decide by what was just read. */
  readonly isFarAway: boolean;
}
