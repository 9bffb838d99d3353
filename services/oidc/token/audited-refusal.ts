// A refusal that knows what the audit should say of it beyond its reason (AUD-18): the endpoint writes the entry.
import type { OAuthErrorCode } from '#shared/protocol/oauth2/error-codes.ts';
import { OAuthError, type OAuthErrorOptions } from '#shared/protocol/oauth2/oauth-error.ts';
import { ScopeRefusal } from '#shared/protocol/oauth2/scope.ts';

export interface AuditedRefusalOptions extends OAuthErrorOptions {
  /** Whom the request was about, when that is known. */
  readonly username?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
  /** No entry at all: a poll that is pending (AUD-14). */
  readonly unrecorded?: boolean;
}

export class AuditedRefusal extends OAuthError {
  readonly username: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly unrecorded: boolean;

  constructor(error: OAuthErrorCode, description: string, options: AuditedRefusalOptions = {}) {
    super(error, description, options);
    this.username = options.username;
    this.details = options.details ?? {};
    this.unrecorded = options.unrecorded ?? false;
  }
}

/** What the audit is told of any OAuth refusal. */
export function auditOfRefusal(error: OAuthError): {
  readonly username: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
} {
  if (error instanceof AuditedRefusal) {
    return { username: error.username, details: { reason: error.reason, ...error.details } };
  }
  if (error instanceof ScopeRefusal) {
    return { username: undefined, details: { reason: error.reason, rejected_scopes: error.rejected } };
  }
  return { username: undefined, details: { reason: error.reason } };
}

/** Adds the user to refusals thrown by checks that do not know whom a request is about. */
export function aboutUser<Result>(username: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof OAuthError) || error instanceof AuditedRefusal) throw error;
    const { details } = auditOfRefusal(error);
    throw new AuditedRefusal(error.error, error.message, {
      status: error.status,
      headers: error.headers,
      reason: error.reason,
      username,
      details,
    });
  }
}
