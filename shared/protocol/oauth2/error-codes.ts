// The wire codes of the OAuth surfaces, once, and nothing else: RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1, RFC 7009,
// RFC 7591 §3.2.2, RFC 8628 §3.5, RFC 8707 §2, OpenID Connect Core §3.1.2.6.
export const oauthErrorCodes = [
  'access_denied',
  'authorization_pending',
  'expired_token',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'invalid_token',
  'login_required',
  'rate_limit_exceeded',
  'registration_limit_reached',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'slow_down',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
] as const;

export type OAuthErrorCode = (typeof oauthErrorCodes)[number];
