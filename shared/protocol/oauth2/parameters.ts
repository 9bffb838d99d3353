// The parameters of OAuth 2.0 and OpenID Connect, each declared once. This table defines which values a log must not
// show, which parameters an endpoint rejects when they are sent twice, and which must not contain U+0000. A parameter
// that only one grant reads is declared with that grant (shared/model/oauth-rules/grants.ts).

export interface ParameterRow {
  /**
   * `secret`: no log, recording or audit entry shows the value. `shown`: the audit entry of a request shows it.
   * `named`: the audit entry shows only the name, although the value is not secret.
   */
  readonly value: 'secret' | 'shown' | 'named';
  /** The readers that reject a repeated parameter, unless it may be repeated. */
  readonly readBy?: readonly ParameterReader[];
  /** It may be sent more than once (RFC 8707 §2). */
  readonly isRepeatable?: true;
  /**
   * It names a user or a client, or the store contains it. With U+0000 in it the request is rejected (RFC 6749 appendix
   * A).
   */
  readonly isStored?: true;
}

/**
 * `client`: every endpoint that clients call, to identify the client. `authorize`: /authorize, where its presence alone
 * makes a query an authorization request. `authorize_options`: further parameters of /authorize. `authorize_sessions`:
 * /authorize while browsers have sessions.
 */
export type ParameterReader =
  | ('authorize' | 'authorize_options' | 'authorize_sessions')
  | ('client' | 'token' | 'introspect' | 'revoke' | 'device_authorization');

/** A parameter, or a member of a response, by its name. */
export type ParameterTable = Readonly<Record<string, ParameterRow>>;

/** In the order in which /authorize checks for repeated parameters. */
export const oauthParameters = {
  // RFC 6749, RFC 7636, OpenID Connect Core §3.1.2.1 and §5.5, RFC 8707
  response_type: { value: 'shown', readBy: ['authorize'] },
  client_id: { value: 'shown', readBy: ['authorize', 'client'], isStored: true },
  redirect_uri: { value: 'shown', readBy: ['authorize'] },
  scope: { value: 'shown', readBy: ['authorize', 'token', 'device_authorization'], isStored: true },
  state: { value: 'shown', readBy: ['authorize'] },
  code_challenge: { value: 'shown', readBy: ['authorize'] },
  code_challenge_method: { value: 'shown', readBy: ['authorize'] },
  nonce: { value: 'shown', readBy: ['authorize'], isStored: true },
  claims: { value: 'shown', readBy: ['authorize'] },
  resource: { value: 'shown', readBy: ['authorize', 'token', 'device_authorization'], isRepeatable: true },
  audience: { value: 'shown', readBy: ['token', 'device_authorization'], isRepeatable: true },
  response_mode: { value: 'shown', readBy: ['authorize_options'] },
  prompt: { value: 'shown', readBy: ['authorize_options'] },
  max_age: { value: 'shown', readBy: ['authorize_sessions'] },
  id_token_hint: { value: 'secret', readBy: ['authorize_sessions'] },
  acr_values: { value: 'shown', readBy: ['authorize_sessions'] },
  login_hint: { value: 'shown', readBy: ['authorize_sessions'] },
  display: { value: 'shown' },
  ui_locales: { value: 'shown' },
  claims_locales: { value: 'shown' },

  // Client authentication: RFC 6749 §2.3.1, RFC 7521 §4.2
  client_secret: { value: 'secret', readBy: ['client'] },
  client_assertion: { value: 'secret', readBy: ['client'] },
  client_assertion_type: { value: 'shown', readBy: ['client'] },

  // RFC 6749 §4.3.2. Login forms use the same two.
  username: { value: 'shown', isStored: true },
  password: { value: 'secret' },

  // RFC 6749 §4 and §5.1, RFC 7662, RFC 7009, RFC 6750 §2.2
  grant_type: { value: 'shown', readBy: ['token'] },
  token: { value: 'secret', readBy: ['introspect', 'revoke'] },
  token_type_hint: { value: 'shown', readBy: ['introspect', 'revoke'] },
  access_token: { value: 'secret' },
  id_token: { value: 'secret' },
  token_type: { value: 'named' },

  // RFC 8628 §3.3.1, OpenID Connect RP-Initiated Logout §2, Back-Channel Logout §2.5
  user_code: { value: 'shown' },
  post_logout_redirect_uri: { value: 'shown' },
  logout_token: { value: 'secret' },

  // RFC 7591 §3.2.1, RFC 7592 §3
  registration_access_token: { value: 'secret' },
  client_secret_expires_at: { value: 'named' },

  // RFC 8693 §2.1 and §2.2.1, RFC 7521 §4.1. No grant reads them, but a client that sends them must not find them in a
  // log.
  subject_token: { value: 'secret' },
  subject_token_type: { value: 'shown' },
  actor_token: { value: 'secret' },
  actor_token_type: { value: 'named' },
  requested_token_type: { value: 'shown' },
  issued_token_type: { value: 'named' },
  assertion: { value: 'secret' },
} as const satisfies ParameterTable;

export function namesIn(table: ParameterTable, fits: (row: ParameterRow) => boolean): readonly string[] {
  return Object.keys(table).filter((name) => {
    const row = table[name];
    return row !== undefined && fits(row);
  });
}
