// An OAuth error as a value: wire code, a sentence for a human, the status, and a private cause that reaches the log
// only. Thrown or returned by protocol code; turned into an answer in one place for each surface.
import type { OAuthErrorCode } from './error-codes.ts';

export interface OAuthErrorOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log and the audit's `reason`; never sent. */
  readonly reason?: string;
  readonly cause?: unknown;
}

export class OAuthError extends Error {
  readonly error: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string;

  constructor(error: OAuthErrorCode, description: string, options: OAuthErrorOptions = {}) {
    super(description, options.cause === undefined ? undefined : { cause: options.cause });
    this.error = error;
    this.status = options.status ?? 400;
    this.headers = options.headers ?? {};
    this.reason = options.reason ?? description;
  }

  /** The JSON body: `error` and `error_description` (TOK-21). */
  get body(): { error: OAuthErrorCode; error_description: string } {
    return { error: this.error, error_description: this.message };
  }
}
