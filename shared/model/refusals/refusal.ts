// Defines a rejection: one row of a table in families/, with a stable code, the message for the caller, what would have
// been correct, and the reference. A check creates a `Refused` from a row and its findings. Body, audit entry, log
// line, pages and docs/errors.md derive from it. Codes never change their meaning, because programs depend on them.
import type { Reference } from './references.ts';

/** A text, or a function that adds what was found. */
type Sentence<Facts> = string | ((facts: Facts) => string);

/** A part of the client's registration that helps a person understand the rejection. */
export type ClientSide = 'redirect_uris' | 'authentication' | 'scope' | 'resources';

/** What was sent and what would have been correct, as the audit records it. Never a secret. */
type Evidence = Readonly<Record<string, unknown>>;

export interface RefusalRow<Facts = never> {
  /** The message for the caller. */
  readonly answer: Sentence<Facts>;
  /** The message for audit and log, where the caller must not see as much. Absent: the same as `answer`. */
  readonly reason?: Sentence<Facts>;
  readonly evidence?: (facts: Facts) => Evidence;
  /** What would have been accepted, for people. */
  readonly expected: string;
  readonly standard: Reference;
  readonly registered?: ClientSide;
  /** The audit has no entry for it: a pending poll, a rejected registration credential (AUD-14). */
  readonly unrecorded?: true;
}

export type Refusal<Facts = never> = RefusalRow<Facts> & { readonly code: string };

/** Declares a family of rejections. The key of each row is its code. */
export function declareRefusals<Row extends RefusalRow, Table extends Readonly<Record<string, Row>>>(
  table: Table,
): { readonly [Code in keyof Table]: Table[Code] & { readonly code: Code & string } } {
  const coded = Object.entries(table).map(([code, row]) => [code, { ...row, code }]);
  return Object.fromEntries(coded);
}

type Asked<Text> = Text extends (facts: infer Facts) => unknown ? Facts : unknown;

/** The facts that a row needs. */
type FactsOf<Row extends RefusalRow> = Asked<Row['answer']> & Asked<Row['reason']> & Asked<Row['evidence']>;

/** Further facts that the rejecting code knows. */
export interface About {
  /** The user that the request was about. */
  readonly username?: string | undefined;
  /** For the audit entry. */
  readonly details?: Evidence;
  readonly cause?: unknown;
}

/** A rejection that happened. */
export interface Refused {
  readonly refusal: Refusal;
  readonly message: string;
  /** For the log and the audit. Never sent. */
  readonly reason: string;
  readonly username: string | undefined;
  readonly details: Evidence;
}

/** Facts are optional only for rows that need none. */
export type Found<Row extends RefusalRow, Options = About> =
  unknown extends FactsOf<Row> ? [facts?: undefined, about?: Options] : [facts: FactsOf<Row>, about?: Options];

export function refused<Row extends Refusal>(row: Row, ...[facts, about = {}]: Found<Row>): Refused {
  const message = textOf(row.answer, facts);
  return {
    refusal: row,
    message,
    reason: row.reason === undefined ? message : textOf(row.reason, facts),
    username: about.username,
    details: { ...row.evidence?.(asFacts(facts)), ...about.details },
  };
}

function textOf(sentence: Sentence<never>, facts: unknown): string {
  return typeof sentence === 'string' ? sentence : sentence(asFacts(facts));
}

/** `Found` has checked the facts against the row. The type of a general row cannot express that. */
function asFacts(facts: unknown): never {
  return facts as never;
}

/** A thrown rejection. Its surface adds status and form. */
export class RefusedError extends Error implements Refused {
  readonly refusal: Refusal;
  readonly reason: string;
  readonly details: Evidence;
  username: string | undefined;

  constructor({ refusal, message, reason, username, details }: Refused, options?: { cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.refusal = refusal;
    this.reason = reason;
    this.username = username;
    this.details = details;
  }
}

/** The rejection in the audit's `details`. `refusal` is its code. */
export function detailsOf({ refusal, reason, details }: Refused): Evidence {
  return { reason, refusal: refusal.code, ...details };
}

/** Adds the user to rejections of checks that do not know which user a request is about. */
export function aboutUser<Result>(username: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (error instanceof RefusedError) error.username ??= username;
    throw error;
  }
}
