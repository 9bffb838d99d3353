// What the REST API takes and answers, as types. Written by `npm run docs` from the declared routes; change those.

export type AuditEntry = {
  /** Real time. */
  readonly timestamp: string;
  /** Time on the clock of the identity provider or sandbox, if it was moved. */
  readonly clock: string | null;
  readonly event_type: 'authorization_request' | 'pushed_authorization_request' | 'client_metadata_document_refused' | 'token_request' | 'userinfo_request' | 'introspection_request' | 'revocation_request' | 'logout_request' | 'logout' | 'login' | 'session_started' | 'session_ended' | 'backchannel_logout' | 'consent_given' | 'consent_deleted' | 'device_authorization_request' | 'device_verification' | 'saml_request' | 'saml_logout' | 'saml_attribute_query' | 'key_rotation' | 'client_registered' | 'client_registration_refused' | 'client_registration_deleted' | 'runtime_identity_created' | 'runtime_identity_updated' | 'runtime_identity_deleted' | 'runtime_identities_reset' | 'runtime_identity_promoted' | 'runtime_identity_promotion_recovered' | 'runtime_identity_promotion_abandoned' | 'runtime_identity_removed_on_reload' | 'sandbox_created' | 'sandbox_reset' | 'sandbox_deleted' | 'fault_created' | 'fault_deleted' | 'fault_fired' | 'mcp_tool' | 'clock_changed';
  readonly username: string | null;
  readonly client_id: string | null;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  /** The path of the endpoint. */
  readonly endpoint: string | null;
  readonly method: string | null;
  readonly status: 'success' | 'failed' | 'denied' | 'error';
  readonly details: Readonly<Record<string, unknown>>;
};

export type AuditStatistics = {
  readonly total_requests: number;
  readonly token_requests: number;
  readonly saml_sso_requests: number;
  readonly saml_attribute_queries: number;
  readonly login_attempts: number;
  readonly successful_logins: number;
  readonly failed_logins: number;
};

export type CatalogueRow = {
  readonly name: FaultName;
  readonly effect: string;
  readonly at: readonly ('discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo' | 'introspect' | 'revoke' | 'device_authorization' | 'device' | 'register' | 'logout' | 'saml_metadata' | 'saml_sso' | 'saml_attribute_query' | 'saml_slo' | 'pushed_authorization_request')[];
  readonly parameters: readonly ({
    readonly name: string;
    readonly type: string;
    readonly description: string;
    readonly default: unknown;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly values?: readonly string[];
  })[];
  readonly phase: string;
  /** How a correct client reacts. */
  readonly correct_client: string;
  readonly source: string;
};

export type ClientMetadata = {
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'none' | 'private_key_jwt' | null;
  readonly grant_types?: readonly string[] | null;
  readonly response_types?: readonly string[] | null;
  readonly post_logout_redirect_uris?: readonly string[] | null;
  readonly scope?: string | null;
  readonly client_name?: string | null;
  readonly application_type?: unknown;
  readonly contacts?: unknown;
  readonly client_uri?: unknown;
  readonly id_token_signed_response_alg?: unknown;
  readonly subject_type?: unknown;
  readonly default_max_age?: unknown;
  readonly jwks?: unknown;
  readonly jwks_uri?: unknown;
  readonly request_uris?: unknown;
  readonly userinfo_signed_response_alg?: unknown;
  readonly dpop_bound_access_tokens?: unknown;
  readonly require_pushed_authorization_requests?: unknown;
  readonly initiate_login_uri?: unknown;
  readonly logo_uri?: unknown;
  readonly policy_uri?: unknown;
  readonly tos_uri?: unknown;
  readonly backchannel_logout_uri?: unknown;
  readonly backchannel_logout_session_required?: unknown;
  readonly frontchannel_logout_uri?: unknown;
  readonly frontchannel_logout_session_required?: unknown;
  readonly [further: string]: unknown;
};

export type Clock = {
  readonly now: string;
  readonly real_now: string;
  /** Seconds ahead of real time. */
  readonly offset_seconds: number;
  readonly frozen: boolean;
  /** Whether the clock differs from real time or is frozen. */
  readonly moved: boolean;
};

export type Cluster = {
  readonly store: 'postgres';
  readonly schema: string;
  /** The newest declared configuration. */
  readonly generation: number;
  readonly stacks: readonly ({
    readonly id: string;
    readonly host: string;
    readonly version: string;
    readonly started_at: string;
    readonly workers: readonly ({
      readonly kind: string;
      readonly pid: number;
    })[];
    /** Connections to the database. */
    readonly sessions: number;
    /** State of the worker that is furthest behind. null for an MCP server that runs alone. */
    readonly configuration: {
      /** The active generation. */
      readonly in_force: number;
      /** The files on its machine differ from the active generation. */
      readonly behind: boolean;
      /** A newer generation that could not be activated on its machine. */
      readonly failed: {
        readonly generation: number;
        readonly reason: string;
      } | null;
    } | null;
    /** Difference between its machine’s clock and the database’s. null: not measured. */
    readonly clock_distance_ms: number | null;
  })[];
};

export type Configuration = {
  /** Version of the file format. Always 1. */
  readonly config_version: 1;
  /** Whether an unknown key is a warning (`default`) or an error (`strict`). `warn` means `default`. */
  readonly config_validation: 'default' | 'strict' | 'warn';
  /** How strict the protocols are. `--profile` overrides it. */
  readonly security_profile: 'dev' | 'stricter-dev' | 'oauth21';
  /** Prefixes that turn roles, groups and other fields into authorities. */
  readonly authority_prefixes: Readonly<Record<string, string>>;
  /** Identity classes that the user form offers. They are never enforced. */
  readonly allowed_identity_classes: readonly string[];
  /** Origins that may call from a browser, or `*`. Absent: the security profile decides. `[]`: none. */
  readonly cors_allowed_originss: readonly string[] | null;
  readonly server: {
    /** Address to bind. `--host` overrides it. */
    readonly host: string;
    /** Port to bind. `--port` overrides it, and `--port 0` selects a free one. */
    readonly port: number;
    /** Additional host names (`host` or `host:port`) for the web UI and `/api`. The hosts of `oauth.issuer`, `oauth.base_url` and `oauth.issuer_allowlist` are always allowed. A server on loopback also allows loopback names. A server on other addresses also allows names that no website can have: an IP address, a name without a dot, or a name below .localhost, .local, .internal, .test or .example. With `management_secret`, a server on other addresses allows every name. */
    readonly allowed_hosts: readonly string[];
    /** The rate, such as `10/minute`. Units are second, minute, hour and day. */
    readonly rate_limit_token_endpoint: string;
    readonly rate_limit_enabled: boolean | null;
    readonly tls: {
      readonly mode: string;
      readonly names?: readonly string[];
      readonly expires_at?: string;
    };
  };
  readonly oauth: {
    /** The issuer: `iss` of tokens and base of all addresses. A trailing slash stays. Everything is also served below its path. */
    readonly issuer: string;
    /** Use the scheme and host of each request as the issuer instead. */
    readonly issuer_from_request: boolean;
    /** Trust the X-Forwarded-* headers of exactly one proxy. */
    readonly issuer_from_proxy_headers: boolean;
    /** Origins that may become the issuer of a request. Other requests use `issuer`. Empty: any. */
    readonly issuer_allowlist: readonly string[];
    /** Base of the addresses shown in the device flow. Only with `issuer_from_request`. */
    readonly device_verification_base_url: string | null;
    /** Base of the published addresses in place of the issuer, which stays. `request`: scheme and host of each request. */
    readonly base_url: string | null;
    /** `aud` of access tokens. */
    readonly audience: string;
    /** Lifetime of access and ID tokens, in minutes. */
    readonly token_expiry_minutes: number;
    /** Lifetime of refresh tokens, in minutes. */
    readonly refresh_token_expiry_minutes: number;
    /** The supported scopes. */
    readonly scopes_supported: readonly string[];
    /** Requested scopes outside `scopes_supported`: `reject` them with `invalid_scope`, `ignore` them, or `grant` them. Counts in every profile, and for registrations. */
    readonly unknown_scopes: 'reject' | 'ignore' | 'grant';
    /** Reject scopes that are unsupported or not allowed for the client. `false` grants any scope (only under `dev`). */
    readonly scope_enforcement: boolean;
    readonly clients_count: number;
    /** Issuer and published addresses for this request. */
    readonly effective: {
      readonly issuer: string;
      readonly base_url: string;
      /** Published addresses, such as `token`, by the names of docs/rest.md. */
      readonly endpoints: Readonly<Record<string, string>>;
    };
  };
  readonly device_flow: {
    /** Lifetime of device codes, in seconds. */
    readonly code_expiry_seconds: number;
    /** Required seconds between two polls of a device. Enforced only outside `dev`. */
    readonly polling_interval: number;
  };
  readonly saml: {
    readonly entity_id: string;
    readonly sso_url: string;
    /** Address for logouts in metadata. Absent: `<issuer>/saml/slo`, at the host of `sso_url` if that is set. */
    readonly slo_url: string | null;
    /** Response address for requests that name none. Empty: such requests are rejected. */
    readonly default_acs_url: string;
    /** Sign responses. `false` removes every signature of responses. */
    readonly sign_responses: boolean;
    /** The signed parts of a login: `both` (Response and Assertion), `response` or `assertion`. */
    readonly sign: 'both' | 'response' | 'assertion';
    /** Send the roles as an attribute. */
    readonly export_roles: boolean;
    /** Send the groups as an attribute. */
    readonly export_groups: boolean;
    /** Name of the attribute with the roles. */
    readonly roles_attr_name: string;
    /** Name of the attribute with the groups. */
    readonly groups_attr_name: string;
    /** Canonicalisation of signatures. Blank: the default. */
    readonly c14n_algorithm: 'exc_c14n' | 'c14n' | 'c14n11';
    /** Algorithm of signatures, for service providers whose entry names none. */
    readonly signature_algorithm: 'rsa-sha1' | 'rsa-sha256' | 'rsa-sha384' | 'rsa-sha512' | 'rsa-pss-sha256' | 'rsa-pss-sha384' | 'rsa-pss-sha512';
    /** Digest inside signatures. Absent: the hash of the signature algorithm. */
    readonly digest_algorithm: 'sha1' | 'sha256' | 'sha384' | 'sha512' | null;
    /** Seconds from the issue of a login's assertion to its `NotOnOrAfter`. */
    readonly assertion_lifetime_seconds: number;
    /** Seconds from `NotBefore` of a login to its issue, for clocks that are slow. */
    readonly not_before_seconds: number;
    /** `SessionNotOnOrAfter` of a login: `session` (end of the browser session, while sessions are on), `never`, or seconds after the issue. */
    readonly session_not_on_or_after: string;
    /** Reject AuthnRequests with a wrong encoding, root element, Version or Destination, and signed ones without Destination. */
    readonly strict_binding: boolean;
    readonly entity_id_derived: boolean;
    readonly sso_url_derived: boolean;
  };
  readonly logging: {
    /** DEBUG, INFO, WARNING, ERROR or CRITICAL. */
    readonly level: string;
    /** Log requests to /token. */
    readonly log_token_requests: boolean;
    /** Log SAML requests. */
    readonly log_saml_requests: boolean;
    /** Include user names and client ids in log lines. */
    readonly verbose_logging: boolean;
  };
  readonly login: {
    /** In `persona` mode, users choose an account from a list, without a password. */
    readonly mode: 'password' | 'persona';
    /** Require a second factor from users with a `totp_secret`. */
    readonly totp: boolean;
    /** In persona mode, `login_hint=persona-auto-login:<username>` logs in without a page. */
    readonly auto_login: boolean;
    /** Every login is this user, without a page. A `login_hint` that names another user logs in that one. */
    readonly auto_login_user: string | null;
    /** Ask for the username first, then for the password. */
    readonly two_step: boolean;
  };
  readonly runtime: {
    readonly store: string;
    readonly path?: string;
    /** Address of the database, without password and parameters. */
    readonly url?: string;
    readonly schema?: string;
  };
  readonly profile_override: string | null;
  /** Values after the security profile is applied. */
  readonly effective: {
    readonly require_pkce: boolean;
    readonly password_hashing: boolean;
    /** Value at the start. A change takes effect after a restart. */
    readonly rate_limit_enabled: boolean;
    readonly debug: boolean;
  };
  readonly hooks: {
    readonly hook_api_version: 1;
    readonly strict: boolean;
    readonly timeout_seconds: number;
    readonly shell: readonly ({
      readonly event: string;
      readonly failures: number;
    })[];
    readonly plugins: readonly ({
      readonly module: string;
      readonly events: readonly string[];
      readonly failures: number;
    })[];
    readonly failed_plugins: readonly ({
      readonly module: string;
      readonly reason: string;
    })[];
  };
  readonly cors_applied_origins: readonly string[];
  readonly users_count: number;
};

export type Consent = {
  readonly username: string;
  readonly client_id: string;
  readonly scope: string;
  readonly given_at: string;
};

export type Exam = {
  readonly id: string;
  readonly client_id: string | null;
  readonly sp: string | null;
  /** A runtime user with this name is deleted when the exam ends. */
  readonly username: string;
  readonly moves_clock: boolean;
  readonly created_at: string;
  readonly expires_at: string;
};

export type Exchange = {
  readonly id: string;
  readonly flow: string;
  readonly endpoint: 'discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo' | 'introspect' | 'revoke' | 'device_authorization' | 'device' | 'register' | 'logout' | 'saml_metadata' | 'saml_sso' | 'saml_attribute_query' | 'saml_slo' | 'pushed_authorization_request' | 'login' | 'backchannel_logout' | 'saml_logout';
  /** Real time. */
  readonly at: string;
  /** Time on the clock of the identity provider or sandbox. */
  readonly clock: string;
  readonly duration_ms: number;
  readonly method: string;
  readonly path: string;
  /** Parameters of query and body, in the order sent. Secrets are fingerprints. */
  readonly parameters: readonly ({
    readonly name: string;
    readonly value: string;
  })[];
  readonly request_headers: readonly ({
    readonly name: string;
    readonly value: string;
  })[];
  readonly status: number;
  /** The members of its JSON, its redirect address or its form. */
  readonly answer: Readonly<Record<string, unknown>>;
  readonly response_headers: readonly ({
    readonly name: string;
    readonly value: string;
  })[];
  /** Content of its tokens and SAML messages, unverified. */
  readonly decoded: readonly ({
    readonly name: string;
    readonly in: 'parameters' | 'request_headers' | 'answer';
    readonly jwt?: {
      readonly header: unknown;
      readonly claims: unknown;
    };
    readonly saml?: {
      readonly message: string;
      readonly id?: string;
      readonly issuer?: string;
      readonly destination?: string;
      readonly in_response_to?: string;
      readonly audience?: string;
      readonly name_id?: string;
      readonly status?: string;
      readonly issue_instant?: string;
      readonly acs_url?: string;
      readonly is_passive?: boolean;
      readonly force_authn?: boolean;
      /** The signed elements. */
      readonly signed: readonly string[];
      /** Algorithms of the message's own signature. */
      readonly signature_methods?: readonly string[];
    };
  })[];
  /** The client that the request or its token names, even if it did not authenticate. The same applies to username. */
  readonly client_id: string | null;
  readonly username: string | null;
  readonly decision: 'accepted' | 'refused' | 'asked';
  readonly reason: string | null;
  /** The code of the rejection (docs/errors.md). */
  readonly refusal: string | null;
  /** Details of a rejection: the received and the expected value. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The fault that fired. */
  readonly fault: string | null;
  /** Number of identical requests within a second. */
  readonly repeated: number;
};

