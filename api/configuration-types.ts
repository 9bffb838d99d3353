// Made by `npm run docs` from the models of the two files. Do not edit.

/** A user as users.yaml writes it. */
export interface UserEntry {
  /** Password for the login. Absent: the user can log in only in persona mode. */
  readonly password?: string | null;
  /** Shown in the list of users at the login, never in tokens. Default: "". */
  readonly description?: string;
  /** The e-mail address, or empty. Default: `<username>@example.org`. */
  readonly email?: string;
  /** The identity class, such as INTERNAL. Default: null. */
  readonly identity_class?: string | null;
  /** Roles. Each becomes an authority with the prefix ROLE_. Default: ["USER"]. */
  readonly roles?: readonly string[];
  /** Groups. Each becomes an authority with the prefix GROUP_. Default: []. */
  readonly groups?: readonly string[];
  /** Entitlements. Each becomes an authority with the prefix ENT_. Default: []. */
  readonly entitlements?: readonly string[];
  /** Entries of access control lists. Default: []. */
  readonly source_acl?: readonly string[];
  /** The tenant of the user. Default: "default". */
  readonly tenant?: string;
  /** Custom attributes, of any type, at most 100 levels deep. Default: {}. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Standard claims of OpenID Connect, each with its type, and custom claims. docs/claims.md shows which claim appears where. Default: {}. */
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
}

/** A client as settings.yaml writes it. */
export interface ClientEntry {
  /** The client_id that the client sends. */
  readonly client_id: string;
  /** The secret of a confidential client. Required unless the method is `none` or `private_key_jwt`. */
  readonly client_secret?: string | null;
  /** How the client authenticates. `none` makes it a public client, `client_secret_any` accepts the secret in the header or the body, `client_secret_optional` also its absence (only under `dev`), and `private_key_jwt` means a signed assertion. Default: "client_secret_basic". */
  readonly token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'none' | 'client_secret_any' | 'client_secret_optional' | 'private_key_jwt';
  /** Shown to users. A registration stores client_name here. Default: "". */
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
  /** The client needs `sid` in logout tokens. They always have it. Default: false. */
  readonly backchannel_logout_session_required?: boolean;
  /** Address that the browser loads in a frame when a session of the client ends. */
  readonly frontchannel_logout_uri?: string | null;
  /** The front-channel address gets the parameters `iss` and `sid`. Default: false. */
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
  /** Claims in all tokens and UserInfo responses for the client. Claims of the user override them. Default: {}. */
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
  /** Require a DPoP proof in its token requests (RFC 9449 §5.2, with `oauth.dpop`). Default: false. */
  readonly dpop_bound_access_tokens?: boolean;
  /** Require pushed authorization requests (RFC 9126 §6, with `oauth.pushed_authorization_requests`). Default: false. */
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
  /** Show the client_id on the login page. Default: true. */
  readonly show_client_id?: boolean;
  /** Show the description on the login page. Default: false. */
  readonly show_description?: boolean;
  /** Layout of the login page. Default: "vertical". */
  readonly layout?: 'vertical' | 'horizontal';
}

