/** Every error of this package. */
export declare class IdpError extends Error {
  /** What went wrong, as one word that keeps its meaning. */
  readonly kind: string;
  constructor(
    kind: string,
    message: string,
    options?: {
      readonly cause?: unknown;
    },
  );
}
/** One thing that was found in a configuration, as `test-idp validate-config --json` tells it. */
export interface Finding {
  readonly level: 'error' | 'warning' | 'info';
  /** The whole sentence, beginning with the key's dotted path. */
  readonly message: string;
  readonly file: string | null;
  /** Dotted; null: the file as a whole. */
  readonly path: string | null;
  readonly line: number | null;
  readonly column: number | null;
}
/** An instance did not start; nothing is left running. `kind`: configuration_rejected, address_in_use, timeout, … */
export declare class IdpStartError extends IdpError {
  /** What is wrong with the configuration; empty for other kinds. */
  readonly findings: readonly Finding[];
  constructor(
    kind: string,
    message: string,
    {
      findings,
      ...options
    }?: {
      readonly findings?: readonly Finding[];
      readonly cause?: unknown;
    },
  );
}
/** The server answered, and not with a success. */
export declare class IdpRequestError extends IdpError {
  readonly status: number;
  /** The code of OAuth, or the sentence of the REST API. */
  readonly error: string | undefined;
  /** What it answered: the JSON value, else the text. */
  readonly body: unknown;
  constructor(
    kind: string,
    message: string,
    answer: {
      readonly status: number;
      readonly error: string | undefined;
      readonly body: unknown;
    },
  );
}
/** A login ended on a page of the server; the message is the sentence of that page. */
export declare class IdpLoginError extends IdpError {
  /** Of the page. */
  readonly status: number;
  constructor(
    kind: string,
    message: string,
    {
      status,
    }: {
      readonly status: number;
    },
  );
}
