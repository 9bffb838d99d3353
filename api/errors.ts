// The errors of the start API. Each has a `kind` for programs. No message contains a secret, a password or a token
// (API-28).

/** The base class of every error of this package. */
export class IdpError extends Error {
  /** What went wrong, as a stable code. */
  readonly kind: string;

  constructor(kind: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.kind = kind;
  }
}

/** A finding about a configuration, as `test-idp validate-config --json` reports it. */
export interface Finding {
  readonly level: 'error' | 'warning' | 'info';
  /** The whole sentence. It begins with the key's dotted path. */
  readonly message: string;
  readonly file: string | null;
  /** The dotted path of the key, or null if the finding is about the whole file. */
  readonly path: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

/**
 * The instance did not start, and no process is left running. `kind`: configuration_rejected, address_in_use, timeout,
 * …
 */
export class IdpStartError extends IdpError {
  /** What is wrong with the configuration. Empty for other kinds. */
  readonly findings: readonly Finding[];

  constructor(
    kind: string,
    message: string,
    { findings = [], ...options }: { readonly findings?: readonly Finding[]; readonly cause?: unknown } = {},
  ) {
    super(kind, message, options);
    this.findings = findings;
  }
}

/** The server responded with an error, or with an unexpected response. */
export class IdpRequestError extends IdpError {
  readonly status: number;
  /** The OAuth error code, or the sentence of the REST API. */
  readonly error: string | undefined;
  /** The response body: the JSON value, or else a string. */
  readonly body: unknown;

  constructor(
    kind: string,
    message: string,
    answer: { readonly status: number; readonly error: string | undefined; readonly body: unknown },
  ) {
    super(kind, message);
    this.status = answer.status;
    this.error = answer.error;
    this.body = answer.body;
  }
}

/** A login ended on an error page of the server. The message is the sentence of that page. */
export class IdpLoginError extends IdpError {
  /** The HTTP status of the page. */
  readonly status: number;

  constructor(kind: string, message: string, { status }: { readonly status: number }) {
    super(kind, message);
    this.status = status;
  }
}