export type Expectation = {
  /** Endpoint that receives the requests. */
  readonly endpoint: 'discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo' | 'introspect' | 'revoke' | 'device_authorization' | 'device' | 'register' | 'logout' | 'saml_metadata' | 'saml_sso' | 'saml_attribute_query' | 'saml_slo' | 'pushed_authorization_request' | 'login' | 'backchannel_logout' | 'saml_logout';
  /** Exact number of requests. */
  readonly count?: number;
  /** Minimum number of requests. */
  readonly at_least?: number;
  /** Only requests of this client. */
  readonly client_id?: string;
  /** Only requests about this user. */
  readonly username?: string;
  /** Only requests with this response status. */
  readonly status?: number;
  /** Only token requests with this grant_type. */
  readonly grant_type?: string;
  /** A cursor. Only exchanges recorded later count. */
  readonly after?: string;
  /** How long to wait, from 0 to 60 seconds. */
  readonly within_seconds?: number;
};

export type ExpectationHeld = {
  readonly held: true;
  readonly count: number;
  readonly exchanges: readonly Exchange[];
  /** Position of the newest exchange. Pass it as `after` to get only later ones. */
  readonly cursor: string;
};

export type ExpectationNotHeld = {
  readonly held: false;
  readonly kind: 'not_held';
  readonly expected: string;
  readonly count: number;
  readonly exchanges: readonly Exchange[];
  /** Position of the newest exchange. Pass it as `after` to get only later ones. */
  readonly cursor: string;
};

export type Fault = {
  readonly id: string;
  readonly fault: string;
  readonly at: readonly ('discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo' | 'introspect' | 'revoke' | 'device_authorization' | 'device' | 'register' | 'logout' | 'saml_metadata' | 'saml_sso' | 'saml_attribute_query' | 'saml_slo' | 'pushed_authorization_request')[];
  readonly when: {
    /** The client of the request. */
    readonly client_id?: string;
    /** Issuer of the AuthnRequest. */
    readonly sp?: string;
    /** The user who logs in, or the user of the presented code, device code or token. */
    readonly username?: string;
    /** The grant_type of a token request. */
    readonly grant_type?: string;
    /** One requested or granted scope. */
    readonly scope?: string;
    /** A header of the request. */
    readonly header?: {
      /** Its name. */
      readonly name: string;
      /** Required value. Default: any value. */
      readonly value?: string;
    };
    /** A parameter in the query or form. */
    readonly parameter?: {
      /** Its name. */
      readonly name: string;
      /** Required value. Default: any value. */
      readonly value?: string;
    };
    /** The first matching request for which it fires. Default: 1. */
    readonly nth?: number;
  };
  /** How often it fires. 0 means no limit. */
  readonly times: number;
  /** How often it can still fire. null: no limit. */
  readonly remaining: number | null;
  readonly hits: number;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly quiet: boolean;
  readonly origin: 'runtime' | 'declared';
  /** How often the client fetched its material. */
  readonly fetches?: number;
  readonly created_at: string;
  readonly expires_at: string | null;
};

export type FaultName = 'delay' | 'hang' | 'reset_connection' | 'status' | 'unavailable' | 'too_many_requests' | 'truncated_body' | 'malformed_json' | 'wrong_content_type' | 'empty_body' | 'html_error_page' | 'redirect_answer' | 'slow_drip' | 'wrong_content_length' | 'huge_body' | 'broken_gzip' | 'cacheable_answer' | 'duplicate_members' | 'oauth_error' | 'oauth_error_with_200' | 'nonstandard_error' | 'error_as_form' | 'state_missing' | 'state_wrong' | 'state_duplicated' | 'iss_missing' | 'iss_wrong' | 'iss_normalized' | 'mix_up' | 'code_missing' | 'code_and_error' | 'code_wrong' | 'code_duplicated' | 'code_injected' | 'response_in_fragment' | 'response_extra_parameters' | 'token_expired' | 'token_not_yet_valid' | 'token_iat_future' | 'token_issuer_wrong' | 'token_issuer_slash' | 'token_issuer_missing' | 'token_audience_wrong' | 'token_audience_missing' | 'token_audience_untrusted' | 'token_azp_wrong' | 'token_azp_missing' | 'nonce_wrong' | 'nonce_missing' | 'subject_missing' | 'subject_changed' | 'subject_not_text' | 'expiry_missing' | 'expiry_text' | 'iat_missing' | 'at_hash_wrong' | 'at_hash_missing' | 'auth_time_missing' | 'auth_time_old' | 'claims_odd_types' | 'token_duplicate_members' | 'token_large' | 'token_not_jwt' | 'alg_none' | 'alg_none_mixed_case' | 'alg_hs256_public_key' | 'alg_hs256_client_secret' | 'alg_other_rsa' | 'signature_missing' | 'signature_tampered' | 'payload_tampered' | 'key_unknown' | 'key_unknown_same_kid' | 'kid_missing' | 'kid_wrong' | 'kid_hostile' | 'token_header_jwk' | 'token_header_jku' | 'token_header_x5u' | 'token_header_x5c' | 'token_header_crit' | 'token_header_typ' | 'id_token_missing' | 'id_token_swapped' | 'access_token_missing' | 'token_type_case' | 'token_type_missing' | 'token_type_unknown' | 'expires_in_missing' | 'expires_in_text' | 'expires_in_negative' | 'expires_in_zero' | 'scope_reduced' | 'scope_missing' | 'token_extra_members' | 'refresh_token_missing' | 'refresh_reply_lost' | 'refresh_not_rotated' | 'refresh_token_omitted' | 'refresh_revoked' | 'refresh_subject_changed' | 'refresh_issuer_changed' | 'key_rotated_before_signing' | 'discovery_issuer_mismatch' | 'discovery_issuer_slash' | 'discovery_member_missing' | 'discovery_foreign_endpoints' | 'discovery_no_pkce' | 'discovery_lists_none' | 'jwks_empty' | 'jwks_published_late' | 'jwks_published_early' | 'jwks_same_kid_other_key' | 'jwks_duplicate_kid' | 'jwks_unknown_type_first' | 'jwks_wrong_use' | 'jwks_wrong_alg' | 'jwks_cached_long' | 'userinfo_subject_mismatch' | 'userinfo_subject_missing' | 'userinfo_claims_missing' | 'userinfo_odd_types' | 'userinfo_signed' | 'userinfo_unauthorized' | 'introspection_inactive' | 'introspection_text' | 'introspection_bare' | 'device_slow_down' | 'device_expired' | 'device_denied' | 'device_interval_missing' | 'device_complete_uri_missing' | 'device_user_code_reused' | 'registration_secret_missing' | 'registration_redirects_changed' | 'logout_no_redirect' | 'logout_state_wrong' | 'logout_state_missing' | 'saml_unsigned' | 'saml_response_signed_only' | 'saml_signature_on_other_element' | 'saml_digest_tampered' | 'saml_content_tampered' | 'saml_signature_tampered' | 'saml_key_unknown' | 'saml_key_unknown_bare' | 'saml_keyinfo_wrong' | 'saml_sha1' | 'saml_hmac_public_key' | 'saml_xslt_transform' | 'saml_expired' | 'saml_not_yet_valid' | 'saml_confirmation_expired' | 'saml_not_on_or_after_missing' | 'saml_issue_instant_future' | 'saml_audience_wrong' | 'saml_audience_missing' | 'saml_recipient_wrong' | 'saml_recipient_missing' | 'saml_destination_wrong' | 'saml_destination_missing' | 'saml_issuer_wrong' | 'saml_response_issuer_differs' | 'saml_in_response_to_wrong' | 'saml_in_response_to_missing' | 'saml_replayed' | 'saml_xsw1' | 'saml_xsw2' | 'saml_xsw3' | 'saml_xsw4' | 'saml_xsw5' | 'saml_xsw6' | 'saml_xsw7' | 'saml_xsw8' | 'saml_nameid_comment' | 'saml_two_assertions' | 'saml_authn_statement_missing' | 'saml_nameid_missing' | 'saml_confirmation_missing' | 'saml_confirmation_method_wrong' | 'saml_version_wrong' | 'saml_doctype' | 'saml_entity_expansion' | 'saml_external_entity' | 'saml_status_error' | 'saml_status_error_with_assertion' | 'saml_relay_state_missing' | 'saml_relay_state_changed' | 'saml_wrong_binding' | 'saml_nameid_changes' | 'saml_attributes_missing' | 'saml_attribute_missing' | 'saml_attribute_empty' | 'saml_attribute_many' | 'saml_attribute_nested' | 'saml_attribute_duplicated' | 'saml_response_large' | 'saml_base64_wrapped' | 'saml_prefixes_changed' | 'saml_metadata_expired' | 'saml_metadata_other_certificate' | 'saml_query_unsigned' | 'saml_query_other_subject' | 'saml_encryption_wrong_key' | 'saml_encryption_wrong_algorithm' | 'saml_encryption_tampered' | 'saml_logout_session_index_missing' | 'saml_logout_foreign_name_id' | 'saml_logout_expired' | 'logout_token_nonce' | 'logout_token_events_missing' | 'logout_token_alg_none' | 'logout_token_audience_wrong' | 'logout_token_issuer_wrong' | 'pushed_request_refused' | 'pushed_request_unavailable' | 'pushed_request_uri_missing' | 'pushed_request_over' | 'pushed_request_status_200';

export type Finding = {
  readonly id: string;
  readonly severity: 'error' | 'warning' | 'advice';
  readonly title: string;
  /** The paragraph of the standard. */
  readonly standard: string;
  /** What the client did. */
  readonly detail: string;
  readonly remedy: string;
  /** How often it happened. */
  readonly count: number;
  /** Ids of the exchanges that show it. */
  readonly evidence: readonly string[];
};

export type Flow = {
  readonly id: string;
  readonly kind: 'code' | 'device' | 'password' | 'client_credentials' | 'refresh' | 'saml' | 'other';
  readonly client_id: string | null;
  readonly username: string | null;
  readonly sp: string | null;
  readonly started_at: string;
  readonly ended_at: string;
  readonly outcome: 'completed' | 'refused' | 'open';
  /** Number of exchanges. */
  readonly exchanges: number;
  readonly faults: readonly string[];
};

export type FlowWithExchanges = {
  readonly id: string;
  readonly kind: 'code' | 'device' | 'password' | 'client_credentials' | 'refresh' | 'saml' | 'other';
  readonly client_id: string | null;
  readonly username: string | null;
  readonly sp: string | null;
  readonly started_at: string;
  readonly ended_at: string;
  readonly outcome: 'completed' | 'refused' | 'open';
  readonly exchanges: readonly Exchange[];
  readonly faults: readonly string[];
  readonly explanation: string;
  /** Findings of the verdict on this flow, the worst first. */
  readonly findings: readonly Finding[];
};

export type Har = {
  readonly log: {
    readonly version: '1.2';
    readonly creator: {
      readonly name: string;
      readonly version: string;
    };
    readonly entries: readonly ({
      readonly startedDateTime: string;
      /** Milliseconds. */
      readonly time: number;
      readonly request: {
        readonly httpVersion: string;
        readonly cookies: readonly unknown[];
        readonly headers: readonly ({
          readonly name: string;
          readonly value: string;
        })[];
        readonly method: string;
        readonly url: string;
        readonly queryString: readonly ({
          readonly name: string;
          readonly value: string;
        })[];
        readonly postData?: {
          readonly mimeType: string;
          readonly params: readonly ({
            readonly name: string;
            readonly value: string;
          })[];
          readonly text: string;
        };
        /** -1 means unknown. */
        readonly headersSize: number;
        /** -1 means unknown. */
        readonly bodySize: number;
      };
      readonly response: {
        readonly httpVersion: string;
        readonly cookies: readonly unknown[];
        readonly headers: readonly ({
          readonly name: string;
          readonly value: string;
        })[];
        readonly status: number;
        readonly statusText: string;
        readonly content: {
          readonly size: number;
          readonly mimeType: string;
          readonly text: string;
          readonly comment: string;
        };
        readonly redirectURL: string;
        /** -1 means unknown. */
        readonly headersSize: number;
        /** -1 means unknown. */
        readonly bodySize: number;
      };
      readonly cache: Readonly<Record<string, unknown>>;
      readonly timings: {
        readonly send: number;
        readonly wait: number;
        readonly receive: number;
      };
      readonly comment: string;
    })[];
  };
};

export type Health = {
  readonly status: 'ok';
  /** Present while the clock is moved. */
  readonly clock?: {
    readonly now: string;
    readonly offset_seconds: number;
    readonly frozen: boolean;
  };
};

export type KeyRotation = {
  readonly success: true;
  readonly old_kid: string;
  readonly new_kid: string;
  readonly previous_keys_count: number;
  readonly rotated_at: string;
};

export type Keys = {
  readonly active_kid: string;
  readonly previous_keys_count: number;
  /** Newest first. */
  readonly previous_kids: readonly string[];
  readonly max_previous_keys: number;
};

export type LogoutNotification = {
  readonly client_id: string;
  readonly channel: 'backchannel' | 'frontchannel';
  readonly delivered: boolean;
  readonly http_status: number | null;
} | {
  readonly entity_id: string;
  readonly channel: 'soap' | 'frontchannel';
  readonly delivered: boolean;
  readonly http_status: number | null;
  /** Why it was not notified. `needs_a_browser`: it has no SOAP address. */
  readonly reason: string | null;
};

