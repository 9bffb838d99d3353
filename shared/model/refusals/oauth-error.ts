// A rejection by an OAuth endpoint, thrown: error code, a message for people, the status. Reason and details are only
// for audit and log. Each surface converts it to a response in one place.
import {
  type About,
  declareRefusals,
  type Found,
  type Refusal,
  type RefusalRow,
  type Refused,
  RefusedError,
  refused,
} from '#shared/model/refusals/refusal.ts';
import type { OAuthErrorCode } from '#shared/protocol/oauth2/error-codes.ts';

/** A rejection by an OAuth surface. */
export interface OAuthRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly error: OAuthErrorCode;
  /** Default: 400. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function declareOAuthRefusals<const Table extends Readonly<Record<string, OAuthRefusalRow>>>(table: Table) {
  return declareRefusals<OAuthRefusalRow, Table>(table);
}

export interface OAuthAbout extends About {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export class OAuthError extends RefusedError {
  readonly error: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(row: OAuthRefusalRow, happened: Refused, { status, headers, cause }: OAuthAbout = {}) {
    super(happened, { cause });
    this.error = row.error;
    this.status = status ?? row.status ?? 400;
    this.headers = headers ?? row.headers ?? {};
  }

  /** The same rejection with other headers. */
  withHeaders(headers: Readonly<Record<string, string>>): OAuthError {
    const { error, status, cause } = this;
    return new OAuthError({ ...this.refusal, error }, this, { status, headers, cause });
  }

  /** The JSON body: `error` and `error_description` (TOK-21). */
  get body(): { error: OAuthErrorCode; error_description: string } {
    return { error: this.error, error_description: this.message };
  }
}

/** Creates the error of a row. */
export function oauthError<Row extends OAuthRefusalRow & Refusal>(
  row: Row,
  ...found: Found<Row, OAuthAbout>
): OAuthError {
  return new OAuthError(row, refused(row, ...found), found[1]);
}
