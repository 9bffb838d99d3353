// What a refusal is: one row of a table in families/, with a stable code, the sentence said to the caller, what would have
// been right and where that is written. A check that decides makes a `Refused` of a row and what it found; body, audit
// entry, log line, pages and docs/errors.md are made from it. Codes never change their meaning: programs look at them.
import type { Reference } from './references.ts';

/** A text, or one that says what was found. */
type Sentence<Facts> = string | ((facts: Facts) => string);

/** A side of the client's own registration that a person wants to see beside a refusal. */
export type ClientSide = 'redirect_uris' | 'authentication' | 'scope' | 'resources';

/** What was sent and what would have been right, as recorded in the audit; never a secret. */
type Evidence = Readonly<Record<string, unknown>>;

export interface RefusalRow<Facts = never> {
  /** Said to whoever asked. */
  readonly answer: Sentence<Facts>;
  /** The audit's and the log's sentence, where the caller must not hear as much; left out: the answer. */
  readonly reason?: Sentence<Facts>;
  readonly evidence?: (facts: Facts) => Evidence;
  /** What would have been accepted, for people. */
  readonly expected: string;
  readonly standard: Reference;
  readonly registered?: ClientSide;
  /** The audit has no entry of it: a poll that is pending, a refused registration credential (AUD-14). */
  readonly unrecorded?: true;
}

export type Refusal<Facts = never> = RefusalRow<Facts> & { readonly code: string };

/** A family of refusals; each row is called by its code. */
export function declareRefusals<Row extends RefusalRow, Table extends Readonly<Record<string, Row>>>(
  table: Table,
): { readonly [Code in keyof Table]: Table[Code] & { readonly code: Code & string } } {
  const coded = Object.entries(table).map(([code, row]) => [code, { ...row, code }]);
  return Object.fromEntries(coded);
}

type Asked<Text> = Text extends (facts: infer Facts) => unknown ? Facts : unknown;

/** What a row has to be told when it is used. */
type FactsOf<Row extends RefusalRow> = Asked<Row['answer']> & Asked<Row['reason']> & Asked<Row['evidence']>;

/** What else the place that refuses knows. */
export interface About {
  /** The user whom the request was about. */
  readonly username?: string | undefined;
  /** For the audit entry. */
  readonly details?: Evidence;
  readonly cause?: unknown;
}

/** A refusal that happened. */
export interface Refused {
  readonly refusal: Refusal;
  readonly message: string;
  /** For the log and the audit; never sent. */
  readonly reason: string;
  readonly username: string | undefined;
  readonly details: Evidence;
}

/** Facts may be left out exactly for rows that ask for none. */
export type Found<Row extends RefusalRow, Options = About> =
  unknown extends FactsOf<Row> ? [facts?: undefined, about?: Options] : [facts: FactsOf<Row>, about?: Options];

export function refused<Row extends Refusal>(row: Row, ...[facts, about = {}]: Found<Row>): Refused {
  const message = told(row.answer, facts);
  return {
    refusal: row,
    message,
    reason: row.reason === undefined ? message : told(row.reason, facts),
    username: about.username,
    details: { ...row.evidence?.(asFacts(facts)), ...about.details },
  };
}

function told(sentence: Sentence<never>, facts: unknown): string {
  return typeof sentence === 'string' ? sentence : sentence(asFacts(facts));
}

/** `Found` has checked the facts against the row; a row that is known only as a row cannot say so. */
function asFacts(facts: unknown): never {
  return facts as never;
}

/** A refusal thrown; its surface gives it a status and a form. */
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

/** What the audit's `details` say of a refusal: `refusal` is its code. */
export function detailsOf({ refusal, reason, details }: Refused): Evidence {
  return { reason, refusal: refusal.code, ...details };
}

/** Adds the user to refusals thrown by checks that do not know whom a request is about. */
export function aboutUser<Result>(username: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (error instanceof RefusedError) error.username ??= username;
    throw error;
  }
}