export type NewClient = {
  /** The client_id that the client sends. */
  readonly client_id: string;
  /** The secret of a confidential client. Required unless the method is `none` or `private_key_jwt`. */
  readonly client_secret?: string | null;
  /** How the client authenticates. `none` makes it a public client, `client_secret_any` accepts the secret in the header or the body, `client_secret_optional` also its absence (only under `dev`), and `private_key_jwt` means a signed assertion. */
  readonly token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'none' | 'client_secret_any' | 'client_secret_optional' | 'private_key_jwt';
  /** Shown to users. A registration stores client_name here. */
  readonly description?: string;
  /** Allowed redirect URIs. Empty: any acceptable URI (not under `oauth21`). */
  readonly redirect_uris?: readonly string[] | string;
  /** Patterns of further redirect URIs, only under `dev`. `*` stands for a part of one host label or path segment. Other providers compare exactly. */
  readonly redirect_uri_patterns?: readonly string[] | string;
  /** Allowed scopes, separated by spaces. Absent or empty: all. */
  readonly scope?: string;
  /** The same restriction as `scope`, written as a list. */
  readonly allowed_scopes?: readonly string[] | string;
  /** Resources (RFC 8707) that the client may request. Empty: any. */
  readonly allowed_resources?: readonly string[] | string;
  /** Additional `aud` values of its ID tokens. */
  readonly additional_audiences?: readonly string[] | string;
  /** Allowed redirect URIs after a logout. */
  readonly post_logout_redirect_uris?: readonly string[] | string;
  /** Patterns of further redirect URIs after a logout, like `redirect_uri_patterns`. */
  readonly post_logout_redirect_uri_patterns?: readonly string[] | string;
  /** Address that gets a logout token when a session of the client ends. */
  readonly backchannel_logout_uri?: string | null;
  /** The client needs `sid` in logout tokens. They always have it. */
  readonly backchannel_logout_session_required?: boolean;
  /** Address that the browser loads in a frame when a session of the client ends. */
  readonly frontchannel_logout_uri?: string | null;
  /** The front-channel address gets the parameters `iss` and `sid`. */
  readonly frontchannel_logout_session_required?: boolean;
  /** Roles in the client's own tokens (client_credentials). */
  readonly roles?: readonly string[] | string;
  /** Groups in the client's own tokens (client_credentials). */
  readonly groups?: readonly string[] | string;
  /** `aud` of its access tokens, in place of `oauth.audience`. Resources of a request override it. */
  readonly audience?: readonly string[] | string;
  /** Scopes of its requests without `scope`, as a list or separated by spaces. */
  readonly default_scopes?: readonly string[] | string;
  /** Lifetime of its access tokens, in seconds. */
  readonly token_expiry_seconds?: number | null;
  /** Lifetime of its ID tokens, in seconds. */
  readonly id_token_expiry_seconds?: number | null;
  /** Lifetime of its refresh tokens, in seconds. */
  readonly refresh_token_expiry_seconds?: number | null;
  /** Claims in all tokens and UserInfo responses for the client. Claims of the user override them. */
  readonly claims?: {
    readonly name?: string;
    readonly given_name?: string;
    readonly family_name?: string;
    readonly middle_name?: string;
    readonly nickname?: string;
    readonly preferred_username?: string;
    readonly profile?: string;
    readonly picture?: string;
    readonly website?: string;
    readonly email_verified?: boolean;
    readonly gender?: string;
    readonly birthdate?: string;
    readonly zoneinfo?: string;
    readonly locale?: string;
    readonly phone_number?: string;
    readonly phone_number_verified?: boolean;
    readonly address?: {
      readonly formatted?: string;
      readonly street_address?: string;
      readonly locality?: string;
      readonly region?: string;
      readonly postal_code?: string;
      readonly country?: string;
      readonly [further: string]: unknown;
    };
    readonly updated_at?: number;
    readonly [further: string]: unknown;
  };
  /** Default `max_age` of its requests, in seconds (with `login.session: on`). */
  readonly default_max_age?: number | null;
  /** The client's public keys (RFC 7517), for `private_key_jwt` and signed request objects. */
  readonly jwks?: Readonly<Record<string, unknown>> | null;
  /** Address of the client's keys, on a host of `oauth.client_fetch`. Replaces `jwks`. */
  readonly jwks_uri?: string | null;
  /** Addresses of its request objects, on hosts of `oauth.client_fetch` (with `oauth.request_objects: on`). */
  readonly request_uris?: readonly string[] | string;
  /** Return UserInfo as a JWT signed with this algorithm. Absent: as JSON. */
  readonly userinfo_signed_response_alg?: 'RS256' | null;
  /** Require a DPoP proof in its token requests (RFC 9449 §5.2, with `oauth.dpop`). */
  readonly dpop_bound_access_tokens?: boolean;
  /** Require pushed authorization requests (RFC 9126 §6, with `oauth.pushed_authorization_requests`). */
  readonly require_pushed_authorization_requests?: boolean;
  /** Address at which a third party can start a login at the client. */
  readonly initiate_login_uri?: string | null;
  /** Logo on the login page, if `oauth.logos_dir` has none. */
  readonly logo_uri?: string | null;
  /** The application's privacy policy. The login page links to it. */
  readonly policy_uri?: string | null;
  /** The application's terms of service. The login page links to them. */
  readonly tos_uri?: string | null;
  /** Background colour of the login page, as `#rrggbb`. */
  readonly background_color?: string | null;
  /** Header colour of the login page, as `#rrggbb`. */
  readonly header_color?: string | null;
  /** Footer colour of the login page, as `#rrggbb`. */
  readonly footer_color?: string | null;
  /** Show the client_id on the login page. */
  readonly show_client_id?: boolean;
  /** Show the description on the login page. */
  readonly show_description?: boolean;
  /** Layout of the login page. */
  readonly layout?: 'vertical' | 'horizontal';
};

export type NewSandbox = {
  /** Its name, the part after /s/. Default: a random name. */
  readonly name?: string;
  /** Lifetime in seconds. Default: 3600. */
  readonly ttl_seconds?: number;
  /** Its own settings, nested as in settings.yaml. */
  readonly settings?: SandboxSettings;
  /** `own`: its own signing key. `shared` (default): the key of the stack. */
  readonly keys?: 'shared' | 'own';
};

export type NewServiceProvider = {
  /** Its entity ID, the Issuer of its requests. Absent: the one in `metadata_file`. */
  readonly entity_id?: string | null;
  /** Its display name. Absent: the entity ID. */
  readonly title?: string | null;
  /** Its assertion consumer services: strings, or mappings of `url`, `index`, `default` and `binding`. */
  readonly acs?: readonly ({
    readonly url: string;
    readonly index?: number;
    readonly default?: boolean;
    readonly binding?: 'HTTP-POST' | 'HTTP-Redirect' | 'HTTP-Artifact' | 'SOAP' | 'PAOS';
  } | string)[] | string;
  /** RSA certificates for its signatures, as PEM files or texts. */
  readonly certificates?: readonly string[] | string;
  /** Accept only AuthnRequests signed with one of its certificates. */
  readonly want_signed_requests?: boolean;
  /** The signed parts of a Response: `both`, `response`, `assertion` or `none`. Absent: `saml.sign`. */
  readonly sign?: 'both' | 'response' | 'assertion' | 'none';
  /** Algorithm of signatures for it. Absent: `saml.signature_algorithm`. */
  readonly signature_algorithm?: 'rsa-sha1' | 'rsa-sha256' | 'rsa-sha384' | 'rsa-sha512' | 'rsa-pss-sha256' | 'rsa-pss-sha384' | 'rsa-pss-sha512';
  /** Digest inside signatures for it. Absent: `saml.digest_algorithm`. */
  readonly digest_algorithm?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  /** Seconds until `NotOnOrAfter` of its logins. Absent: `saml.assertion_lifetime_seconds`. */
  readonly assertion_lifetime_seconds?: number;
  /** Seconds from `NotBefore` of its logins to their issue. Absent: `saml.not_before_seconds`. */
  readonly not_before_seconds?: number;
  /** `SessionNotOnOrAfter` of its logins: `session`, `never` or seconds. Absent: `saml.session_not_on_or_after`. */
  readonly session_not_on_or_after?: number | string;
  /** The audiences of its assertions, instead of its entity ID. */
  readonly audiences?: readonly string[];
  /** Default format of the NameID: unspecified, emailAddress, persistent or transient. */
  readonly name_id_format?: string;
  /** Source of an unspecified or emailAddress NameID, such as `username` or `attributes.staff_number`. */
  readonly name_id_from?: string;
  /** Its attributes, instead of the default ones: mappings of `name`, `name_format`, `friendly_name`, `from` or `values`, and `as`. */
  readonly attributes?: readonly ({
    readonly name: string;
    readonly name_format?: string;
    readonly friendly_name?: string;
    readonly from?: string;
    readonly values?: readonly string[];
    readonly as?: 'list' | 'text' | 'always';
  })[];
  /** Sets of attribute names, selected by an AttributeConsumingServiceIndex. */
  readonly attribute_services?: readonly ({
    readonly index: number;
    readonly default?: boolean;
    readonly attributes: readonly string[];
  })[];
  /** Its single logout services: mappings of `url`, `response_url` and `binding`. */
  readonly slo?: readonly ({
    readonly url: string;
    readonly response_url?: string;
    readonly binding: 'HTTP-Redirect' | 'HTTP-POST' | 'SOAP';
  })[];
  /** The parts to encrypt: `assertion`, `name_id`, `attributes`. */
  readonly encrypt?: readonly ('assertion' | 'name_id' | 'attributes')[];
  /** Encryption algorithms: a mapping of `content`, `key`, `digest`, `mgf` and `key_place` (`inside` or `beside` the EncryptedData). */
  readonly encryption?: {
    readonly content?: 'aes256-gcm' | 'aes128-gcm' | 'aes256-cbc' | 'aes128-cbc';
    readonly key?: 'rsa-oaep-mgf1p' | 'rsa-oaep' | 'rsa-1_5';
    readonly digest?: 'sha1' | 'sha256' | 'sha512';
    readonly mgf?: 'sha1' | 'sha256' | 'sha512';
    readonly key_place?: 'inside' | 'beside';
  };
  /** RSA certificate to encrypt with, as PEM file or text. */
  readonly encryption_certificate?: string | null;
  /** Allow logins that start here, while `saml.idp_initiated` is on. */
  readonly idp_initiated?: boolean;
  /** Default RelayState of logins that start here. */
  readonly relay_state?: string;
  /** Its metadata as XML text. */
  readonly metadata?: string;
};

export type NewUser = {
  /** The name that the user logs in with. */
  readonly username: string;
  /** Password for the login. Absent: the user can log in only in persona mode. */
  readonly password?: string | null;
  /** Shown in the list of users at the login, never in tokens. */
  readonly description?: string;
  /** The e-mail address, or empty. Default: `<username>@example.org`. */
  readonly email?: string;
  /** The identity class, such as INTERNAL. */
  readonly identity_class?: string | null;
  /** Roles. Each becomes an authority with the prefix ROLE_. */
  readonly roles?: readonly string[];
  /** Groups. Each becomes an authority with the prefix GROUP_. */
  readonly groups?: readonly string[];
  /** Entitlements. Each becomes an authority with the prefix ENT_. */
  readonly entitlements?: readonly string[];
  /** Entries of access control lists. */
  readonly source_acl?: readonly string[];
  /** The tenant of the user. */
  readonly tenant?: string;
  /** Custom attributes, of any type, at most 100 levels deep. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Standard claims of OpenID Connect, each with its type, and custom claims. docs/claims.md shows which claim appears where. */
  readonly claims?: {
    readonly name?: string;
    readonly given_name?: string;
    readonly family_name?: string;
    readonly middle_name?: string;
    readonly nickname?: string;
    readonly preferred_username?: string;
    readonly profile?: string;
    readonly picture?: string;
    readonly website?: string;
    readonly email_verified?: boolean;
    readonly gender?: string;
    readonly birthdate?: string;
    readonly zoneinfo?: string;
    readonly locale?: string;
    readonly phone_number?: string;
    readonly phone_number_verified?: boolean;
    readonly address?: {
      readonly formatted?: string;
      readonly street_address?: string;
      readonly locality?: string;
      readonly region?: string;
      readonly postal_code?: string;
      readonly country?: string;
      readonly [further: string]: unknown;
    };
    readonly updated_at?: number;
    readonly [further: string]: unknown;
  };
  /** Base32 secret of the second factor. No page, API or tool returns it. */
  readonly totp_secret?: string | null;
  readonly [further: string]: unknown;
};

export type Promotion = {
  readonly promoted: string;
  readonly kind: 'user' | 'client';
  /** The file that now contains it. */
  readonly file: string;
  /** The error of the on_config_saved hook. */
  readonly mirror_hook_error?: string;
};

export type Recorder = {
  readonly enabled: boolean;
  readonly kept: number;
  /** Maximum number of stored exchanges. */
  readonly bound: number;
  /** Number of exchanges that the limit removed. */
  readonly dropped: number;
  /** Number of exchanges that could not be stored. */
  readonly lost: number;
};

export type Registration = {
  readonly client_id: string;
  readonly client_id_issued_at: number;
  readonly client_secret?: string;
  readonly client_secret_expires_at?: 0;
  readonly redirect_uris: readonly string[];
  readonly post_logout_redirect_uris?: readonly string[];
  readonly token_endpoint_auth_method: 'client_secret_basic' | 'client_secret_post' | 'none' | 'private_key_jwt';
  readonly grant_types: readonly string[];
  readonly scope: string;
  /** Scopes that were sent and not stored. Only in the response to the registration. */
  readonly dropped_scope?: string;
  readonly client_name?: string;
  readonly response_types?: readonly string[];
  readonly application_type?: 'web' | 'native';
  readonly contacts?: readonly string[];
  readonly client_uri?: string;
  readonly id_token_signed_response_alg?: 'RS256';
  readonly subject_type?: 'public';
  readonly default_max_age?: number;
  readonly jwks?: {
    readonly keys: readonly (Readonly<Record<string, unknown>>)[];
    readonly [further: string]: unknown;
  };
  readonly jwks_uri?: string;
  readonly request_uris?: readonly string[];
  readonly userinfo_signed_response_alg?: 'RS256';
  readonly dpop_bound_access_tokens?: boolean;
  readonly require_pushed_authorization_requests?: boolean;
  readonly initiate_login_uri?: string;
  readonly logo_uri?: string;
  readonly policy_uri?: string;
  readonly tos_uri?: string;
  readonly backchannel_logout_uri?: string;
  readonly backchannel_logout_session_required?: boolean;
  readonly frontchannel_logout_uri?: string;
  readonly frontchannel_logout_session_required?: boolean;
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
};

