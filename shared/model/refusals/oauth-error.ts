// An OAuth refusal, thrown: wire code, a sentence for a human, the status; reason and details reach audit and log only.
// Turned into an answer in one place for each surface.
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

/** A refusal of an OAuth surface. */
export interface OAuthRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly error: OAuthErrorCode;
  /** 400 unless said otherwise. */
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

  /** The same refusal, with other headers. */
  withHeaders(headers: Readonly<Record<string, string>>): OAuthError {
    const { error, status, cause } = this;
    return new OAuthError({ ...this.refusal, error }, this, { status, headers, cause });
  }

  /** The JSON body: `error` and `error_description` (TOK-21). */
  get body(): { error: OAuthErrorCode; error_description: string } {
    return { error: this.error, error_description: this.message };
  }
}

/** The refusal of a row, to be thrown. */
export function oauthError<Row extends OAuthRefusalRow & Refusal>(
  row: Row,
  ...found: Found<Row, OAuthAbout>
): OAuthError {
  return new OAuthError(row, refused(row, ...found), found[1]);
}