/** A part of settings.yaml. */
export interface SettingsEntry {
  /** Version of the file format. Always 1. Default: 1. */
  readonly config_version?: 1;
  /** Whether an unknown key is a warning (`default`) or an error (`strict`). `warn` means `default`. Default: "default". */
  readonly config_validation?: 'default' | 'strict' | 'warn';
  /** How strict the protocols are. `--profile` overrides it. Default: "dev". */
  readonly security_profile?: 'dev' | 'stricter-dev' | 'oauth21';
  /** Limit requests to /token and /register per client address (always on under `stricter-dev`). Default: false. */
  readonly rate_limit_enabled?: boolean;
  /** Require a login for the web UI. Default: false. */
  readonly require_ui_login?: boolean;
  /** Secret that every write under /api and in the web UI needs. Absent: IDP_MANAGEMENT_SECRET. Empty or null: none. */
  readonly management_secret?: string | null;
  /** Prefixes that turn roles, groups and other fields into authorities. Default: {}. */
  readonly authority_prefixes?: Readonly<Record<string, string>>;
  /** Claims with the names and formats that an application expects: a list of `{claim, from, as, value, separator, in, clients, scope}` (docs/claims.md). Default: []. */
  readonly claim_mappings?: readonly ({
    readonly claim: string | readonly string[];
    readonly from?: string;
    /** Default: "list". */
    readonly as?: 'list' | 'text' | 'first' | 'map' | 'omit';
    readonly value?: unknown;
    readonly separator?: string;
    /** Default: ["access_token","id_token","userinfo"]. */
    readonly in?: readonly ('access_token' | 'id_token' | 'userinfo')[];
    readonly clients?: readonly string[];
    readonly scope?: string;
  })[];
  /** Identity classes that the user form offers. They are never enforced. Default: []. */
  readonly allowed_identity_classes?: readonly string[];
  /** Faults that are set at the start, each as in POST /api/faults (docs/faults.md). Default: []. */
  readonly faults?: readonly ({
    readonly fault: 'delay' | 'hang' | 'reset_connection' | 'status' | 'unavailable' | 'too_many_requests' | 'truncated_body' | 'malformed_json' | 'wrong_content_type' | 'empty_body' | 'html_error_page' | 'redirect_answer' | 'slow_drip' | 'wrong_content_length' | 'huge_body' | 'broken_gzip' | 'cacheable_answer' | 'duplicate_members' | 'oauth_error' | 'oauth_error_with_200' | 'nonstandard_error' | 'error_as_form' | 'state_missing' | 'state_wrong' | 'state_duplicated' | 'iss_missing' | 'iss_wrong' | 'iss_normalized' | 'mix_up' | 'code_missing' | 'code_and_error' | 'code_wrong' | 'code_duplicated' | 'code_injected' | 'response_in_fragment' | 'response_extra_parameters' | 'token_expired' | 'token_not_yet_valid' | 'token_iat_future' | 'token_issuer_wrong' | 'token_issuer_slash' | 'token_issuer_missing' | 'token_audience_wrong' | 'token_audience_missing' | 'token_audience_untrusted' | 'token_azp_wrong' | 'token_azp_missing' | 'nonce_wrong' | 'nonce_missing' | 'subject_missing' | 'subject_changed' | 'subject_not_text' | 'expiry_missing' | 'expiry_text' | 'iat_missing' | 'at_hash_wrong' | 'at_hash_missing' | 'auth_time_missing' | 'auth_time_old' | 'claims_odd_types' | 'token_duplicate_members' | 'token_large' | 'token_not_jwt' | 'alg_none' | 'alg_none_mixed_case' | 'alg_hs256_public_key' | 'alg_hs256_client_secret' | 'alg_other_rsa' | 'signature_missing' | 'signature_tampered' | 'payload_tampered' | 'key_unknown' | 'key_unknown_same_kid' | 'kid_missing' | 'kid_wrong' | 'kid_hostile' | 'token_header_jwk' | 'token_header_jku' | 'token_header_x5u' | 'token_header_x5c' | 'token_header_crit' | 'token_header_typ' | 'id_token_missing' | 'id_token_swapped' | 'access_token_missing' | 'token_type_case' | 'token_type_missing' | 'token_type_unknown' | 'expires_in_missing' | 'expires_in_text' | 'expires_in_negative' | 'expires_in_zero' | 'scope_reduced' | 'scope_missing' | 'token_extra_members' | 'refresh_token_missing' | 'refresh_reply_lost' | 'refresh_not_rotated' | 'refresh_token_omitted' | 'refresh_revoked' | 'refresh_subject_changed' | 'refresh_issuer_changed' | 'key_rotated_before_signing' | 'discovery_issuer_mismatch' | 'discovery_issuer_slash' | 'discovery_member_missing' | 'discovery_foreign_endpoints' | 'discovery_no_pkce' | 'discovery_lists_none' | 'jwks_empty' | 'jwks_published_late' | 'jwks_published_early' | 'jwks_same_kid_other_key' | 'jwks_duplicate_kid' | 'jwks_unknown_type_first' | 'jwks_wrong_use' | 'jwks_wrong_alg' | 'jwks_cached_long' | 'userinfo_subject_mismatch' | 'userinfo_subject_missing' | 'userinfo_claims_missing' | 'userinfo_odd_types' | 'userinfo_signed' | 'userinfo_unauthorized' | 'introspection_inactive' | 'introspection_text' | 'introspection_bare' | 'device_slow_down' | 'device_expired' | 'device_denied' | 'device_interval_missing' | 'device_complete_uri_missing' | 'device_user_code_reused' | 'registration_secret_missing' | 'registration_redirects_changed' | 'logout_no_redirect' | 'logout_state_wrong' | 'logout_state_missing' | 'saml_unsigned' | 'saml_response_signed_only' | 'saml_signature_on_other_element' | 'saml_digest_tampered' | 'saml_content_tampered' | 'saml_signature_tampered' | 'saml_key_unknown' | 'saml_key_unknown_bare' | 'saml_keyinfo_wrong' | 'saml_sha1' | 'saml_hmac_public_key' | 'saml_xslt_transform' | 'saml_expired' | 'saml_not_yet_valid' | 'saml_confirmation_expired' | 'saml_not_on_or_after_missing' | 'saml_issue_instant_future' | 'saml_audience_wrong' | 'saml_audience_missing' | 'saml_recipient_wrong' | 'saml_recipient_missing' | 'saml_destination_wrong' | 'saml_destination_missing' | 'saml_issuer_wrong' | 'saml_response_issuer_differs' | 'saml_in_response_to_wrong' | 'saml_in_response_to_missing' | 'saml_replayed' | 'saml_xsw1' | 'saml_xsw2' | 'saml_xsw3' | 'saml_xsw4' | 'saml_xsw5' | 'saml_xsw6' | 'saml_xsw7' | 'saml_xsw8' | 'saml_nameid_comment' | 'saml_two_assertions' | 'saml_authn_statement_missing' | 'saml_nameid_missing' | 'saml_confirmation_missing' | 'saml_confirmation_method_wrong' | 'saml_version_wrong' | 'saml_doctype' | 'saml_entity_expansion' | 'saml_external_entity' | 'saml_status_error' | 'saml_status_error_with_assertion' | 'saml_relay_state_missing' | 'saml_relay_state_changed' | 'saml_wrong_binding' | 'saml_nameid_changes' | 'saml_attributes_missing' | 'saml_attribute_missing' | 'saml_attribute_empty' | 'saml_attribute_many' | 'saml_attribute_nested' | 'saml_attribute_duplicated' | 'saml_response_large' | 'saml_base64_wrapped' | 'saml_prefixes_changed' | 'saml_metadata_expired' | 'saml_metadata_other_certificate' | 'saml_query_unsigned' | 'saml_query_other_subject' | 'saml_encryption_wrong_key' | 'saml_encryption_wrong_algorithm' | 'saml_encryption_tampered' | 'saml_logout_session_index_missing' | 'saml_logout_foreign_name_id' | 'saml_logout_expired' | 'logout_token_nonce' | 'logout_token_events_missing' | 'logout_token_alg_none' | 'logout_token_audience_wrong' | 'logout_token_issuer_wrong' | 'pushed_request_refused' | 'pushed_request_unavailable' | 'pushed_request_uri_missing' | 'pushed_request_over' | 'pushed_request_status_200';
    readonly at?: 'discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo' | 'introspect' | 'revoke' | 'device_authorization' | 'device' | 'register' | 'logout' | 'saml_metadata' | 'saml_sso' | 'saml_attribute_query' | 'saml_slo' | 'pushed_authorization_request' | readonly ('discovery' | 'jwks' | 'authorize' | 'token' | 'userinfo' | 'introspect' | 'revoke' | 'device_authorization' | 'device' | 'register' | 'logout' | 'saml_metadata' | 'saml_sso' | 'saml_attribute_query' | 'saml_slo' | 'pushed_authorization_request')[];
    readonly when?: {
      readonly client_id?: string;
      readonly sp?: string;
      readonly username?: string;
      readonly grant_type?: string;
      readonly scope?: string;
      readonly header?: {
        readonly name: string;
        readonly value?: string;
      };
      readonly parameter?: {
        readonly name: string;
        readonly value?: string;
      };
      readonly nth?: number;
    };
    readonly times?: number | 'always';
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly ttl_seconds?: number;
    readonly quiet?: boolean;
    readonly [further: string]: unknown;
  })[];
  /** Default: {}. */
  readonly recorder?: {
    /** Record each protocol request and response for `/flows` and `/api/exchanges`, with fingerprints instead of secrets. Default: true. */
    readonly enabled?: boolean;
    /** How to record passwords, codes and tokens: as a `fingerprint`, or with `keep` also the value, which `POST /api/exchanges/<id>/reveal` returns. Default: "fingerprint". */
    readonly secrets?: 'fingerprint' | 'keep';
  };
  /** ES modules to load, by package name or path, with their settings. Default: {}. */
  readonly plugins?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
  /** Default: {}. */
  readonly server?: {
    /** Address to bind. `--host` overrides it. Default: "127.0.0.1". */
    readonly host?: string;
    /** Port to bind. `--port` overrides it, and `--port 0` selects a free one. Default: 8000. */
    readonly port?: number;
    /** Additional host names (`host` or `host:port`) for the web UI and `/api`. The hosts of `oauth.issuer`, `oauth.base_url` and `oauth.issuer_allowlist` are always allowed. A server on loopback also allows loopback names. A server on other addresses also allows names that no website can have: an IP address, a name without a dot, or a name below .localhost, .local, .internal, .test or .example. With `management_secret`, a server on other addresses allows every name. */
    readonly allowed_hosts?: readonly string[];
    /** Enable TLS. `auto` creates a certificate with its own authority in `jwt.keys_dir`, and `{cert, key, ca}` names PEM files. `--tls` means `auto`. Absent: plain HTTP. */
    readonly tls?: string | {
      readonly cert: string;
      readonly key: string;
      readonly ca?: string;
    };
    /** Additional names (also like `*.idp.test`) and addresses of the certificate with `server.tls: auto`. It always has loopback, the machine's name, `server.host` and the host of `oauth.issuer`. Default: []. */
    readonly tls_names?: readonly string[];
    /** More detail in error pages (always off under `stricter-dev`). Default: false. */
    readonly debug?: boolean;
    /** The rate, such as `10/minute`. Units are second, minute, hour and day. Default: "10/minute". */
    readonly rate_limit_token_endpoint?: string;
    /** Another spelling of rate_limit_enabled. Default: false. */
    readonly rate_limit_enabled?: boolean;
  };
  /** Default: {}. */
  readonly oauth?: {
    /** The issuer: `iss` of tokens and base of all addresses. A trailing slash stays. Everything is also served below its path. Default: "http://127.0.0.1:8000". */
    readonly issuer?: string;
    /** Use the scheme and host of each request as the issuer instead. Default: false. */
    readonly issuer_from_request?: boolean;
    /** Trust the X-Forwarded-* headers of exactly one proxy. Default: false. */
    readonly issuer_from_proxy_headers?: boolean;
    /** Origins that may become the issuer of a request. Other requests use `issuer`. Empty: any. Default: []. */
    readonly issuer_allowlist?: readonly string[] | null;
    /** Base of the addresses shown in the device flow. Only with `issuer_from_request`. */
    readonly device_verification_base_url?: '' | string | null;
    /** Base of the addresses that applications call directly (token, keys, registration and others), if they reach this server by another name than the browser. */
    readonly backchannel_base_url?: '' | string | null;
    /** Base of the published addresses in place of the issuer, which stays. `request`: scheme and host of each request. */
    readonly base_url?: '' | string | null;
    /** `aud` of access tokens. Default: "default". */
    readonly audience?: string;
    /** Lifetime of access and ID tokens, in minutes. Default: 60. */
    readonly token_expiry_minutes?: number;
    /** The same in seconds, in place of `token_expiry_minutes`. */
    readonly token_expiry_seconds?: number | null;
    /** Lifetime of ID tokens, in seconds. */
    readonly id_token_expiry_seconds?: number | null;
    /** Lifetime of refresh tokens, in minutes. Default: 10080. */
    readonly refresh_token_expiry_minutes?: number;
    /** The same in seconds, in place of `refresh_token_expiry_minutes`. */
    readonly refresh_token_expiry_seconds?: number | null;
    /** Lifetime of authorization codes, in seconds. Default: 600. */
    readonly authorization_code_expiry_seconds?: number;
    /** Make refresh tokens single-use (always for public clients and under `oauth21`). Default: false. */
    readonly refresh_token_rotation?: boolean;
    /** How /authorize returns its response: `query` (always), `form_post`, `fragment`. Default: ["query","form_post"]. */
    readonly response_modes?: readonly ('query' | 'form_post' | 'fragment')[];
    /** What /authorize can return: `code` (always), `id_token`, `id_token token` (not under `oauth21`). Default: ["code"]. */
    readonly response_types?: readonly ('code' | 'id_token' | 'id_token token')[];
    /** Also accept authorization requests as posted forms. Default: false. */
    readonly authorize_by_post?: boolean;
    /** Whether to read `request` and `request_uri` of authorization requests (OIDC Core §6). Default: "off". */
    readonly request_objects?: 'off' | 'on';
    /** Default: {}. */
    readonly client_fetch?: {
      /** Allowed hosts of `jwks_uri` and `request_uris`, as `host` or `host:port` (default 443). Empty: none. */
      readonly allowed_hosts?: readonly string[];
      /** For development: allow loopback addresses while the server itself is bound to loopback. Default: false. */
      readonly allow_loopback?: boolean;
      /** Fetch only from servers with a trusted certificate. Default: true. */
      readonly verify_tls?: boolean;
    };
    /** Treat `audience` at /authorize, /token and /device_authorization as another `resource`, in any format. Default: false. */
    readonly audience_parameter?: boolean;
    /** `on` binds tokens to the key of the request's DPoP proof (RFC 9449). `nonce` also requires a server nonce in the proof. Default: "off". */
    readonly dpop?: 'off' | 'on' | 'nonce';
    /** `on` lets clients push authorization requests to /par (RFC 9126). With `required`, /authorize accepts no others. Default: "off". */
    readonly pushed_authorization_requests?: 'off' | 'on' | 'required';
    /** `typ` in the header of access tokens. `at+jwt` makes them RFC 9068 tokens. They name a client, so set `client_id` when you create a token without a login. Default: "JWT". */
    readonly access_token_typ?: 'JWT' | 'at+jwt';
    /** Standard claims at /userinfo need their scope (always outside `dev`). Default: false. */
    readonly userinfo_by_scope?: boolean;
    /** User claims in ID tokens: those that the parameter `claims` requests, or with `scope` also those of the granted scopes. Default: "requested". */
    readonly id_token_claims?: 'requested' | 'scope';
    /** Add `token_use` to ID tokens. Default: true. */
    readonly id_token_token_use?: boolean;
    /** Require PKCE for confidential clients too (always outside `dev`). Default: false. */
    readonly require_pkce?: boolean;
    /** The supported scopes. Default: ["openid","profile","email","offline_access"]. */
    readonly scopes_supported?: readonly string[] | null;
    /** Requested scopes outside `scopes_supported`: `reject` them with `invalid_scope`, `ignore` them, or `grant` them. Counts in every profile, and for registrations. Default: "reject". */
    readonly unknown_scopes?: 'reject' | 'ignore' | 'grant';
    /** Reject scopes that are unsupported or not allowed for the client. `false` grants any scope (only under `dev`). Default: true. */
    readonly scope_enforcement?: boolean;
    /** Directory of client logos, served at /client-logos/<client_id>. */
    readonly logos_dir?: string | null;
    /** The declared clients. */
    readonly clients?: readonly ClientEntry[];
    /** Default: {}. */
    readonly dynamic_registration?: {
      /** Enable /register (RFC 7591). Default: false. */
      readonly enabled?: boolean;
      /** Maximum number of registrations at a time. Pages of other origins get at most half of them. Default: 100. */
      readonly max_clients?: number;
      /** `full` accepts all metadata of OpenID Connect Registration that this server supports. Default: "minimal". */
      readonly metadata?: 'minimal' | 'full';
    };
    /** Default: {}. */
    readonly client_id_metadata_documents?: {
      /** Accept clients whose client_id is the https address of their metadata document. Default: false. */
      readonly enabled?: boolean;
      /** Allowed hosts of these documents, as `host` or `host:port` (default 443). Empty: none. */
      readonly allowed_hosts?: readonly string[];
      /** For development: allow loopback addresses while the server itself is bound to loopback. `localhost`, `127.0.0.1` and `[::1]` then need no entry in `allowed_hosts`. Default: false. */
      readonly allow_loopback?: boolean;
      /** Show in the audit, in flows and on the page why a document was rejected. Without it only the log has the reason. JSON responses never have it. Default: false. */
      readonly show_reasons?: boolean;
    };
  };
  /** Default: {}. */
  readonly device_flow?: {
    /** Lifetime of device codes, in seconds. Default: 600. */
    readonly code_expiry_seconds?: number;
    /** Required seconds between two polls of a device. Enforced only outside `dev`. Default: 5. */
    readonly polling_interval?: number;
  };
  /** Origins that may call from a browser, or `*`. Absent: the security profile decides. `[]`: none. */
  readonly cors_allowed_originss?: readonly string[];
  /** Default: {}. */
  readonly saml?: {
    /** Entity ID. Absent: `<issuer>/saml`. */
    readonly entity_id?: string | null;
    /** Address for logins. Absent: `<issuer>/saml/sso`. */
    readonly sso_url?: string | null;
    /** Address for logouts in metadata. Absent: `<issuer>/saml/slo`, at the host of `sso_url` if that is set. */
    readonly slo_url?: '' | string | null;
    /** Response address for requests that name none. Empty: such requests are rejected. Default: "http://localhost:8080/login/saml2/sso/samlIdp". */
    readonly default_acs_url?: string;
    /** Sign responses. `false` removes every signature of responses. Default: true. */
    readonly sign_responses?: boolean;
    /** The signed parts of a login: `both` (Response and Assertion), `response` or `assertion`. Default: "both". */
    readonly sign?: 'both' | 'response' | 'assertion';
    /** Send the roles as an attribute. Default: false. */
    readonly export_roles?: boolean;
    /** Send the groups as an attribute. Default: false. */
    readonly export_groups?: boolean;
    /** Name of the attribute with the roles. Default: "roles". */
    readonly roles_attr_name?: string | null;
    /** Name of the attribute with the groups. Default: "groups". */
    readonly groups_attr_name?: string | null;
    /** Canonicalisation of signatures. Blank: the default. Default: "exc_c14n". */
    readonly c14n_algorithm?: 'exc_c14n' | 'c14n' | 'c14n11' | '' | null;
    /** Algorithm of signatures, for service providers whose entry names none. Default: "rsa-sha256". */
    readonly signature_algorithm?: 'rsa-sha1' | 'rsa-sha256' | 'rsa-sha384' | 'rsa-sha512' | 'rsa-pss-sha256' | 'rsa-pss-sha384' | 'rsa-pss-sha512';
    /** Digest inside signatures. Absent: the hash of the signature algorithm. */
    readonly digest_algorithm?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
    /** Seconds from the issue of a login's assertion to its `NotOnOrAfter`. Default: 300. */
    readonly assertion_lifetime_seconds?: number;
    /** Seconds from `NotBefore` of a login to its issue, for clocks that are slow. Default: 0. */
    readonly not_before_seconds?: number;
    /** `SessionNotOnOrAfter` of a login: `session` (end of the browser session, while sessions are on), `never`, or seconds after the issue. */
    readonly session_not_on_or_after?: number | string;
    /** Accept only signed AuthnRequests. Default: false. */
    readonly want_authn_requests_signed?: boolean;
    /** Signing certificates of unregistered service providers, as PEM files or texts. Default: []. */
    readonly sp_certificates?: readonly string[];
    /** Reject AuthnRequests with a wrong encoding, root element, Version or Destination, and signed ones without Destination. Default: false. */
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
    /** Whether to accept messages of unregistered service providers. Default: "allow". */
    readonly unregistered?: 'allow' | 'refuse';
    /** Enable Single Logout at /saml/slo. Needs `login.session: on`. Default: false. */
    readonly single_logout?: boolean;
    /** Enable logins that start here, at /saml/idp-initiated, for registered service providers. Default: false. */
    readonly idp_initiated?: boolean;
    /** Create a key for service providers to encrypt identifiers with, and publish it in the metadata. Default: false. */
    readonly encryption_key?: boolean;
    /** Hours until `validUntil` of the metadata. 0 omits it. Default: 0. */
    readonly metadata_valid_hours?: number;
    /** `cacheDuration` of the metadata, in minutes. 0 omits it. Default: 0. */
    readonly metadata_cache_minutes?: number;
    /** Also publish the certificates of the next signing key and of the previous keys in the metadata. Default: false. */
    readonly metadata_next_key?: boolean;
  };
  /** Default: {}. */
  readonly jwt?: {
    /** Signature algorithm. Supported: RS256. Default: "RS256". */
    readonly algorithm?: 'RS256';
    /** Directory of the generated signing keys. Not used with `runtime.store: postgres`, which stores them in the database. Default: "../keys". */
    readonly keys_dir?: string;
    readonly external_keys?: {
      /** PEM file with the RSA private key. */
      readonly private_key: string;
      /** PEM file with the public key. */
      readonly public_key: string;
      /** Its key id. Absent: the RFC 7638 thumbprint. */
      readonly kid?: string;
    };
    /** Number of previous keys that still verify tokens. Default: 2. */
    readonly max_previous_keys?: number;
  };
  /** Default: {}. */
  readonly session?: {
    /** Secret that signs the browser cookie. Absent: a random one. */
    readonly secret_key?: string | null;
    /** Reject every password of a user whose stored password is not a bcrypt hash (only under `stricter-dev`). Default: false. */
    readonly enforce_password_check?: boolean;
    /** Another spelling of require_ui_login. Default: false. */
    readonly require_ui_login?: boolean;
    /** Another spelling of management_secret. */
    readonly management_secret?: string | null;
  };
  /** Default: {}. */
  readonly logging?: {
    /** DEBUG, INFO, WARNING, ERROR or CRITICAL. Default: "INFO". */
    readonly level?: string;
    /** Log requests to /token. Default: true. */
    readonly log_token_requests?: boolean;
    /** Log SAML requests. Default: true. */
    readonly log_saml_requests?: boolean;
    /** Include user names and client ids in log lines. Default: true. */
    readonly verbose_logging?: boolean;
  };
  /** Default: {}. */
  readonly login?: {
    /** In `persona` mode, users choose an account from a list, without a password. Default: "password". */
    readonly mode?: 'password' | 'persona';
    /** Require a second factor from users with a `totp_secret`. Default: false. */
    readonly totp?: boolean;
    /** In persona mode, `login_hint=persona-auto-login:<username>` logs in without a page. Default: false. */
    readonly auto_login?: boolean;
    /** Every login is this user, without a page. A `login_hint` that names another user logs in that one. */
    readonly auto_login_user?: string;
    /** Ask for the username first, then for the password. Default: false. */
    readonly two_step?: boolean;
    /** Whether a login creates a session, which later requests to /authorize use (docs/sessions.md). Default: "off". */
    readonly session?: 'off' | 'on';
    /** Lifetime of a session after the login, in minutes. Default: 480. */
    readonly session_lifetime_minutes?: number;
    /** Lifetime of a session after its last use, in minutes. 0 means no limit. Default: 60. */
    readonly session_idle_minutes?: number;
    /** `acr` value of each login method while sessions are on, the weakest first. Default: [{"value":"0","method":"persona"},{"value":"https://refeds.org/profile/sfa","method":"password"},{"value":"https://refeds.org/profile/mfa","method":"password+totp"}]. */
    readonly acr?: readonly ({
      readonly value: string;
      readonly method: 'persona' | 'password' | 'password+totp';
    })[];
    /** When users are asked to allow an application's access. Default: "never". */
    readonly consent?: 'never' | 'first' | 'always';
    /** In persona mode, allow custom claims for a single login (docs/claims.md). Default: false. */
    readonly edit_claims?: boolean;
  } | null;
  /** Default: {}. */
  readonly logout?: {
    /** When a logout asks the user to confirm: if the requester is uncertain (`unsure`), always or never. Needs `login.session: on`. Default: "unsure". */
    readonly confirmation?: 'unsure' | 'always' | 'never';
    /** Timeout for a client's response to a logout token, in milliseconds. Default: 5000. */
    readonly delivery_timeout_ms?: number;
    /** How many times to resend a failed logout token: after 1, 2, 4, 8 and 16 seconds. Default: 2. */
    readonly delivery_retries?: number;
    /** Send logout tokens only to servers with a trusted certificate. Default: true. */
    readonly verify_tls?: boolean;
    /** The end of a session revokes its refresh tokens, unless their scope has `offline_access`. Default: false. */
    readonly revoke_refresh_tokens?: boolean;
  };
  /** Default: {}. */
  readonly runtime?: {
    /** Where runtime state is stored. Use `postgres` for several machines (docs/scale.md). With `memory`, a restart deletes revocations but not the signing keys of a configuration directory, so revoked and used tokens become valid again. Default: "memory". */
    readonly store?: 'memory' | 'sqlite' | 'postgres';
    /** The store file, outside the configuration directory. Required with `sqlite`, and only allowed there. */
    readonly path?: string | null;
    /** The database, as `postgres://user:password@host:5432/database`. Required with `postgres`, and only allowed there. Separate several hosts with commas. Parameters: `host` (directory of a socket), `sslmode`, `sslrootcert`, `sslcert`, `sslkey`, `sslpassword`. */
    readonly url?: string | null;
    /** The database schema. Created at the first start. Default: "test_idp". */
    readonly schema?: string;
    /** Maximum number of connections per worker. Each worker opens one more to show that it is alive. Default: 4. */
    readonly pool_size?: number;
    /** Allow `PATCH /api/runtime/users/{username}` to change runtime users. Default: false. */
    readonly updates?: boolean;
  };
  /** Default: {}. */
  readonly hooks?: {
    /** Shell command to run before a start or reload reads the files. */
    readonly on_before_load?: string | null;
    /** Shell command to run after each file is written. */
    readonly on_config_saved?: string | null;
    /** Shell command to run after each audit event, with the event as JSON on standard input. */
    readonly on_audit_event?: string | null;
    /** Fail the load if a hook or plugin fails. Default: false. */
    readonly strict?: boolean;
    /** Timeout of a hook, in seconds. A hook also ends when the process that runs it ends, unless SIGKILL ends that process. Default: 10. */
    readonly timeout_seconds?: number;
  };
  /** Another spelling of cors_allowed_originss. */
  readonly cors_allowed_origins?: readonly string[];
}