export type RuntimeClient = {
  /** The client_id that the client sends. */
  readonly client_id: string;
  /** How the client authenticates. `none` makes it a public client, `client_secret_any` accepts the secret in the header or the body, `client_secret_optional` also its absence (only under `dev`), and `private_key_jwt` means a signed assertion. */
  readonly token_endpoint_auth_method: 'client_secret_basic' | 'client_secret_post' | 'none' | 'client_secret_any' | 'client_secret_optional' | 'private_key_jwt';
  /** Shown to users. A registration stores client_name here. */
  readonly description: string;
  /** Allowed redirect URIs. Empty: any acceptable URI (not under `oauth21`). */
  readonly redirect_uris: readonly string[];
  /** Patterns of further redirect URIs, only under `dev`. `*` stands for a part of one host label or path segment. Other providers compare exactly. */
  readonly redirect_uri_patterns: readonly string[];
  /** Allowed scopes, separated by spaces. Absent or empty: all. */
  readonly scope: string;
  /** The same restriction as `scope`, written as a list. */
  readonly allowed_scopes: readonly string[];
  /** Resources (RFC 8707) that the client may request. Empty: any. */
  readonly allowed_resources: readonly string[];
  /** Additional `aud` values of its ID tokens. */
  readonly additional_audiences: readonly string[];
  /** Allowed redirect URIs after a logout. */
  readonly post_logout_redirect_uris: readonly string[];
  /** Patterns of further redirect URIs after a logout, like `redirect_uri_patterns`. */
  readonly post_logout_redirect_uri_patterns: readonly string[];
  /** Address that gets a logout token when a session of the client ends. */
  readonly backchannel_logout_uri: string | null;
  /** Address that the browser loads in a frame when a session of the client ends. */
  readonly frontchannel_logout_uri: string | null;
  /** Roles in the client's own tokens (client_credentials). */
  readonly roles: readonly string[];
  /** Groups in the client's own tokens (client_credentials). */
  readonly groups: readonly string[];
  /** `aud` of its access tokens, in place of `oauth.audience`. Resources of a request override it. */
  readonly audience: readonly string[];
  /** Scopes of its requests without `scope`, as a list or separated by spaces. */
  readonly default_scopes: readonly string[];
  readonly origin: 'runtime';
  /** Whether the client registered itself. */
  readonly source?: 'dcr';
  /** Unique among all runtime objects, even after a deletion. */
  readonly instance_id: string;
};

export type RuntimeServiceProvider = {
  readonly entity_id: string;
  readonly title: string | null;
  readonly origin: 'runtime';
  readonly acs: readonly (Readonly<Record<string, unknown>>)[];
  readonly certificates: readonly ({
    readonly subject: string;
    /** SHA-256 of the certificate, in hexadecimal pairs. */
    readonly fingerprint: string;
    readonly valid_to: string;
  })[];
  readonly want_signed_requests: boolean;
  readonly sign: string;
  readonly signature_algorithm: 'rsa-sha1' | 'rsa-sha256' | 'rsa-sha384' | 'rsa-sha512' | 'rsa-pss-sha256' | 'rsa-pss-sha384' | 'rsa-pss-sha512';
  readonly digest_algorithm: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  readonly assertion_lifetime_seconds: number;
  readonly not_before_seconds: number;
  readonly session_not_on_or_after: 'session' | 'never' | number;
  /** Empty: the entity ID. */
  readonly audiences: readonly string[];
  readonly name_id_format: string | null;
  readonly name_id_from: string | null;
  /** null: the default attributes. */
  readonly attributes: readonly (Readonly<Record<string, unknown>>)[] | null;
  readonly attribute_services: readonly (Readonly<Record<string, unknown>>)[];
  readonly slo: readonly (Readonly<Record<string, unknown>>)[];
  readonly encrypt: readonly string[];
  readonly encryption: Readonly<Record<string, string>>;
  readonly encryption_certificate: {
    readonly subject: string;
    /** SHA-256 of the certificate, in hexadecimal pairs. */
    readonly fingerprint: string;
    readonly valid_to: string;
  } | null;
  readonly idp_initiated: boolean;
  readonly relay_state: string;
  /** Unique among all runtime objects, even after a deletion. */
  readonly instance_id: string;
};

export type RuntimeUser = {
  /** The name that the user logs in with, such as `alice`. */
  readonly username: string;
  /** Shown in the list of users at the login, never in tokens. */
  readonly description: string;
  /** The e-mail address, or empty. Default: `<username>@example.org`. */
  readonly email: string;
  /** The identity class, such as INTERNAL. */
  readonly identity_class: string | null;
  /** Roles. Each becomes an authority with the prefix ROLE_. */
  readonly roles: readonly string[];
  /** Groups. Each becomes an authority with the prefix GROUP_. */
  readonly groups: readonly string[];
  /** Whether this is set: Entitlements. Each becomes an authority with the prefix ENT_. */
  readonly has_entitlements: boolean;
  /** Whether this is set: Entries of access control lists. */
  readonly has_acl: boolean;
  /** The tenant of the user. */
  readonly tenant: string;
  readonly origin: 'runtime';
  /** Unique among all runtime objects, even after a deletion. */
  readonly instance_id: string;
};

export type Sandbox = {
  readonly name: string;
  readonly instance_id: string;
  readonly issuer: string;
  readonly discovery_url: string;
  readonly jwks_url: string;
  readonly saml: {
    readonly entity_id: string;
    readonly metadata_url: string;
    readonly sso_url: string;
  };
  readonly api_url: string;
  readonly keys: 'shared' | 'own';
  readonly settings: Readonly<Record<string, unknown>>;
  readonly ttl_seconds: number;
  readonly created_at: string;
  readonly expires_at: string;
};

export type SandboxSettings = {
  /** How strict the protocols are. `--profile` overrides it. */
  readonly security_profile?: 'dev' | 'stricter-dev' | 'oauth21';
  /** Prefixes that turn roles, groups and other fields into authorities. */
  readonly authority_prefixes?: Readonly<Record<string, string>>;
  /** Claims with the names and formats that an application expects: a list of `{claim, from, as, value, separator, in, clients, scope}` (docs/claims.md). */
  readonly claim_mappings?: readonly ({
    readonly claim: string | readonly string[];
    readonly from?: string;
    readonly as?: 'list' | 'text' | 'first' | 'map' | 'omit';
    readonly value?: unknown;
    readonly separator?: string;
    readonly in?: readonly ('access_token' | 'id_token' | 'userinfo')[];
    readonly clients?: readonly string[];
    readonly scope?: string;
  })[];
  /** Faults that are set at the start, each as in POST /api/faults (docs/faults.md). */
  readonly faults?: readonly ({
    /** Name of the fault in the catalogue. */
    readonly fault: 'delay' | 'hang' | 'reset_connection' | 'status' | 'unavailable' | 'too_many_requests' | 'truncated_body' | 'malformed_json' | 'wrong_content_type' | 'empty_body' | 'html_error_page' | 'redirect_answer' | 'slow_drip' | 'wrong_content_length' | 'huge_body' | 'broken_gzip' | 'cacheable_answer' | 'duplicate_members' | 'oauth_error' | 'oauth_error_with_200' | 'nonstandard_error' | 'error_as_form' | 'state_missing' | 'state_wrong' | 'state_duplicated' | 'iss_missing' | 'iss_wrong' | 'iss_normalized' | 'mix_up' | 'code_missing' | 'code_and_error' | 'code_wrong' | 'code_duplicated' | 'code_injected' | 'response_in_fragment' | 'response_extra_parameters' | 'token_expired' | 'token_not_yet_valid' | 'token_iat_future' | 'token_issuer_wrong' | 'token_issuer_slash' | 'token_issuer_missing' | 'token_audience_wrong' | 'token_audience_missing' | 'token_audience_untrusted' | 'token_azp_wrong' | 'token_azp_missing' | 'nonce_wrong' | 'nonce_missing' | 'subject_missing' | 'subject_changed' | 'subject_not_text' | 'expiry_missing' | 'expiry_text' | 'iat_missing' | 'at_hash_wrong' | 'at_hash_missing' | 'auth_time_missing' | 'auth_time_old' | 'claims_odd_types' | 'token_duplicate_members' | 'token_large' | 'token_not_jwt' | 'alg_none' | 'alg_none_mixed_case' | 'alg_hs256_public_key' | 'alg_hs256_client_secret' | 'alg_other_rsa' | 'signature_missing' | 'signature_tampered' | 'payload_tampered' | 'key_unknown' | 'key_unknown_same_kid' | 'kid_missing' | 'kid_wrong' | 'kid_hostile' | 'token_header_jwk' | 'token_header_jku' | 'token_header_x5u' | 'token_header_x5c' | 'token_header_crit' | 'token_header_typ' | 'id_token_missing' | 'id_token_swapped' | 'access_token_missing' | 'token_type_case' | 'token_type_missing' | 'token_type_unknown' | 'expires_in_missing' | 'expires_in_text' | 'expires_in_negative' | 'expires_in_zero' | 'scope_reduced' | 'scope_missing' | 'token_extra_members' | 'refresh_token_missing' | 'refresh_reply_lost' | 'refresh_not_rotated' | 'refresh_token_omitted' | 'refresh_revoked' | 'refresh_subject_changed' | 'refresh_issuer_changed' | 'key_rotated_before_signing' | 'discovery_issuer_mismatch' | 'discovery_issuer_slash' | 'discovery_member_missing' | 'discovery_foreign_endpoints' | 'discovery_no_pkce' | 'discovery_lists_none' | 'jwks_empty' | 'jwks_published_late' | 'jwks_published_early' | 'jwks_same_kid_other_key' | 'jwks_duplicate_kid' | 'jwks_unknown_type_first' | 'jwks_wrong_use' | 'jwks_wrong_alg' | 'jwks_cached_long' | 'userinfo_subject_mismatch' | 'userinfo_subject_missing' | 'userinfo_claims_missing' | 'userinfo_odd_types' | 'userinfo_signed' | 'userinfo_unauthorized' | 'introspection_inactive' | 'introspection_text' | 'introspection_bare' | 'device_slow_down' | 'device_expired' | 'device_denied' | 'device_interval_missing' | 'device_complete_uri_missing' | 'device_user_code_reused' | 'registration_secret_missing' | 'registration_redirects_changed' | 'logout_no_redirect' | 'logout_state_wrong' | 'logout_state_missing' | 'saml_unsigned' | 'saml_response_signed_only' | 'saml_signature_on_other_element' | 'saml_digest_tampered' | 'saml_content_tampered' | 'saml_signature_tampered' | 'saml_key_unknown' | 'saml_key_unknown_bare' | 'saml_keyinfo_wrong' | 'saml_sha1' | 'saml_hmac_public_key' | 'saml_xslt_transform' | 'saml_expired' | 'saml_not_yet_valid' | 'saml_confirmation_expired' | 'saml_not_on_or_after_missing' | 'saml_issue_instant_future' | 'saml_audience_wrong' | 'saml_audience_missing' | 'saml_recipient_wrong' | 'saml_recipient_missing' | 'saml_destination_wrong' | 'saml_destination_missing' | 'saml_issuer_wrong' | 'saml_response_issuer_differs' | 'saml_in_response_to_wrong' | 'saml_in_response_to_missing' | 'saml_replayed' | 'saml_xsw1' | 'saml_xsw2' | 'saml_xsw3' | 'saml_xsw4' | 'saml_xsw5' | 'saml_xsw6' | 'saml_xsw7' | 'saml_xsw8' | 'saml_nameid_comment' | 'saml_two_assertions' | 'saml_authn_statement_missing' | 'saml_nameid_missing' | 'saml_confirmation_missing' | 'saml_confirmation_method_wrong' | 'saml_version_wrong' | 'saml_doctype' | 'saml_entity_expansion' | 'saml_external_entity' | 'saml_status_error' | 'saml_status_error_with_assertion' | 'saml_relay_state_missing' | 'saml_relay_state_changed' | 'saml_wrong_binding' | 'saml_nameid_changes' | 'saml_attributes_missing' | 'saml_attribute_missing' | 'saml_attribute_empty' | 'saml_attribute_many' | 'saml_attribute_nested' | 'saml_attribute_duplicated' | 'saml_response_large' | 'saml_base64_wrapped' | 'saml_prefixes_changed' | 'saml_metadata_expired' | 'saml_metadata_other_certificate' | 'saml_query_unsigned' | 'saml_query_other_subject' | 'saml_encryption_wrong_key' | 'saml_encryption_wrong_algorithm' | 'saml_encryption_tampered' | 'saml_logout_session_index_missing' | 'saml_logout_foreign_name_id' | 'saml_logout_expired' | 'logout_token_nonce' | 'logout_token_events_missing' | 'logout_token_alg_none' | 'logout_token_audience_wrong' | 'logout_token_issuer_wrong' | 'pushed_request_refused' | 'pushed_request_unavailable' | 'pushed_request_uri_missing' | 'pushed_request_over' | 'pushed_request_status_200';
    /** Endpoint or endpoints. Default: all endpoints that the fault supports. */
    readonly at?: 'discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo' | 'introspect' | 'revoke' | 'device_authorization' | 'device' | 'register' | 'logout' | 'saml_metadata' | 'saml_sso' | 'saml_attribute_query' | 'saml_slo' | 'pushed_authorization_request' | readonly ('discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo' | 'introspect' | 'revoke' | 'device_authorization' | 'device' | 'register' | 'logout' | 'saml_metadata' | 'saml_sso' | 'saml_attribute_query' | 'saml_slo' | 'pushed_authorization_request')[];
    /** Conditions on the request. All of them must match. */
    readonly when?: {
      /** The client of the request. */
      readonly client_id?: string;
      /** Issuer of the AuthnRequest. */
      readonly sp?: string;
      /** The user who logs in, or the user of the presented code, device code or token. */
      readonly username?: string;
      /** The grant_type of a token request. */
      readonly grant_type?: string;
      /** One requested or granted scope. */
      readonly scope?: string;
      /** A header of the request. */
      readonly header?: {
        /** Its name. */
        readonly name: string;
        /** Required value. Default: any value. */
        readonly value?: string;
      };
      /** A parameter in the query or form. */
      readonly parameter?: {
        /** Its name. */
        readonly name: string;
        /** Required value. Default: any value. */
        readonly value?: string;
      };
      /** The first matching request for which it fires. Default: 1. */
      readonly nth?: number;
    };
    /** How often it fires, 1 to 1000000. 0 or `always`: no limit. Default: 1. */
    readonly times?: number | 'always';
    /** Parameters of the fault, and `delay_ms`, which delays its response. */
    readonly parameters?: Readonly<Record<string, unknown>>;
    /** Lifetime in seconds of real time. */
    readonly ttl_seconds?: number;
    /** Omits X-Test-Idp-Fault. */
    readonly quiet?: boolean;
    readonly [further: string]: unknown;
  })[];
  readonly recorder?: {
    /** Record each protocol request and response for `/flows` and `/api/exchanges`, with fingerprints instead of secrets. */
    readonly enabled?: boolean;
  };
  readonly oauth?: {
    /** Base of the addresses that applications call directly (token, keys, registration and others), if they reach this server by another name than the browser. */
    readonly backchannel_base_url?: '' | string | null;
    /** `aud` of access tokens. */
    readonly audience?: string;
    /** Lifetime of access and ID tokens, in minutes. */
    readonly token_expiry_minutes?: number;
    /** The same in seconds, in place of `token_expiry_minutes`. */
    readonly token_expiry_seconds?: number | null;
    /** Lifetime of ID tokens, in seconds. */
    readonly id_token_expiry_seconds?: number | null;
    /** Lifetime of refresh tokens, in minutes. */
    readonly refresh_token_expiry_minutes?: number;
    /** The same in seconds, in place of `refresh_token_expiry_minutes`. */
    readonly refresh_token_expiry_seconds?: number | null;
    /** Lifetime of authorization codes, in seconds. */
    readonly authorization_code_expiry_seconds?: number;
    /** Make refresh tokens single-use (always for public clients and under `oauth21`). */
    readonly refresh_token_rotation?: boolean;
    /** How /authorize returns its response: `query` (always), `form_post`, `fragment`. */
    readonly response_modes?: readonly ('query' | 'form_post' | 'fragment')[];
    /** Also accept authorization requests as posted forms. */
    readonly authorize_by_post?: boolean;
    /** Treat `audience` at /authorize, /token and /device_authorization as another `resource`, in any format. */
    readonly audience_parameter?: boolean;
    /** `on` binds tokens to the key of the request's DPoP proof (RFC 9449). `nonce` also requires a server nonce in the proof. */
    readonly dpop?: 'off' | 'on' | 'nonce';
    /** `on` lets clients push authorization requests to /par (RFC 9126). With `required`, /authorize accepts no others. */
    readonly pushed_authorization_requests?: 'off' | 'on' | 'required';
    /** `typ` in the header of access tokens. `at+jwt` makes them RFC 9068 tokens. They name a client, so set `client_id` when you create a token without a login. */
    readonly access_token_typ?: 'JWT' | 'at+jwt';
    /** Standard claims at /userinfo need their scope (always outside `dev`). */
    readonly userinfo_by_scope?: boolean;
    /** User claims in ID tokens: those that the parameter `claims` requests, or with `scope` also those of the granted scopes. */
    readonly id_token_claims?: 'requested' | 'scope';
    /** Add `token_use` to ID tokens. */
    readonly id_token_token_use?: boolean;
    /** Require PKCE for confidential clients too (always outside `dev`). */
    readonly require_pkce?: boolean;
    /** The supported scopes. */
    readonly scopes_supported?: readonly string[] | null;
    /** Requested scopes outside `scopes_supported`: `reject` them with `invalid_scope`, `ignore` them, or `grant` them. Counts in every profile, and for registrations. */
    readonly unknown_scopes?: 'reject' | 'ignore' | 'grant';
    /** Reject scopes that are unsupported or not allowed for the client. `false` grants any scope (only under `dev`). */
    readonly scope_enforcement?: boolean;
    readonly dynamic_registration?: {
      /** Enable /register (RFC 7591). */
      readonly enabled?: boolean;
      /** Maximum number of registrations at a time. Pages of other origins get at most half of them. */
      readonly max_clients?: number;
    };
    readonly client_id_metadata_documents?: {
      /** Accept clients whose client_id is the https address of their metadata document. */
      readonly enabled?: boolean;
    };
  };
  readonly device_flow?: {
    /** Lifetime of device codes, in seconds. */
    readonly code_expiry_seconds?: number;
    /** Required seconds between two polls of a device. Enforced only outside `dev`. */
    readonly polling_interval?: number;
  };
  readonly saml?: {
    /** Entity ID. Absent: `<issuer>/saml`. */
    readonly entity_id?: string | null;
    /** Address for logins. Absent: `<issuer>/saml/sso`. */
    readonly sso_url?: string | null;
    /** Address for logouts in metadata. Absent: `<issuer>/saml/slo`, at the host of `sso_url` if that is set. */
    readonly slo_url?: '' | string | null;
    /** Response address for requests that name none. Empty: such requests are rejected. */
    readonly default_acs_url?: string;
    /** Sign responses. `false` removes every signature of responses. */
    readonly sign_responses?: boolean;
    /** The signed parts of a login: `both` (Response and Assertion), `response` or `assertion`. */
    readonly sign?: 'both' | 'response' | 'assertion';
    /** Send the roles as an attribute. */
    readonly export_roles?: boolean;
    /** Send the groups as an attribute. */
    readonly export_groups?: boolean;
    /** Name of the attribute with the roles. */
    readonly roles_attr_name?: string | null;
    /** Name of the attribute with the groups. */
    readonly groups_attr_name?: string | null;
    /** Canonicalisation of signatures. Blank: the default. */
    readonly c14n_algorithm?: 'exc_c14n' | 'c14n' | 'c14n11' | '' | null;
    /** Algorithm of signatures, for service providers whose entry names none. */
    readonly signature_algorithm?: 'rsa-sha1' | 'rsa-sha256' | 'rsa-sha384' | 'rsa-sha512' | 'rsa-pss-sha256' | 'rsa-pss-sha384' | 'rsa-pss-sha512';
    /** Digest inside signatures. Absent: the hash of the signature algorithm. */
    readonly digest_algorithm?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
    /** Seconds from the issue of a login's assertion to its `NotOnOrAfter`. */
    readonly assertion_lifetime_seconds?: number;
    /** Seconds from `NotBefore` of a login to its issue, for clocks that are slow. */
    readonly not_before_seconds?: number;
    /** `SessionNotOnOrAfter` of a login: `session` (end of the browser session, while sessions are on), `never`, or seconds after the issue. */
    readonly session_not_on_or_after?: number | string;
    /** Accept only signed AuthnRequests. */
    readonly want_authn_requests_signed?: boolean;
    /** Signing certificates of unregistered service providers, as PEM files or texts. */
    readonly sp_certificates?: readonly string[];
    /** Reject AuthnRequests with a wrong encoding, root element, Version or Destination, and signed ones without Destination. */
    readonly strict_binding?: boolean;
    /** The registered service providers. */
    readonly service_providers?: readonly ({
      /** Its entity ID, the Issuer of its requests. Absent: the one in `metadata_file`. */
      readonly entity_id?: string | null;
      /** Its display name. Absent: the entity ID. */
      readonly title?: string | null;
      /** File with its metadata. Each member of the entry overrides the metadata. */
      readonly metadata_file?: string | null;
      /** Its assertion consumer services: strings, or mappings of `url`, `index`, `default` and `binding`. */
      readonly acs?: readonly ({
        readonly url: string;
        readonly index?: number;
        readonly default?: boolean;
        readonly binding?: 'HTTP-POST' | 'HTTP-Redirect' | 'HTTP-Artifact' | 'SOAP' | 'PAOS';
      } | string)[] | string;
      /** RSA certificates for its signatures, as PEM files or texts. */
      readonly certificates?: readonly string[] | string;
      /** Accept only AuthnRequests signed with one of its certificates. */
      readonly want_signed_requests?: boolean;
      /** The signed parts of a Response: `both`, `response`, `assertion` or `none`. Absent: `saml.sign`. */
      readonly sign?: 'both' | 'response' | 'assertion' | 'none';
      /** Algorithm of signatures for it. Absent: `saml.signature_algorithm`. */
      readonly signature_algorithm?: 'rsa-sha1' | 'rsa-sha256' | 'rsa-sha384' | 'rsa-sha512' | 'rsa-pss-sha256' | 'rsa-pss-sha384' | 'rsa-pss-sha512';
      /** Digest inside signatures for it. Absent: `saml.digest_algorithm`. */
      readonly digest_algorithm?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
      /** Seconds until `NotOnOrAfter` of its logins. Absent: `saml.assertion_lifetime_seconds`. */
      readonly assertion_lifetime_seconds?: number;
      /** Seconds from `NotBefore` of its logins to their issue. Absent: `saml.not_before_seconds`. */
      readonly not_before_seconds?: number;
      /** `SessionNotOnOrAfter` of its logins: `session`, `never` or seconds. Absent: `saml.session_not_on_or_after`. */
      readonly session_not_on_or_after?: number | string;
      /** The audiences of its assertions, instead of its entity ID. */
      readonly audiences?: readonly string[];
      /** Default format of the NameID: unspecified, emailAddress, persistent or transient. */
      readonly name_id_format?: string;
      /** Source of an unspecified or emailAddress NameID, such as `username` or `attributes.staff_number`. */
      readonly name_id_from?: string;
      /** Its attributes, instead of the default ones: mappings of `name`, `name_format`, `friendly_name`, `from` or `values`, and `as`. */
      readonly attributes?: readonly ({
        readonly name: string;
        readonly name_format?: string;
        readonly friendly_name?: string;
        readonly from?: string;
        readonly values?: readonly string[];
        readonly as?: 'list' | 'text' | 'always';
      })[];
      /** Sets of attribute names, selected by an AttributeConsumingServiceIndex. */
      readonly attribute_services?: readonly ({
        readonly index: number;
        readonly default?: boolean;
        readonly attributes: readonly string[];
      })[];
      /** Its single logout services: mappings of `url`, `response_url` and `binding`. */
      readonly slo?: readonly ({
        readonly url: string;
        readonly response_url?: string;
        readonly binding: 'HTTP-Redirect' | 'HTTP-POST' | 'SOAP';
      })[];
      /** The parts to encrypt: `assertion`, `name_id`, `attributes`. */
      readonly encrypt?: readonly ('assertion' | 'name_id' | 'attributes')[];
      /** Encryption algorithms: a mapping of `content`, `key`, `digest`, `mgf` and `key_place` (`inside` or `beside` the EncryptedData). */
      readonly encryption?: {
        readonly content?: 'aes256-gcm' | 'aes128-gcm' | 'aes256-cbc' | 'aes128-cbc';
        readonly key?: 'rsa-oaep-mgf1p' | 'rsa-oaep' | 'rsa-1_5';
        readonly digest?: 'sha1' | 'sha256' | 'sha512';
        readonly mgf?: 'sha1' | 'sha256' | 'sha512';
        readonly key_place?: 'inside' | 'beside';
      };
      /** RSA certificate to encrypt with, as PEM file or text. */
      readonly encryption_certificate?: string | null;
      /** Allow logins that start here, while `saml.idp_initiated` is on. */
      readonly idp_initiated?: boolean;
      /** Default RelayState of logins that start here. */
      readonly relay_state?: string;
    })[];
    /** Whether to accept messages of unregistered service providers. */
    readonly unregistered?: 'allow' | 'refuse';
    /** Enable Single Logout at /saml/slo. Needs `login.session: on`. */
    readonly single_logout?: boolean;
    /** Enable logins that start here, at /saml/idp-initiated, for registered service providers. */
    readonly idp_initiated?: boolean;
    /** Create a key for service providers to encrypt identifiers with, and publish it in the metadata. */
    readonly encryption_key?: boolean;
    /** Hours until `validUntil` of the metadata. 0 omits it. */
    readonly metadata_valid_hours?: number;
    /** `cacheDuration` of the metadata, in minutes. 0 omits it. */
    readonly metadata_cache_minutes?: number;
    /** Also publish the certificates of the next signing key and of the previous keys in the metadata. */
    readonly metadata_next_key?: boolean;
  };
  readonly session?: {
    /** Reject every password of a user whose stored password is not a bcrypt hash (only under `stricter-dev`). */
    readonly enforce_password_check?: boolean;
  };
  readonly login?: {
    /** In `persona` mode, users choose an account from a list, without a password. */
    readonly mode?: 'password' | 'persona';
    /** Require a second factor from users with a `totp_secret`. */
    readonly totp?: boolean;
    /** In persona mode, `login_hint=persona-auto-login:<username>` logs in without a page. */
    readonly auto_login?: boolean;
    /** Every login is this user, without a page. A `login_hint` that names another user logs in that one. */
    readonly auto_login_user?: string;
    /** Ask for the username first, then for the password. */
    readonly two_step?: boolean;
    /** Whether a login creates a session, which later requests to /authorize use (docs/sessions.md). */
    readonly session?: 'off' | 'on';
    /** Lifetime of a session after the login, in minutes. */
    readonly session_lifetime_minutes?: number;
    /** Lifetime of a session after its last use, in minutes. 0 means no limit. */
    readonly session_idle_minutes?: number;
    /** `acr` value of each login method while sessions are on, the weakest first. */
    readonly acr?: readonly ({
      readonly value: string;
      readonly method: 'persona' | 'password' | 'password+totp';
    })[];
    /** When users are asked to allow an application's access. */
    readonly consent?: 'never' | 'first' | 'always';
    /** In persona mode, allow custom claims for a single login (docs/claims.md). */
    readonly edit_claims?: boolean;
  };
  readonly logout?: {
    /** When a logout asks the user to confirm: if the requester is uncertain (`unsure`), always or never. Needs `login.session: on`. */
    readonly confirmation?: 'unsure' | 'always' | 'never';
    /** Timeout for a client's response to a logout token, in milliseconds. */
    readonly delivery_timeout_ms?: number;
    /** How many times to resend a failed logout token: after 1, 2, 4, 8 and 16 seconds. */
    readonly delivery_retries?: number;
    /** Send logout tokens only to servers with a trusted certificate. */
    readonly verify_tls?: boolean;
    /** The end of a session revokes its refresh tokens, unless their scope has `offline_access`. */
    readonly revoke_refresh_tokens?: boolean;
  };
};

export type ServiceProvider = {
  readonly entity_id: string;
  readonly title: string | null;
  readonly origin: 'declared' | 'runtime';
  readonly acs: readonly (Readonly<Record<string, unknown>>)[];
  readonly certificates: readonly ({
    readonly subject: string;
    /** SHA-256 of the certificate, in hexadecimal pairs. */
    readonly fingerprint: string;
    readonly valid_to: string;
  })[];
  readonly want_signed_requests: boolean;
  readonly sign: string;
  readonly signature_algorithm: 'rsa-sha1' | 'rsa-sha256' | 'rsa-sha384' | 'rsa-sha512' | 'rsa-pss-sha256' | 'rsa-pss-sha384' | 'rsa-pss-sha512';
  readonly digest_algorithm: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  readonly assertion_lifetime_seconds: number;
  readonly not_before_seconds: number;
  readonly session_not_on_or_after: 'session' | 'never' | number;
  /** Empty: the entity ID. */
  readonly audiences: readonly string[];
  readonly name_id_format: string | null;
  readonly name_id_from: string | null;
  /** null: the default attributes. */
  readonly attributes: readonly (Readonly<Record<string, unknown>>)[] | null;
  readonly attribute_services: readonly (Readonly<Record<string, unknown>>)[];
  readonly slo: readonly (Readonly<Record<string, unknown>>)[];
  readonly encrypt: readonly string[];
  readonly encryption: Readonly<Record<string, string>>;
  readonly encryption_certificate: {
    readonly subject: string;
    /** SHA-256 of the certificate, in hexadecimal pairs. */
    readonly fingerprint: string;
    readonly valid_to: string;
  } | null;
  readonly idp_initiated: boolean;
  readonly relay_state: string;
};

export type Session = {
  readonly sid: string;
  readonly username: string;
  /** Identical for all sessions of a browser. */
  readonly browser: string;
  readonly method: 'persona' | 'password' | 'password+totp';
  readonly acr: string | null;
  readonly authenticated_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
  readonly clients: readonly string[];
  readonly service_providers: readonly string[];
};

export type TokenResponse = {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. Negative for an expired token. */
  readonly expires_in: number;
  readonly scope?: string;
  /** Present with scope openid. */
  readonly id_token?: string;
  /** Present if the client can use it. */
  readonly refresh_token?: string;
};

export type User = {
  /** The name that the user logs in with, such as `alice`. */
  readonly username: string;
  /** Shown in the list of users at the login, never in tokens. */
  readonly description: string;
  /** The e-mail address, or empty. Default: `<username>@example.org`. */
  readonly email: string;
  /** The identity class, such as INTERNAL. */
  readonly identity_class: string | null;
  /** Roles. Each becomes an authority with the prefix ROLE_. */
  readonly roles: readonly string[];
  /** Groups. Each becomes an authority with the prefix GROUP_. */
  readonly groups: readonly string[];
  /** Entitlements. Each becomes an authority with the prefix ENT_. */
  readonly entitlements: readonly string[];
  /** Entries of access control lists. */
  readonly source_acl: readonly string[];
  /** The tenant of the user. */
  readonly tenant: string;
  /** Custom attributes, of any type, at most 100 levels deep. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Standard claims of OpenID Connect, each with its type, and custom claims. docs/claims.md shows which claim appears where. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The values in tokens and assertions. */
  readonly authorities: readonly string[];
  readonly origin: 'declared' | 'runtime';
};

export type UserSummary = {
  /** The name that the user logs in with, such as `alice`. */
  readonly username: string;
  /** Shown in the list of users at the login, never in tokens. */
  readonly description: string;
  /** The e-mail address, or empty. Default: `<username>@example.org`. */
  readonly email: string;
  /** The identity class, such as INTERNAL. */
  readonly identity_class: string | null;
  /** Roles. Each becomes an authority with the prefix ROLE_. */
  readonly roles: readonly string[];
  /** Groups. Each becomes an authority with the prefix GROUP_. */
  readonly groups: readonly string[];
  /** Whether this is set: Entitlements. Each becomes an authority with the prefix ENT_. */
  readonly has_entitlements: boolean;
  /** Whether this is set: Entries of access control lists. */
  readonly has_acl: boolean;
  /** The tenant of the user. */
  readonly tenant: string;
  readonly origin: 'declared' | 'runtime';
};

export type Verdict = {
  readonly subject: {
    readonly client_id: string | null;
    /** Issuer of SAML requests. */
    readonly sp: string | null;
    readonly flow: string | null;
  };
  readonly status: 'nothing_seen' | 'error' | 'warning' | 'advice' | 'clean';
  /** The worst first. */
  readonly findings: readonly Finding[];
  /** Rules that the client followed. */
  readonly clean: readonly string[];
  /** Rules that did not apply to any exchange. */
  readonly not_observed: readonly string[];
  /** Number of exchanges that were judged. */
  readonly exchanges: number;
};

export type Verdicts = {
  readonly verdicts: readonly Verdict[];
};

/** By operationId. `parameters` are those of the path; `answer` is the body of the success. */
export interface Operations {
  /** Registers a client (RFC 7591). */
  readonly registerClient: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: ClientMetadata;
    readonly answer: Registration;
  };
  /** Returns a registration to its owner (RFC 7592). */
  readonly readRegistration: {
    readonly parameters: { readonly client_id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Registration;
  };
  /** Deletes a registration, its client and the client’s tokens (RFC 7592). */
  readonly deleteRegistration: {
    readonly parameters: { readonly client_id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** Returns this document. */
  readonly showOpenApi: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly openapi: string;
      readonly [further: string]: unknown;
    };
  };
  /** Returns whether the process is running. */
  readonly showHealth: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Health;
  };
  /** Returns whether the process can serve requests, or the reason why not. */
  readonly showReadiness: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly status: 'ready';
    };
  };
  /** Returns whether the process is running. */
  readonly showApiHealth: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Health;
  };
  /** Lists the declared users and the runtime users. */
  readonly listUsers: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly users: readonly UserSummary[];
      readonly count: number;
    };
  };
  /** Returns a user without secrets. */
  readonly showUser: {
    readonly parameters: { readonly username: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: User;
  };
  /** Issues a token for a user without a login. It can already be expired. */
  readonly createUserToken: {
    readonly parameters: { readonly username: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Lifetime in minutes. Negative: expired that long ago. */
      readonly exp_minutes?: number | null;
      /** Lifetime in seconds, instead of exp_minutes. */
      readonly exp_seconds?: number | null;
      /** Additional claims. */
      readonly extra?: Readonly<Record<string, unknown>> | null;
      /** Scopes, separated by spaces. */
      readonly scope?: string | null;
      /** The audience of the token. */
      readonly resource?: readonly string[] | string | null;
      /** `aud` of the access token, instead of resource. */
      readonly audience?: string | readonly string[] | null;
      /** Claims of the access token, applied last. */
      readonly set_claims?: Readonly<Record<string, unknown>> | null;
      /** Claims that the access token must not have. */
      readonly remove_claims?: readonly string[] | null;
      /** Not before, in seconds since the epoch. */
      readonly nbf?: number | null;
      /** The client that gets the token. */
      readonly client_id?: string | null;
      /** Changes of the ID token. Needs scope openid. */
      readonly id_token?: {
        /** Claims of the ID token. */
        readonly set_claims?: Readonly<Record<string, unknown>>;
        /** Claims that it must not have. */
        readonly remove_claims?: readonly string[];
        readonly [further: string]: unknown;
      } | null;
    } | undefined;
    readonly answer: TokenResponse;
  };
  /** Issues a token for a client without its secret. It can already be expired. */
  readonly createClientToken: {
    readonly parameters: { readonly client_id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Lifetime in minutes. Negative: expired that long ago. */
      readonly exp_minutes?: number | null;
      /** Lifetime in seconds, instead of exp_minutes. */
      readonly exp_seconds?: number | null;
      /** Additional claims. */
      readonly extra?: Readonly<Record<string, unknown>> | null;
      /** Scopes, separated by spaces. */
      readonly scope?: string | null;
      /** The audience of the token. */
      readonly resource?: readonly string[] | string | null;
      /** `aud` of the access token, instead of resource. */
      readonly audience?: string | readonly string[] | null;
      /** Claims of the access token, applied last. */
      readonly set_claims?: Readonly<Record<string, unknown>> | null;
      /** Claims that the access token must not have. */
      readonly remove_claims?: readonly string[] | null;
    } | undefined;
    readonly answer: TokenResponse;
  };
  /** Returns the active settings without secrets, and their effective values for the profile and this request. */
  readonly showConfiguration: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Configuration;
  };
  /** Reloads both configuration files and activates both, or neither. */
  readonly reloadConfiguration: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly status: 'reloaded';
      readonly users_count: number;
    };
  };
  /** Returns the keys that sign and verify. */
  readonly showKeys: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Keys;
  };
  /** Creates a new signing key. Tokens of the old key stay valid. */
  readonly rotateKeys: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: KeyRotation;
  };
  /** Deletes all runtime users, clients and service providers, including registrations. */
  readonly deleteRuntimeObjects: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly users_deleted: number;
      readonly clients_deleted: number;
      /** Present if service providers exist or were deleted. */
      readonly service_providers_deleted?: number;
    };
  };
  /** Lists the runtime users. */
  readonly listRuntimeUsers: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly users: readonly RuntimeUser[];
      readonly count: number;
    };
  };
  /** Creates a runtime user. With runtime.store: memory it is deleted when the server stops. */
  readonly createRuntimeUser: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: { readonly replace?: 'true' };
    readonly body: NewUser;
    readonly answer: {
      /** The name that the user logs in with, such as `alice`. */
      readonly username: string;
      /** Shown in the list of users at the login, never in tokens. */
      readonly description: string;
      /** The e-mail address, or empty. Default: `<username>@example.org`. */
      readonly email: string;
      /** The identity class, such as INTERNAL. */
      readonly identity_class: string | null;
      /** Roles. Each becomes an authority with the prefix ROLE_. */
      readonly roles: readonly string[];
      /** Groups. Each becomes an authority with the prefix GROUP_. */
      readonly groups: readonly string[];
      /** Whether this is set: Entitlements. Each becomes an authority with the prefix ENT_. */
      readonly has_entitlements: boolean;
      /** Whether this is set: Entries of access control lists. */
      readonly has_acl: boolean;
      /** The tenant of the user. */
      readonly tenant: string;
      readonly origin: 'runtime';
      /** Unique among all runtime objects, even after a deletion. */
      readonly instance_id: string;
      readonly warnings?: readonly string[];
    };
  };
  /** Returns a runtime user. */
  readonly showRuntimeUser: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: RuntimeUser;
  };
  /** Changes a runtime user, if runtime.updates is true. */
  readonly updateRuntimeUser: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, unknown>>;
    readonly answer: {
      /** The name that the user logs in with, such as `alice`. */
      readonly username: string;
      /** Shown in the list of users at the login, never in tokens. */
      readonly description: string;
      /** The e-mail address, or empty. Default: `<username>@example.org`. */
      readonly email: string;
      /** The identity class, such as INTERNAL. */
      readonly identity_class: string | null;
      /** Roles. Each becomes an authority with the prefix ROLE_. */
      readonly roles: readonly string[];
      /** Groups. Each becomes an authority with the prefix GROUP_. */
      readonly groups: readonly string[];
      /** Whether this is set: Entitlements. Each becomes an authority with the prefix ENT_. */
      readonly has_entitlements: boolean;
      /** Whether this is set: Entries of access control lists. */
      readonly has_acl: boolean;
      /** The tenant of the user. */
      readonly tenant: string;
      readonly origin: 'runtime';
      /** Unique among all runtime objects, even after a deletion. */
      readonly instance_id: string;
      readonly warnings?: readonly string[];
    };
  };
  /** Deletes a runtime user with all its data. */
  readonly deleteRuntimeUser: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly deleted: string;
      readonly kind: 'user';
    };
  };
  /** Saves the runtime user to the configuration files. */
  readonly promoteRuntimeUser: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Promotion;
  };
  /** Lists the runtime clients, including registered ones. */
  readonly listRuntimeClients: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly clients: readonly RuntimeClient[];
      readonly count: number;
    };
  };
  /** Creates a runtime client. With runtime.store: memory it is deleted when the server stops. */
  readonly createRuntimeClient: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: { readonly replace?: 'true' };
    readonly body: NewClient;
    readonly answer: {
      /** The client_id that the client sends. */
      readonly client_id: string;
      /** How the client authenticates. `none` makes it a public client, `client_secret_any` accepts the secret in the header or the body, `client_secret_optional` also its absence (only under `dev`), and `private_key_jwt` means a signed assertion. */
      readonly token_endpoint_auth_method: 'client_secret_basic' | 'client_secret_post' | 'none' | 'client_secret_any' | 'client_secret_optional' | 'private_key_jwt';
      /** Shown to users. A registration stores client_name here. */
      readonly description: string;
      /** Allowed redirect URIs. Empty: any acceptable URI (not under `oauth21`). */
      readonly redirect_uris: readonly string[];
      /** Patterns of further redirect URIs, only under `dev`. `*` stands for a part of one host label or path segment. Other providers compare exactly. */
      readonly redirect_uri_patterns: readonly string[];
      /** Allowed scopes, separated by spaces. Absent or empty: all. */
      readonly scope: string;
      /** The same restriction as `scope`, written as a list. */
      readonly allowed_scopes: readonly string[];
      /** Resources (RFC 8707) that the client may request. Empty: any. */
      readonly allowed_resources: readonly string[];
      /** Additional `aud` values of its ID tokens. */
      readonly additional_audiences: readonly string[];
      /** Allowed redirect URIs after a logout. */
      readonly post_logout_redirect_uris: readonly string[];
      /** Patterns of further redirect URIs after a logout, like `redirect_uri_patterns`. */
      readonly post_logout_redirect_uri_patterns: readonly string[];
      /** Address that gets a logout token when a session of the client ends. */
      readonly backchannel_logout_uri: string | null;
      /** Address that the browser loads in a frame when a session of the client ends. */
      readonly frontchannel_logout_uri: string | null;
      /** Roles in the client's own tokens (client_credentials). */
      readonly roles: readonly string[];
      /** Groups in the client's own tokens (client_credentials). */
      readonly groups: readonly string[];
      /** `aud` of its access tokens, in place of `oauth.audience`. Resources of a request override it. */
      readonly audience: readonly string[];
      /** Scopes of its requests without `scope`, as a list or separated by spaces. */
      readonly default_scopes: readonly string[];
      readonly origin: 'runtime';
      /** Whether the client registered itself. */
      readonly source?: 'dcr';
      /** Unique among all runtime objects, even after a deletion. */
      readonly instance_id: string;
      readonly warnings?: readonly string[];
    };
  };
  /** Returns a runtime client. */
  readonly showRuntimeClient: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: RuntimeClient;
  };
  /** Deletes a runtime client with all its data. */
  readonly deleteRuntimeClient: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly deleted: string;
      readonly kind: 'client';
    };
  };
  /** Saves the runtime client to the configuration files. */
  readonly promoteRuntimeClient: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Promotion;
  };
  /** Lists the runtime SAML service providers. */
  readonly listRuntimeServiceProviders: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly service_providers: readonly RuntimeServiceProvider[];
      readonly count: number;
    };
  };
  /** Creates a runtime SAML service provider. With runtime.store: memory it is deleted when the server stops. */
  readonly createRuntimeServiceProvider: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: { readonly replace?: 'true' };
    readonly body: NewServiceProvider;
    readonly answer: {
      readonly entity_id: string;
      readonly title: string | null;
      readonly origin: 'runtime';
      readonly acs: readonly (Readonly<Record<string, unknown>>)[];
      readonly certificates: readonly ({
        readonly subject: string;
        /** SHA-256 of the certificate, in hexadecimal pairs. */
        readonly fingerprint: string;
        readonly valid_to: string;
      })[];
      readonly want_signed_requests: boolean;
      readonly sign: string;
      readonly signature_algorithm: 'rsa-sha1' | 'rsa-sha256' | 'rsa-sha384' | 'rsa-sha512' | 'rsa-pss-sha256' | 'rsa-pss-sha384' | 'rsa-pss-sha512';
      readonly digest_algorithm: 'sha1' | 'sha256' | 'sha384' | 'sha512';
      readonly assertion_lifetime_seconds: number;
      readonly not_before_seconds: number;
      readonly session_not_on_or_after: 'session' | 'never' | number;
      /** Empty: the entity ID. */
      readonly audiences: readonly string[];
      readonly name_id_format: string | null;
      readonly name_id_from: string | null;
      /** null: the default attributes. */
      readonly attributes: readonly (Readonly<Record<string, unknown>>)[] | null;
      readonly attribute_services: readonly (Readonly<Record<string, unknown>>)[];
      readonly slo: readonly (Readonly<Record<string, unknown>>)[];
      readonly encrypt: readonly string[];
      readonly encryption: Readonly<Record<string, string>>;
      readonly encryption_certificate: {
        readonly subject: string;
        /** SHA-256 of the certificate, in hexadecimal pairs. */
        readonly fingerprint: string;
        readonly valid_to: string;
      } | null;
      readonly idp_initiated: boolean;
      readonly relay_state: string;
      /** Unique among all runtime objects, even after a deletion. */
      readonly instance_id: string;
      readonly warnings?: readonly string[];
    };
  };
  /** Returns a runtime SAML service provider. */
  readonly showRuntimeServiceProvider: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: RuntimeServiceProvider;
  };
  /** Deletes a runtime SAML service provider. */
  readonly deleteRuntimeServiceProvider: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly deleted: string;
      readonly kind: 'service_provider';
    };
  };
  /** Returns the newest audit entries, the oldest of them first. */
  readonly readAudit: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: { readonly limit?: number; readonly event_type?: string; readonly username?: string; readonly client_id?: string };
    readonly body: undefined;
    readonly answer: {
      readonly entries: readonly AuditEntry[];
      readonly count: number;
    };
  };
  /** Returns the audit counters. */
  readonly countAudit: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: AuditStatistics;
  };
  /** Deletes all audit entries and resets the counters. */
  readonly clearAudit: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly status: 'cleared';
    };
  };
  /** Returns the time of the clock. */
  readonly showClock: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Clock;
  };
  /** Moves, freezes or resumes the clock. */
  readonly moveClock: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** New distance to real time, in seconds. Negative: behind. */
      readonly offset_seconds?: number;
      /** Seconds to add to the current time. May be negative. */
      readonly advance_seconds?: number;
      /** The new time: an RFC 3339 date-time with Z or offset. */
      readonly at?: string;
      /** true freezes the clock, false lets it run again. */
      readonly frozen?: boolean;
    };
    readonly answer: Clock;
  };
  /** Returns the clock to real time. */
  readonly resetClock: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Clock;
  };
  /** Lists the stacks that share a PostgreSQL store, with their workers, sessions, configuration and clock. */
  readonly showCluster: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Cluster;
  };
  /** Lists the sandboxes in order of creation. */
  readonly listSandboxes: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly sandboxes: readonly Sandbox[];
      readonly count: number;
    };
  };
  /** Creates an isolated identity provider at /s/<name>. */
  readonly createSandbox: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: NewSandbox | undefined;
    readonly answer: Sandbox;
  };
  /** Deletes all sandboxes. */
  readonly endSandboxes: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly deleted: number;
    };
  };
  /** Returns a sandbox. */
  readonly showSandbox: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Sandbox;
  };
  /** Deletes a sandbox. */
  readonly endSandbox: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly deleted: string;
    };
  };
  /** Resets a sandbox and restarts its lifetime. */
  readonly resetSandbox: {
    readonly parameters: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Sandbox;
  };
  /** Lists the active faults, including used ones. */
  readonly listFaults: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly faults: readonly Fault[];
      readonly count: number;
    };
  };
  /** Sets a fault. */
  readonly createFault: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Name of the fault in the catalogue. */
      readonly fault: 'delay' | 'hang' | 'reset_connection' | 'status' | 'unavailable' | 'too_many_requests' | 'truncated_body' | 'malformed_json' | 'wrong_content_type' | 'empty_body' | 'html_error_page' | 'redirect_answer' | 'slow_drip' | 'wrong_content_length' | 'huge_body' | 'broken_gzip' | 'cacheable_answer' | 'duplicate_members' | 'oauth_error' | 'oauth_error_with_200' | 'nonstandard_error' | 'error_as_form' | 'state_missing' | 'state_wrong' | 'state_duplicated' | 'iss_missing' | 'iss_wrong' | 'iss_normalized' | 'mix_up' | 'code_missing' | 'code_and_error' | 'code_wrong' | 'code_duplicated' | 'code_injected' | 'response_in_fragment' | 'response_extra_parameters' | 'token_expired' | 'token_not_yet_valid' | 'token_iat_future' | 'token_issuer_wrong' | 'token_issuer_slash' | 'token_issuer_missing' | 'token_audience_wrong' | 'token_audience_missing' | 'token_audience_untrusted' | 'token_azp_wrong' | 'token_azp_missing' | 'nonce_wrong' | 'nonce_missing' | 'subject_missing' | 'subject_changed' | 'subject_not_text' | 'expiry_missing' | 'expiry_text' | 'iat_missing' | 'at_hash_wrong' | 'at_hash_missing' | 'auth_time_missing' | 'auth_time_old' | 'claims_odd_types' | 'token_duplicate_members' | 'token_large' | 'token_not_jwt' | 'alg_none' | 'alg_none_mixed_case' | 'alg_hs256_public_key' | 'alg_hs256_client_secret' | 'alg_other_rsa' | 'signature_missing' | 'signature_tampered' | 'payload_tampered' | 'key_unknown' | 'key_unknown_same_kid' | 'kid_missing' | 'kid_wrong' | 'kid_hostile' | 'token_header_jwk' | 'token_header_jku' | 'token_header_x5u' | 'token_header_x5c' | 'token_header_crit' | 'token_header_typ' | 'id_token_missing' | 'id_token_swapped' | 'access_token_missing' | 'token_type_case' | 'token_type_missing' | 'token_type_unknown' | 'expires_in_missing' | 'expires_in_text' | 'expires_in_negative' | 'expires_in_zero' | 'scope_reduced' | 'scope_missing' | 'token_extra_members' | 'refresh_token_missing' | 'refresh_reply_lost' | 'refresh_not_rotated' | 'refresh_token_omitted' | 'refresh_revoked' | 'refresh_subject_changed' | 'refresh_issuer_changed' | 'key_rotated_before_signing' | 'discovery_issuer_mismatch' | 'discovery_issuer_slash' | 'discovery_member_missing' | 'discovery_foreign_endpoints' | 'discovery_no_pkce' | 'discovery_lists_none' | 'jwks_empty' | 'jwks_published_late' | 'jwks_published_early' | 'jwks_same_kid_other_key' | 'jwks_duplicate_kid' | 'jwks_unknown_type_first' | 'jwks_wrong_use' | 'jwks_wrong_alg' | 'jwks_cached_long' | 'userinfo_subject_mismatch' | 'userinfo_subject_missing' | 'userinfo_claims_missing' | 'userinfo_odd_types' | 'userinfo_signed' | 'userinfo_unauthorized' | 'introspection_inactive' | 'introspection_text' | 'introspection_bare' | 'device_slow_down' | 'device_expired' | 'device_denied' | 'device_interval_missing' | 'device_complete_uri_missing' | 'device_user_code_reused' | 'registration_secret_missing' | 'registration_redirects_changed' | 'logout_no_redirect' | 'logout_state_wrong' | 'logout_state_missing' | 'saml_unsigned' | 'saml_response_signed_only' | 'saml_signature_on_other_element' | 'saml_digest_tampered' | 'saml_content_tampered' | 'saml_signature_tampered' | 'saml_key_unknown' | 'saml_key_unknown_bare' | 'saml_keyinfo_wrong' | 'saml_sha1' | 'saml_hmac_public_key' | 'saml_xslt_transform' | 'saml_expired' | 'saml_not_yet_valid' | 'saml_confirmation_expired' | 'saml_not_on_or_after_missing' | 'saml_issue_instant_future' | 'saml_audience_wrong' | 'saml_audience_missing' | 'saml_recipient_wrong' | 'saml_recipient_missing' | 'saml_destination_wrong' | 'saml_destination_missing' | 'saml_issuer_wrong' | 'saml_response_issuer_differs' | 'saml_in_response_to_wrong' | 'saml_in_response_to_missing' | 'saml_replayed' | 'saml_xsw1' | 'saml_xsw2' | 'saml_xsw3' | 'saml_xsw4' | 'saml_xsw5' | 'saml_xsw6' | 'saml_xsw7' | 'saml_xsw8' | 'saml_nameid_comment' | 'saml_two_assertions' | 'saml_authn_statement_missing' | 'saml_nameid_missing' | 'saml_confirmation_missing' | 'saml_confirmation_method_wrong' | 'saml_version_wrong' | 'saml_doctype' | 'saml_entity_expansion' | 'saml_external_entity' | 'saml_status_error' | 'saml_status_error_with_assertion' | 'saml_relay_state_missing' | 'saml_relay_state_changed' | 'saml_wrong_binding' | 'saml_nameid_changes' | 'saml_attributes_missing' | 'saml_attribute_missing' | 'saml_attribute_empty' | 'saml_attribute_many' | 'saml_attribute_nested' | 'saml_attribute_duplicated' | 'saml_response_large' | 'saml_base64_wrapped' | 'saml_prefixes_changed' | 'saml_metadata_expired' | 'saml_metadata_other_certificate' | 'saml_query_unsigned' | 'saml_query_other_subject' | 'saml_encryption_wrong_key' | 'saml_encryption_wrong_algorithm' | 'saml_encryption_tampered' | 'saml_logout_session_index_missing' | 'saml_logout_foreign_name_id' | 'saml_logout_expired' | 'logout_token_nonce' | 'logout_token_events_missing' | 'logout_token_alg_none' | 'logout_token_audience_wrong' | 'logout_token_issuer_wrong' | 'pushed_request_refused' | 'pushed_request_unavailable' | 'pushed_request_uri_missing' | 'pushed_request_over' | 'pushed_request_status_200';
      /** Endpoint or endpoints. Default: all endpoints that the fault supports. */
      readonly at?: 'discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo' | 'introspect' | 'revoke' | 'device_authorization' | 'device' | 'register' | 'logout' | 'saml_metadata' | 'saml_sso' | 'saml_attribute_query' | 'saml_slo' | 'pushed_authorization_request' | readonly ('discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo' | 'introspect' | 'revoke' | 'device_authorization' | 'device' | 'register' | 'logout' | 'saml_metadata' | 'saml_sso' | 'saml_attribute_query' | 'saml_slo' | 'pushed_authorization_request')[];
      /** Conditions on the request. All of them must match. */
      readonly when?: {
        /** The client of the request. */
        readonly client_id?: string;
        /** Issuer of the AuthnRequest. */
        readonly sp?: string;
        /** The user who logs in, or the user of the presented code, device code or token. */
        readonly username?: string;
        /** The grant_type of a token request. */
        readonly grant_type?: string;
        /** One requested or granted scope. */
        readonly scope?: string;
        /** A header of the request. */
        readonly header?: {
          /** Its name. */
          readonly name: string;
          /** Required value. Default: any value. */
          readonly value?: string;
        };
        /** A parameter in the query or form. */
        readonly parameter?: {
          /** Its name. */
          readonly name: string;
          /** Required value. Default: any value. */
          readonly value?: string;
        };
        /** The first matching request for which it fires. Default: 1. */
        readonly nth?: number;
      };
      /** How often it fires, 1 to 1000000. 0 or `always`: no limit. Default: 1. */
      readonly times?: number | 'always';
      /** Parameters of the fault, and `delay_ms`, which delays its response. */
      readonly parameters?: Readonly<Record<string, unknown>>;
      /** Lifetime in seconds of real time. */
      readonly ttl_seconds?: number;
      /** Omits X-Test-Idp-Fault. */
      readonly quiet?: boolean;
    };
    readonly answer: Fault;
  };
  /** Deletes all faults that were set at run time. */
  readonly deleteFaults: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly deleted: number;
    };
  };
  /** Returns the catalogue of faults. */
  readonly showFaultCatalogue: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly faults: readonly CatalogueRow[];
      /** Of `faults`. */
      readonly count: number;
      /** Additional faults of encrypted assertions, LogoutRequests, logout tokens and pushed authorization requests. */
      readonly further: readonly CatalogueRow[];
    };
  };
  /** Returns the resource that a faulty token or document refers to. */
  readonly showFaultMaterial: {
    readonly parameters: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: string;
  };
  /** Returns a fault. */
  readonly showFault: {
    readonly parameters: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Fault;
  };
  /** Deletes a fault. */
  readonly deleteFault: {
    readonly parameters: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly deleted: string;
    };
  };
  /** Lists the newest requests to protocol endpoints and their responses, in the order recorded. */
  readonly listExchanges: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: { readonly endpoint?: 'discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo' | 'introspect' | 'revoke' | 'device_authorization' | 'device' | 'register' | 'logout' | 'saml_metadata' | 'saml_sso' | 'saml_attribute_query' | 'saml_slo' | 'pushed_authorization_request' | 'login' | 'backchannel_logout' | 'saml_logout'; readonly client_id?: string; readonly username?: string; readonly status?: number; readonly flow?: string; readonly after?: string; readonly limit?: number };
    readonly body: undefined;
    readonly answer: {
      readonly exchanges: readonly Exchange[];
      readonly count: number;
      /** Position of the newest exchange. Pass it as `after` to get only later ones. */
      readonly cursor: string;
    };
  };
  /** Returns an exchange. */
  readonly showExchange: {
    readonly parameters: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Exchange;
  };
  /** Returns an exchange with its secrets, if recorder.secrets keeps them. */
  readonly revealExchange: {
    readonly parameters: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Exchange;
  };
  /** Returns whether requests are recorded, and how many are stored. */
  readonly showRecorder: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Recorder;
  };
  /** Turns the recorder on or off until the stack or sandbox ends. */
  readonly switchRecorder: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly enabled: boolean;
    };
    readonly answer: Recorder;
  };
  /** Waits until a number of matching exchanges is recorded. */
  readonly expectExchange: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Expectation;
    readonly answer: ExpectationHeld;
  };
  /** Lists the recorded flows, newest first. */
  readonly listFlows: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: { readonly client_id?: string; readonly sp?: string; readonly username?: string; readonly kind?: 'code' | 'device' | 'password' | 'client_credentials' | 'refresh' | 'saml' | 'other'; readonly outcome?: 'completed' | 'refused' | 'open'; readonly limit?: number };
    readonly body: undefined;
    readonly answer: {
      readonly flows: readonly Flow[];
      readonly count: number;
    };
  };
  /** Deletes all recorded exchanges. */
  readonly deleteFlows: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      /** Number of deleted exchanges. */
      readonly deleted: number;
    };
  };
  /** Returns a flow as a HAR 1.2 log. */
  readonly showFlowAsHar: {
    readonly parameters: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: Har;
  };
  /** Returns a flow as a Mermaid sequence diagram. */
  readonly showFlowAsMermaid: {
    readonly parameters: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: string;
  };
  /** Returns a flow with its exchanges, an explanation of its outcome, and the client’s mistakes. */
  readonly showFlow: {
    readonly parameters: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: FlowWithExchanges;
  };
  /** Returns the verdict on a client. Without client_id, sp and flow, returns the verdict on each client. */
  readonly showVerdict: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: { readonly client_id?: string; readonly sp?: string; readonly flow?: string; readonly after?: string; readonly format?: 'json' | 'text' | 'junit' | 'sarif'; readonly fail_on?: 'error' | 'warning' | 'advice' };
    readonly body: undefined;
    readonly answer: Verdict | Verdicts | string;
  };
  /** Lists the running exams. */
  readonly listExams: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly exams: readonly Exam[];
      readonly count: number;
    };
  };
  /** Starts an exam of a client. A client can have only one exam at a time. */
  readonly beginExam: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** The client to examine. */
      readonly client_id?: string;
      /** The service provider to examine: the Issuer of its AuthnRequests. */
      readonly sp?: string;
      /** Lifetime in seconds of real time, unless it is renewed. */
      readonly ttl_seconds?: number;
      /** The exam restores the clock at its end. */
      readonly moves_clock?: boolean;
    };
    readonly answer: Exam;
  };
  /** Renews an exam. */
  readonly renewExam: {
    readonly parameters: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** Lifetime in seconds of real time, unless it is renewed. */
      readonly ttl_seconds?: number;
    };
    readonly answer: Exam;
  };
  /** Ends an exam, deletes its user and faults, and restores the clock. */
  readonly endExam: {
    readonly parameters: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly deleted: string;
    };
  };
  /** Lists the registered SAML service providers with their effective values. */
  readonly listServiceProviders: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly service_providers: readonly ServiceProvider[];
      readonly count: number;
    };
  };
  /** Checks metadata and returns its problems and the resulting entry. Changes nothing. */
  readonly checkServiceProviderMetadata: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      /** The XML text. */
      readonly metadata: string;
    } | {
      /** Address to fetch it from, once. It must be http or https on a host of `oauth.client_fetch`, or on loopback while the server is bound to loopback. */
      readonly url: string;
    };
    readonly answer: {
      readonly valid: boolean;
      readonly findings: readonly ({
        readonly level: 'error' | 'warning';
        readonly line: number;
        readonly column: number;
        readonly message: string;
      })[];
      readonly entry: Readonly<Record<string, unknown>> | null;
    };
  };
  /** Lists the sessions, the newest login first. */
  readonly listSessions: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: { readonly username?: string; readonly client_id?: string };
    readonly body: undefined;
    readonly answer: {
      readonly sessions: readonly Session[];
      readonly count: number;
    };
  };
  /** Ends the sessions that match the filters. Without a filter, ends all. */
  readonly endSessions: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: { readonly username?: string; readonly client_id?: string };
    readonly body: undefined;
    readonly answer: {
      readonly ended: number;
      readonly notified: readonly LogoutNotification[];
    };
  };
  /** Ends one session. */
  readonly endSession: {
    readonly parameters: { readonly sid: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: undefined;
    readonly answer: {
      readonly ended: string;
      readonly notified: readonly LogoutNotification[];
    };
  };
  /** Lists the consents of users, newest first. */
  readonly listConsents: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: { readonly username?: string; readonly client_id?: string };
    readonly body: undefined;
    readonly answer: {
      readonly consents: readonly Consent[];
      readonly count: number;
    };
  };
  /** Deletes the consents that match the filters. Without a filter, deletes all. */
  readonly deleteConsents: {
    readonly parameters: Readonly<Record<string, never>>;
    readonly query: { readonly username?: string; readonly client_id?: string };
    readonly body: undefined;
    readonly answer: {
      readonly deleted: number;
    };
  };
}

/** Where each operation is asked, `{name}` standing for a parameter of the path, and in which forms a success comes. */
export const operations = {
  registerClient: { method: 'POST', path: '/register', query: [], mediaTypes: ['application/json'] },
  readRegistration: { method: 'GET', path: '/register/{client_id}', query: [], mediaTypes: ['application/json'] },
  deleteRegistration: { method: 'DELETE', path: '/register/{client_id}', query: [], mediaTypes: [] },
  showOpenApi: { method: 'GET', path: '/openapi.json', query: [], mediaTypes: ['application/json'] },
  showHealth: { method: 'GET', path: '/health', query: [], mediaTypes: ['application/json'] },
  showReadiness: { method: 'GET', path: '/health/ready', query: [], mediaTypes: ['application/json'] },
  showApiHealth: { method: 'GET', path: '/api/health', query: [], mediaTypes: ['application/json'] },
  listUsers: { method: 'GET', path: '/api/users', query: [], mediaTypes: ['application/json'] },
  showUser: { method: 'GET', path: '/api/users/{username}', query: [], mediaTypes: ['application/json'] },
  createUserToken: { method: 'POST', path: '/api/users/{username}/token', query: [], mediaTypes: ['application/json'] },
  createClientToken: { method: 'POST', path: '/api/clients/{client_id}/token', query: [], mediaTypes: ['application/json'] },
  showConfiguration: { method: 'GET', path: '/api/config', query: [], mediaTypes: ['application/json'] },
  reloadConfiguration: { method: 'POST', path: '/api/config/reload', query: [], mediaTypes: ['application/json'] },
  showKeys: { method: 'GET', path: '/api/keys/info', query: [], mediaTypes: ['application/json'] },
  rotateKeys: { method: 'POST', path: '/api/keys/rotate', query: [], mediaTypes: ['application/json'] },
  deleteRuntimeObjects: { method: 'DELETE', path: '/api/runtime', query: [], mediaTypes: ['application/json'] },
  listRuntimeUsers: { method: 'GET', path: '/api/runtime/users', query: [], mediaTypes: ['application/json'] },
  createRuntimeUser: { method: 'POST', path: '/api/runtime/users', query: ['replace'], mediaTypes: ['application/json'] },
  showRuntimeUser: { method: 'GET', path: '/api/runtime/users/{name}', query: [], mediaTypes: ['application/json'] },
  updateRuntimeUser: { method: 'PATCH', path: '/api/runtime/users/{name}', query: [], mediaTypes: ['application/json'] },
  deleteRuntimeUser: { method: 'DELETE', path: '/api/runtime/users/{name}', query: [], mediaTypes: ['application/json'] },
  promoteRuntimeUser: { method: 'POST', path: '/api/runtime/users/{name}/promote', query: [], mediaTypes: ['application/json'] },
  listRuntimeClients: { method: 'GET', path: '/api/runtime/clients', query: [], mediaTypes: ['application/json'] },
  createRuntimeClient: { method: 'POST', path: '/api/runtime/clients', query: ['replace'], mediaTypes: ['application/json'] },
  showRuntimeClient: { method: 'GET', path: '/api/runtime/clients/{name}', query: [], mediaTypes: ['application/json'] },
  deleteRuntimeClient: { method: 'DELETE', path: '/api/runtime/clients/{name}', query: [], mediaTypes: ['application/json'] },
  promoteRuntimeClient: { method: 'POST', path: '/api/runtime/clients/{name}/promote', query: [], mediaTypes: ['application/json'] },
  listRuntimeServiceProviders: { method: 'GET', path: '/api/runtime/service-providers', query: [], mediaTypes: ['application/json'] },
  createRuntimeServiceProvider: { method: 'POST', path: '/api/runtime/service-providers', query: ['replace'], mediaTypes: ['application/json'] },
  showRuntimeServiceProvider: { method: 'GET', path: '/api/runtime/service-providers/{name}', query: [], mediaTypes: ['application/json'] },
  deleteRuntimeServiceProvider: { method: 'DELETE', path: '/api/runtime/service-providers/{name}', query: [], mediaTypes: ['application/json'] },
  readAudit: { method: 'GET', path: '/api/audit', query: ['limit', 'event_type', 'username', 'client_id'], mediaTypes: ['application/json'] },
  countAudit: { method: 'GET', path: '/api/audit/stats', query: [], mediaTypes: ['application/json'] },
  clearAudit: { method: 'POST', path: '/api/audit/clear', query: [], mediaTypes: ['application/json'] },
  showClock: { method: 'GET', path: '/api/clock', query: [], mediaTypes: ['application/json'] },
  moveClock: { method: 'PUT', path: '/api/clock', query: [], mediaTypes: ['application/json'] },
  resetClock: { method: 'DELETE', path: '/api/clock', query: [], mediaTypes: ['application/json'] },
  showCluster: { method: 'GET', path: '/api/cluster', query: [], mediaTypes: ['application/json'] },
  listSandboxes: { method: 'GET', path: '/api/sandboxes', query: [], mediaTypes: ['application/json'] },
  createSandbox: { method: 'POST', path: '/api/sandboxes', query: [], mediaTypes: ['application/json'] },
  endSandboxes: { method: 'DELETE', path: '/api/sandboxes', query: [], mediaTypes: ['application/json'] },
  showSandbox: { method: 'GET', path: '/api/sandboxes/{name}', query: [], mediaTypes: ['application/json'] },
  endSandbox: { method: 'DELETE', path: '/api/sandboxes/{name}', query: [], mediaTypes: ['application/json'] },
  resetSandbox: { method: 'POST', path: '/api/sandboxes/{name}/reset', query: [], mediaTypes: ['application/json'] },
  listFaults: { method: 'GET', path: '/api/faults', query: [], mediaTypes: ['application/json'] },
  createFault: { method: 'POST', path: '/api/faults', query: [], mediaTypes: ['application/json'] },
  deleteFaults: { method: 'DELETE', path: '/api/faults', query: [], mediaTypes: ['application/json'] },
  showFaultCatalogue: { method: 'GET', path: '/api/faults/catalogue', query: [], mediaTypes: ['application/json'] },
  showFaultMaterial: { method: 'GET', path: '/api/faults/{id}/material', query: [], mediaTypes: ['application/jwk-set+json', 'application/pem-certificate-chain', 'text/plain'] },
  showFault: { method: 'GET', path: '/api/faults/{id}', query: [], mediaTypes: ['application/json'] },
  deleteFault: { method: 'DELETE', path: '/api/faults/{id}', query: [], mediaTypes: ['application/json'] },
  listExchanges: { method: 'GET', path: '/api/exchanges', query: ['endpoint', 'client_id', 'username', 'status', 'flow', 'after', 'limit'], mediaTypes: ['application/json'] },
  showExchange: { method: 'GET', path: '/api/exchanges/{id}', query: [], mediaTypes: ['application/json'] },
  revealExchange: { method: 'POST', path: '/api/exchanges/{id}/reveal', query: [], mediaTypes: ['application/json'] },
  showRecorder: { method: 'GET', path: '/api/recorder', query: [], mediaTypes: ['application/json'] },
  switchRecorder: { method: 'PUT', path: '/api/recorder', query: [], mediaTypes: ['application/json'] },
  expectExchange: { method: 'POST', path: '/api/expect', query: [], mediaTypes: ['application/json'] },
  listFlows: { method: 'GET', path: '/api/flows', query: ['client_id', 'sp', 'username', 'kind', 'outcome', 'limit'], mediaTypes: ['application/json'] },
  deleteFlows: { method: 'DELETE', path: '/api/flows', query: [], mediaTypes: ['application/json'] },
  showFlowAsHar: { method: 'GET', path: '/api/flows/{id}.har', query: [], mediaTypes: ['application/json'] },
  showFlowAsMermaid: { method: 'GET', path: '/api/flows/{id}.mermaid', query: [], mediaTypes: ['text/plain'] },
  showFlow: { method: 'GET', path: '/api/flows/{id}', query: [], mediaTypes: ['application/json'] },
  showVerdict: { method: 'GET', path: '/api/verdict', query: ['client_id', 'sp', 'flow', 'after', 'format', 'fail_on'], mediaTypes: ['application/json', 'text/plain', 'application/xml', 'application/sarif+json'] },
  listExams: { method: 'GET', path: '/api/exams', query: [], mediaTypes: ['application/json'] },
  beginExam: { method: 'POST', path: '/api/exams', query: [], mediaTypes: ['application/json'] },
  renewExam: { method: 'PUT', path: '/api/exams/{id}', query: [], mediaTypes: ['application/json'] },
  endExam: { method: 'DELETE', path: '/api/exams/{id}', query: [], mediaTypes: ['application/json'] },
  listServiceProviders: { method: 'GET', path: '/api/service-providers', query: [], mediaTypes: ['application/json'] },
  checkServiceProviderMetadata: { method: 'POST', path: '/api/service-providers/check', query: [], mediaTypes: ['application/json'] },
  listSessions: { method: 'GET', path: '/api/sessions', query: ['username', 'client_id'], mediaTypes: ['application/json'] },
  endSessions: { method: 'DELETE', path: '/api/sessions', query: ['username', 'client_id'], mediaTypes: ['application/json'] },
  endSession: { method: 'DELETE', path: '/api/sessions/{sid}', query: [], mediaTypes: ['application/json'] },
  listConsents: { method: 'GET', path: '/api/consents', query: ['username', 'client_id'], mediaTypes: ['application/json'] },
  deleteConsents: { method: 'DELETE', path: '/api/consents', query: ['username', 'client_id'], mediaTypes: ['application/json'] },
} as const satisfies Record<
  keyof Operations,
  {
    readonly method: string;
    readonly path: string;
    readonly query: readonly string[];
    readonly mediaTypes: readonly string[];
  }
>;
