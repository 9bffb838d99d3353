/** A user as users.yaml writes it. */
export interface UserEntry {
  /** What the user types to log in. Absent: a persona that can only be chosen in persona mode. */
  readonly password?: string | null;
  /** Shown to people who choose a user; never a claim. Default: "". */
  readonly description?: string;
  /** The e-mail address, or empty; `<username>@example.org` when absent. */
  readonly email?: string;
  /** The class of identity, such as INTERNAL. Default: null. */
  readonly identity_class?: string | null;
  /** Roles, each an authority with the prefix ROLE_. Default: ["USER"]. */
  readonly roles?: readonly string[];
  /** Groups, each an authority with the prefix GROUP_. Default: []. */
  readonly groups?: readonly string[];
  /** Entitlements, each an authority with the prefix ENT_. Default: []. */
  readonly entitlements?: readonly string[];
  /** Entries of access control lists. Default: []. */
  readonly source_acl?: readonly string[];
  /** The tenant the user belongs to. Default: "default". */
  readonly tenant?: string;
  /** Custom attributes, of any type, at most 100 levels deep. Default: {}. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Standard claims of OpenID Connect, each of its type, and claims of any other name (docs/claims.md says which comes out where). Default: {}. */
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
  /** Base32 secret of the second factor; no read surface ever returns it. */
  readonly totp_secret?: string | null;
  readonly [further: string]: unknown;
}
/** A client as settings.yaml writes it. */
export interface ClientEntry {
  /** The name that the client presents. */
  readonly client_id: string;
  /** The secret of a confidential client; needed unless the method is `none` or `private_key_jwt`. */
  readonly client_secret?: string | null;
  /** How the client authenticates; `none` makes it a public client, `client_secret_any` takes the secret by either way, `private_key_jwt` a signed assertion. Default: "client_secret_basic". */
  readonly token_endpoint_auth_method?:
    | 'client_secret_basic'
    | 'client_secret_post'
    | 'none'
    | 'client_secret_any'
    | 'private_key_jwt';
  /** Shown to people; a registration writes client_name here. Default: "". */
  readonly description?: string;
  /** Where codes may be sent. Empty: any acceptable URI (not under `oauth21`). */
  readonly redirect_uris?: readonly string[] | string;
  /** The scopes the client may have, separated by spaces. Absent or empty: all. */
  readonly scope?: string;
  /** The same restriction as `scope`, written as a list. */
  readonly allowed_scopes?: readonly string[] | string;
  /** The resources (RFC 8707) that the client may name. Empty: any. */
  readonly allowed_resources?: readonly string[] | string;
  /** Further `aud` values of its ID tokens. */
  readonly additional_audiences?: readonly string[] | string;
  /** Where a logout may lead. */
  readonly post_logout_redirect_uris?: readonly string[] | string;
  /** Where a logout token is sent when a session ends that the client took part in. */
  readonly backchannel_logout_uri?: string | null;
  /** The client wants `sid` in logout tokens, which always have it. Default: false. */
  readonly backchannel_logout_session_required?: boolean;
  /** What a browser loads in a frame when it logs out of a session that the client took part in. */
  readonly frontchannel_logout_uri?: string | null;
  /** The front-channel address gets `iss` and `sid`. Default: false. */
  readonly frontchannel_logout_session_required?: boolean;
  /** Claims of every token and UserInfo made for the client, where the user has none of that name. Default: {}. */
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
  /** The `max_age` of its requests that send none, in seconds (with `login.session: on`). */
  readonly default_max_age?: number | null;
  /** The public keys of the client (RFC 7517): for `private_key_jwt` and signed request objects. */
  readonly jwks?: Readonly<Record<string, unknown>> | null;
  /** Where the client publishes these keys, at a host of `oauth.client_fetch`; in place of `jwks`. */
  readonly jwks_uri?: string | null;
  /** Addresses of its request objects (with `oauth.request_objects: on`), at hosts of `oauth.client_fetch`. */
  readonly request_uris?: readonly string[] | string;
  /** Answer /userinfo with a JWT signed by this algorithm. Absent: with JSON. */
  readonly userinfo_signed_response_alg?: 'RS256' | null;
  /** Its token requests need a DPoP proof (RFC 9449 §5.2), with `oauth.dpop`. Default: false. */
  readonly dpop_bound_access_tokens?: boolean;
  /** Its authorization requests have to be pushed (RFC 9126 §6), with `oauth.pushed_authorization_requests`. Default: false. */
  readonly require_pushed_authorization_requests?: boolean;
  /** Where a third party may ask the client to begin a login. */
  readonly initiate_login_uri?: string | null;
  /** The logo on the login page, where `oauth.logos_dir` has none. */
  readonly logo_uri?: string | null;
  /** How the application uses data of people; linked on the login page. */
  readonly policy_uri?: string | null;
  /** The terms of service of the application; linked on the login page. */
  readonly tos_uri?: string | null;
  /** Background of the login page, as `#rrggbb`. */
  readonly background_color?: string | null;
  /** Header of the login page, as `#rrggbb`. */
  readonly header_color?: string | null;
  /** Footer of the login page, as `#rrggbb`. */
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
  /** Version of the file format; 1 is the only one. Default: 1. */
  readonly config_version?: 1;
  /** What an unknown key is: a warning (`default`) or an error (`strict`). `warn` reads as `default`. Default: "default". */
  readonly config_validation?: 'default' | 'strict' | 'warn';
  /** How strict the protocols are; `--profile` wins over it. Default: "dev". */
  readonly security_profile?: 'dev' | 'stricter-dev' | 'oauth21';
  /** Limit /token and /register for each client address (always on under `stricter-dev`). Default: false. */
  readonly rate_limit_enabled?: boolean;
  /** The web UI asks for a login. Default: false. */
  readonly require_ui_login?: boolean;
  /** Needed for every write under /api and in the web UI. Absent: IDP_MANAGEMENT_SECRET; empty or null: no gate. */
  readonly management_secret?: string | null;
  /** Prefixes with which roles, groups and other fields become authorities. Default: {}. */
  readonly authority_prefixes?: Readonly<Record<string, string>>;
  /** Claims under the names and in the shapes that an application expects: a list of `{claim, from, as, value, separator, in, clients, scope}` (docs/claims.md). Default: []. */
  readonly claim_mappings?: readonly {
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
  }[];
  /** Identity classes that the user form offers; never enforced. Default: []. */
  readonly allowed_identity_classes?: readonly string[];
  /** Faults that are set from the start, each as POST /api/faults takes it (docs/faults.md). Default: []. */
  readonly faults?: readonly {
    readonly fault:
      | 'delay'
      | 'hang'
      | 'reset_connection'
      | 'status'
      | 'unavailable'
      | 'too_many_requests'
      | 'truncated_body'
      | 'malformed_json'
      | 'wrong_content_type'
      | 'empty_body'
      | 'html_error_page'
      | 'redirect_answer'
      | 'slow_drip'
      | 'wrong_content_length'
      | 'huge_body'
      | 'broken_gzip'
      | 'cacheable_answer'
      | 'duplicate_members'
      | 'oauth_error'
      | 'oauth_error_with_200'
      | 'nonstandard_error'
      | 'error_as_form'
      | 'state_missing'
      | 'state_wrong'
      | 'state_duplicated'
      | 'iss_missing'
      | 'iss_wrong'
      | 'iss_normalized'
      | 'mix_up'
      | 'code_missing'
      | 'code_and_error'
      | 'code_wrong'
      | 'code_duplicated'
      | 'code_injected'
      | 'response_in_fragment'
      | 'response_extra_parameters'
      | 'token_expired'
      | 'token_not_yet_valid'
      | 'token_iat_future'
      | 'token_issuer_wrong'
      | 'token_issuer_slash'
      | 'token_issuer_missing'
      | 'token_audience_wrong'
      | 'token_audience_missing'
      | 'token_audience_untrusted'
      | 'token_azp_wrong'
      | 'token_azp_missing'
      | 'nonce_wrong'
      | 'nonce_missing'
      | 'subject_missing'
      | 'subject_changed'
      | 'subject_not_text'
      | 'expiry_missing'
      | 'expiry_text'
      | 'iat_missing'
      | 'at_hash_wrong'
      | 'at_hash_missing'
      | 'auth_time_missing'
      | 'auth_time_old'
      | 'claims_odd_types'
      | 'token_duplicate_members'
      | 'token_large'
      | 'token_not_jwt'
      | 'alg_none'
      | 'alg_none_mixed_case'
      | 'alg_hs256_public_key'
      | 'alg_hs256_client_secret'
      | 'alg_other_rsa'
      | 'signature_missing'
      | 'signature_tampered'
      | 'payload_tampered'
      | 'key_unknown'
      | 'key_unknown_same_kid'
      | 'kid_missing'
      | 'kid_wrong'
      | 'kid_hostile'
      | 'token_header_jwk'
      | 'token_header_jku'
      | 'token_header_x5u'
      | 'token_header_x5c'
      | 'token_header_crit'
      | 'token_header_typ'
      | 'id_token_missing'
      | 'id_token_swapped'
      | 'access_token_missing'
      | 'token_type_case'
      | 'token_type_missing'
      | 'token_type_unknown'
      | 'expires_in_missing'
      | 'expires_in_text'
      | 'expires_in_negative'
      | 'expires_in_zero'
      | 'scope_reduced'
      | 'scope_missing'
      | 'token_extra_members'
      | 'refresh_token_missing'
      | 'refresh_reply_lost'
      | 'refresh_not_rotated'
      | 'refresh_token_omitted'
      | 'refresh_revoked'
      | 'refresh_subject_changed'
      | 'refresh_issuer_changed'
      | 'key_rotated_before_signing'
      | 'discovery_issuer_mismatch'
      | 'discovery_issuer_slash'
      | 'discovery_member_missing'
      | 'discovery_foreign_endpoints'
      | 'discovery_no_pkce'
      | 'discovery_lists_none'
      | 'jwks_empty'
      | 'jwks_published_late'
      | 'jwks_published_early'
      | 'jwks_same_kid_other_key'
      | 'jwks_duplicate_kid'
      | 'jwks_unknown_type_first'
      | 'jwks_wrong_use'
      | 'jwks_wrong_alg'
      | 'jwks_cached_long'
      | 'userinfo_subject_mismatch'
      | 'userinfo_subject_missing'
      | 'userinfo_claims_missing'
      | 'userinfo_odd_types'
      | 'userinfo_signed'
      | 'userinfo_unauthorized'
      | 'introspection_inactive'
      | 'introspection_text'
      | 'introspection_bare'
      | 'device_slow_down'
      | 'device_expired'
      | 'device_denied'
      | 'device_interval_missing'
      | 'device_complete_uri_missing'
      | 'device_user_code_reused'
      | 'registration_secret_missing'
      | 'registration_redirects_changed'
      | 'logout_no_redirect'
      | 'logout_state_wrong'
      | 'logout_state_missing'
      | 'saml_unsigned'
      | 'saml_response_signed_only'
      | 'saml_signature_on_other_element'
      | 'saml_digest_tampered'
      | 'saml_content_tampered'
      | 'saml_signature_tampered'
      | 'saml_key_unknown'
      | 'saml_key_unknown_bare'
      | 'saml_keyinfo_wrong'
      | 'saml_sha1'
      | 'saml_hmac_public_key'
      | 'saml_xslt_transform'
      | 'saml_expired'
      | 'saml_not_yet_valid'
      | 'saml_confirmation_expired'
      | 'saml_not_on_or_after_missing'
      | 'saml_issue_instant_future'
      | 'saml_audience_wrong'
      | 'saml_audience_missing'
      | 'saml_recipient_wrong'
      | 'saml_recipient_missing'
      | 'saml_destination_wrong'
      | 'saml_destination_missing'
      | 'saml_issuer_wrong'
      | 'saml_response_issuer_differs'
      | 'saml_in_response_to_wrong'
      | 'saml_in_response_to_missing'
      | 'saml_replayed'
      | 'saml_xsw1'
      | 'saml_xsw2'
      | 'saml_xsw3'
      | 'saml_xsw4'
      | 'saml_xsw5'
      | 'saml_xsw6'
      | 'saml_xsw7'
      | 'saml_xsw8'
      | 'saml_nameid_comment'
      | 'saml_two_assertions'
      | 'saml_authn_statement_missing'
      | 'saml_nameid_missing'
      | 'saml_confirmation_missing'
      | 'saml_confirmation_method_wrong'
      | 'saml_version_wrong'
      | 'saml_doctype'
      | 'saml_entity_expansion'
      | 'saml_external_entity'
      | 'saml_status_error'
      | 'saml_status_error_with_assertion'
      | 'saml_relay_state_missing'
      | 'saml_relay_state_changed'
      | 'saml_wrong_binding'
      | 'saml_nameid_changes'
      | 'saml_attributes_missing'
      | 'saml_attribute_missing'
      | 'saml_attribute_empty'
      | 'saml_attribute_many'
      | 'saml_attribute_nested'
      | 'saml_attribute_duplicated'
      | 'saml_response_large'
      | 'saml_base64_wrapped'
      | 'saml_prefixes_changed'
      | 'saml_metadata_expired'
      | 'saml_metadata_other_certificate'
      | 'saml_query_unsigned'
      | 'saml_query_other_subject'
      | 'saml_encryption_wrong_key'
      | 'saml_encryption_wrong_algorithm'
      | 'saml_encryption_tampered'
      | 'saml_logout_session_index_missing'
      | 'saml_logout_foreign_name_id'
      | 'saml_logout_expired'
      | 'logout_token_nonce'
      | 'logout_token_events_missing'
      | 'logout_token_alg_none'
      | 'logout_token_audience_wrong'
      | 'logout_token_issuer_wrong'
      | 'pushed_request_refused'
      | 'pushed_request_unavailable'
      | 'pushed_request_uri_missing'
      | 'pushed_request_over'
      | 'pushed_request_status_200';
    readonly at?:
      | 'discovery'
      | 'jwks'
      | 'authorize'
      | 'token'
      | 'userinfo'
      | 'introspect'
      | 'revoke'
      | 'device_authorization'
      | 'device'
      | 'register'
      | 'logout'
      | 'saml_metadata'
      | 'saml_sso'
      | 'saml_attribute_query'
      | 'saml_slo'
      | 'pushed_authorization_request'
      | readonly (
          | 'discovery'
          | 'jwks'
          | 'authorize'
          | 'token'
          | 'userinfo'
          | 'introspect'
          | 'revoke'
          | 'device_authorization'
          | 'device'
          | 'register'
          | 'logout'
          | 'saml_metadata'
          | 'saml_sso'
          | 'saml_attribute_query'
          | 'saml_slo'
          | 'pushed_authorization_request'
        )[];
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
  }[];
  /** Default: {}. */
  readonly recorder?: {
    /** Keep each protocol request with its answer, secrets as fingerprints, for `/flows` and `/api/exchanges`. Default: true. */
    readonly enabled?: boolean;
    /** What is kept of passwords, codes and tokens: a `fingerprint`, or with `keep` the whole value, which `POST /api/exchanges/<id>/reveal` answers. Default: "fingerprint". */
    readonly secrets?: 'fingerprint' | 'keep';
  };
  /** ES modules to load, by package name or path, each with its settings. Default: {}. */
  readonly plugins?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
  /** Default: {}. */
  readonly server?: {
    /** Address to bind; `--host` wins over it. Default: "127.0.0.1". */
    readonly host?: string;
    /** Port to bind; `--port` wins over it, and `--port 0` takes a free one. Default: 8000. */
    readonly port?: number;
    /** Further names (`host` or `host:port`) at which the web UI and `/api` answer, beside the hosts of `oauth.issuer` and `oauth.issuer_allowlist`. Bound to loopback, loopback names always count. Bound to more, names that no website has always count: an IP address, a name without a dot, or a name below .localhost, .local, .internal, .test or .example. With `management_secret` every name counts there. */
    readonly allowed_hosts?: readonly string[];
    /** Speak TLS: `auto` has a certificate made by an authority of its own in `jwt.keys_dir`, `{cert, key, ca}` names PEM files. `--tls` means `auto`. Absent: plain HTTP. */
    readonly tls?:
      | string
      | {
          readonly cert: string;
          readonly key: string;
          readonly ca?: string;
        };
    /** With `server.tls: auto`: further names, also such as `*.idp.test`, and addresses that the certificate bears, beside loopback, the name of the machine, `server.host` and the host of `oauth.issuer`. Default: []. */
    readonly tls_names?: readonly string[];
    /** More detail in error pages (always off under `stricter-dev`). Default: false. */
    readonly debug?: boolean;
    /** The rate, such as `10/minute`; also second, hour and day. Default: "10/minute". */
    readonly rate_limit_token_endpoint?: string;
    /** Another spelling of rate_limit_enabled. Default: false. */
    readonly rate_limit_enabled?: boolean;
  };
  /** Default: {}. */
  readonly oauth?: {
    /** The issuer: `iss` of tokens and base of every address. Default: "http://127.0.0.1:8000". */
    readonly issuer?: string;
    /** Take scheme and host of each request as the issuer instead. Default: false. */
    readonly issuer_from_request?: boolean;
    /** Trust the X-Forwarded-* headers of exactly one proxy. Default: false. */
    readonly issuer_from_proxy_headers?: boolean;
    /** Origins that a request may make the issuer; others fall back to `issuer`. Empty: any. Default: []. */
    readonly issuer_allowlist?: readonly string[] | null;
    /** Base of the addresses shown in the device flow; with `issuer_from_request` only. */
    readonly device_verification_base_url?: '' | string | null;
    /** Base of the addresses that applications ask themselves (token, keys, registration and so on), where they reach this server by another name than the browser does. */
    readonly backchannel_base_url?: '' | string | null;
    /** `aud` of access tokens. Default: "default". */
    readonly audience?: string;
    /** Lifetime of access and ID tokens, in minutes. Default: 60. */
    readonly token_expiry_minutes?: number;
    /** Lifetime of refresh tokens, in minutes. Default: 10080. */
    readonly refresh_token_expiry_minutes?: number;
    /** A refresh token is used once (always for public clients and under `oauth21`). Default: false. */
    readonly refresh_token_rotation?: boolean;
    /** How answers of /authorize may travel: `query` (always), `form_post`, `fragment`. Default: ["query","form_post"]. */
    readonly response_modes?: readonly ('query' | 'form_post' | 'fragment')[];
    /** What /authorize answers: `code` (always), `id_token`, `id_token token` (not under `oauth21`). Default: ["code"]. */
    readonly response_types?: readonly ('code' | 'id_token' | 'id_token token')[];
    /** Take an authorization request as a posted form, too. Default: false. */
    readonly authorize_by_post?: boolean;
    /** `on`: read `request` and `request_uri` of authorization requests (OIDC Core §6). Default: "off". */
    readonly request_objects?: 'off' | 'on';
    /** Default: {}. */
    readonly client_fetch?: {
      /** Hosts that clients keep keys and request objects at (`jwks_uri`, `request_uris`), `host` or `host:port` (443 when none). Empty: none. */
      readonly allowed_hosts?: readonly string[];
      /** For development: fetch from loopback, only while the server itself is on loopback. Default: false. */
      readonly allow_loopback?: boolean;
      /** Fetch only from servers whose certificate is trusted. Default: true. */
      readonly verify_tls?: boolean;
    };
    /** Read `audience` at /authorize, /token and /device_authorization as one more `resource`, of any form. Default: false. */
    readonly audience_parameter?: boolean;
    /** `on`: tokens are bound to the key of a DPoP proof that comes with the request (RFC 9449); `nonce`: proofs need a nonce of this server, too. Default: "off". */
    readonly dpop?: 'off' | 'on' | 'nonce';
    /** `on`: clients may push authorization requests to /par (RFC 9126); `required`: /authorize takes no others. Default: "off". */
    readonly pushed_authorization_requests?: 'off' | 'on' | 'required';
    /** `typ` in the header of access tokens; `at+jwt` makes those of RFC 9068. These name a client: give one (`client_id`) where you make a token for a user without a login. Default: "JWT". */
    readonly access_token_typ?: 'JWT' | 'at+jwt';
    /** Standard claims at /userinfo need their scope (always outside `dev`). Default: false. */
    readonly userinfo_by_scope?: boolean;
    /** What an ID token says of its user: what the parameter `claims` asks for, or with `scope` also what the granted scopes stand for. Default: "requested". */
    readonly id_token_claims?: 'requested' | 'scope';
    /** ID tokens carry `token_use`. Default: true. */
    readonly id_token_token_use?: boolean;
    /** Confidential clients need PKCE too (always outside `dev`). Default: false. */
    readonly require_pkce?: boolean;
    /** The scopes there are. Default: ["openid","profile","email","offline_access"]. */
    readonly scopes_supported?: readonly string[] | null;
    /** Refuse scopes that are not supported or not allowed for the client; `false` grants any, under `dev` only. Default: true. */
    readonly scope_enforcement?: boolean;
    /** Directory of client logos, served at /client-logos/<client_id>. */
    readonly logos_dir?: string | null;
    /** The declared clients. */
    readonly clients?: readonly ClientEntry[];
    /** Default: {}. */
    readonly dynamic_registration?: {
      /** Open /register (RFC 7591). Default: false. */
      readonly enabled?: boolean;
      /** Live registrations at once. Pages of other origins hold half of them at most. Default: 100. */
      readonly max_clients?: number;
      /** `full`: registrations may have all of OpenID Connect Registration that this server honours. Default: "minimal". */
      readonly metadata?: 'minimal' | 'full';
    };
    /** Default: {}. */
    readonly client_id_metadata_documents?: {
      /** Accept clients whose client_id is the https address of their document. Default: false. */
      readonly enabled?: boolean;
      /** Hosts to fetch documents from, `host` or `host:port` (443 when none). Empty: none. */
      readonly allowed_hosts?: readonly string[];
      /** For development: fetch from loopback, only while the server itself is on loopback. Default: false. */
      readonly allow_loopback?: boolean;
    };
  };
  /** Default: {}. */
  readonly device_flow?: {
    /** Lifetime of device codes, in seconds. Default: 600. */
    readonly code_expiry_seconds?: number;
    /** Seconds between two polls that a device is told to keep; checked outside `dev` only. Default: 5. */
    readonly polling_interval?: number;
  };
  /** Origins that browsers may call from, or `*`. Absent: the security profile decides; `[]`: none. */
  readonly cors_allowed_originss?: readonly string[];
  /** Default: {}. */
  readonly saml?: {
    /** Entity ID. Absent: `<issuer>/saml`. */
    readonly entity_id?: string | null;
    /** Address for logins. Absent: `<issuer>/saml/sso`. */
    readonly sso_url?: string | null;
    /** Where a Response goes that names no address. Empty: such a request is refused. Default: "http://localhost:8080/login/saml2/sso/samlIdp". */
    readonly default_acs_url?: string;
    /** Sign the Assertion of a login, and every Response without one; `sign` of a registered service provider says otherwise for it. Default: true. */
    readonly sign_responses?: boolean;
    /** Send the roles as an attribute. Default: false. */
    readonly export_roles?: boolean;
    /** Send the groups as an attribute. Default: false. */
    readonly export_groups?: boolean;
    /** Name of the attribute with the roles. Default: "roles". */
    readonly roles_attr_name?: string | null;
    /** Name of the attribute with the groups. Default: "groups". */
    readonly groups_attr_name?: string | null;
    /** Canonicalisation of signatures; blank: the default. Default: "exc_c14n". */
    readonly c14n_algorithm?: 'exc_c14n' | 'c14n' | 'c14n11' | '' | null;
    /** Accept signed AuthnRequests only. Default: false. */
    readonly want_authn_requests_signed?: boolean;
    /** PEM files or texts: the certificates that requests of unregistered service providers may be signed with. Default: []. */
    readonly sp_certificates?: readonly string[];
    /** Refuse AuthnRequests of a wrong encoding, root element, Version or Destination, and signed ones without. Default: false. */
    readonly strict_binding?: boolean;
    /** The registered service providers. */
    readonly service_providers?: readonly {
      /** Its entity ID, which is the Issuer of its requests. Absent: the one that `metadata_file` names. */
      readonly entity_id?: string | null;
      /** What people read for it. Absent: the entity ID. */
      readonly title?: string | null;
      /** File with its metadata; what the entry itself names wins over it, member by member. */
      readonly metadata_file?: string | null;
      /** Its assertion consumer services: texts, or mappings of `url`, `index`, `default` and `binding`. */
      readonly acs?:
        | readonly (
            | {
                readonly url: string;
                readonly index?: number;
                readonly default?: boolean;
                readonly binding?: 'HTTP-POST' | 'HTTP-Redirect' | 'HTTP-Artifact' | 'SOAP' | 'PAOS';
              }
            | string
          )[]
        | string;
      /** PEM files or texts: the RSA certificates that its messages may be signed with. */
      readonly certificates?: readonly string[] | string;
      /** Accept only AuthnRequests that one of its own certificates signed. */
      readonly want_signed_requests?: boolean;
      /** What is signed of a Response: `assertion` (default), `response`, `both` or `none`. */
      readonly sign?: 'assertion' | 'response' | 'both' | 'none';
      /** Format of the NameID where a request asks for none: unspecified, emailAddress, persistent, transient. */
      readonly name_id_format?: string;
      /** Source of an unspecified or emailAddress NameID, such as `username` or `attributes.staff_number`. */
      readonly name_id_from?: string;
      /** Its attributes, in place of the usual ones: mappings of `name`, `name_format`, `friendly_name`, `from` or `values`, and `as`. */
      readonly attributes?: readonly {
        readonly name: string;
        readonly name_format?: string;
        readonly friendly_name?: string;
        readonly from?: string;
        readonly values?: readonly string[];
        readonly as?: 'list' | 'text' | 'always';
      }[];
      /** Selections of attribute names that an AttributeConsumingServiceIndex chooses. */
      readonly attribute_services?: readonly {
        readonly index: number;
        readonly default?: boolean;
        readonly attributes: readonly string[];
      }[];
      /** Its single logout services: mappings of `url`, `response_url` and `binding`. */
      readonly slo?: readonly {
        readonly url: string;
        readonly response_url?: string;
        readonly binding: 'HTTP-Redirect' | 'HTTP-POST' | 'SOAP';
      }[];
      /** What is encrypted for it: `assertion`, `name_id`, `attributes`. */
      readonly encrypt?: readonly ('assertion' | 'name_id' | 'attributes')[];
      /** Its algorithms: a mapping of `content`, `key`, `digest` and `mgf`. */
      readonly encryption?: {
        readonly content?: 'aes256-gcm' | 'aes128-gcm' | 'aes256-cbc' | 'aes128-cbc';
        readonly key?: 'rsa-oaep-mgf1p' | 'rsa-oaep' | 'rsa-1_5';
        readonly digest?: 'sha1' | 'sha256' | 'sha512';
        readonly mgf?: 'sha1' | 'sha256' | 'sha512';
      };
      /** PEM file or text: the RSA certificate that is encrypted for. */
      readonly encryption_certificate?: string | null;
      /** Whether a login may begin here while `saml.idp_initiated` is on. */
      readonly idp_initiated?: boolean;
      /** RelayState of a login begun here that names none. */
      readonly relay_state?: string;
    }[];
    /** Whether messages of a service provider that is not registered are answered. Default: "allow". */
    readonly unregistered?: 'allow' | 'refuse';
    /** Offer Single Logout at /saml/slo; needs `login.session: on`. Default: false. */
    readonly single_logout?: boolean;
    /** Offer logins at registered service providers that begin here, at /saml/idp-initiated. Default: false. */
    readonly idp_initiated?: boolean;
    /** Have a key that service providers encrypt identifiers for, and list it in the metadata. Default: false. */
    readonly encryption_key?: boolean;
    /** Hours until `validUntil` of the metadata; 0: no such attribute. Default: 0. */
    readonly metadata_valid_hours?: number;
    /** `cacheDuration` of the metadata in minutes; 0: no such attribute. Default: 0. */
    readonly metadata_cache_minutes?: number;
    /** List in the metadata, after the active certificate, that of the key which the next rotation makes active, and those of the kept previous ones. Default: false. */
    readonly metadata_next_key?: boolean;
  };
  /** Default: {}. */
  readonly jwt?: {
    /** Signature algorithm; RS256 is the only one. Default: "RS256". */
    readonly algorithm?: 'RS256';
    /** Directory of the generated signing keys; not used with `runtime.store: postgres`, where they lie in the store. Default: "../keys". */
    readonly keys_dir?: string;
    readonly external_keys?: {
      /** PEM file with the RSA private key. */
      readonly private_key: string;
      /** PEM file with the public key. */
      readonly public_key: string;
      /** Its key id. Absent: the RFC 7638 thumbprint. */
      readonly kid?: string;
    };
    /** Retired keys that still verify. Default: 2. */
    readonly max_previous_keys?: number;
  };
  /** Default: {}. */
  readonly session?: {
    /** Secret that signs the browser cookie. Absent: a generated one. */
    readonly secret_key?: string | null;
    /** With password hashing on, a stored password that is no bcrypt hash never matches. Default: false. */
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
    /** User names and client ids in log lines. Default: true. */
    readonly verbose_logging?: boolean;
  };
  /** Default: {}. */
  readonly login?: {
    /** `persona`: the user is chosen from a list, without a password. Default: "password". */
    readonly mode?: 'password' | 'persona';
    /** Ask users with a `totp_secret` for a second factor. Default: false. */
    readonly totp?: boolean;
    /** In persona mode: `login_hint=persona-auto-login:<username>` logs in without a page. Default: false. */
    readonly auto_login?: boolean;
    /** Ask for the username first, then for the password. Default: false. */
    readonly two_step?: boolean;
    /** `on`: a login is remembered, and /authorize answers from it (docs/sessions.md). Default: "off". */
    readonly session?: 'off' | 'on';
    /** How long a session lives after its login, in minutes. Default: 480. */
    readonly session_lifetime_minutes?: number;
    /** Minutes that a session lives after its last use; 0: without bound. Default: 60. */
    readonly session_idle_minutes?: number;
    /** What `acr` says of each way to log in while sessions are on, the weakest first. Default: [{"value":"0","method":"persona"},{"value":"https://refeds.org/profile/sfa","method":"password"},{"value":"https://refeds.org/profile/mfa","method":"password+totp"}]. */
    readonly acr?: readonly {
      readonly value: string;
      readonly method: 'persona' | 'password' | 'password+totp';
    }[];
    /** When a person is asked what an application may have. Default: "never". */
    readonly consent?: 'never' | 'first' | 'always';
    /** In persona mode: claims may be typed for one login (docs/claims.md). Default: false. */
    readonly edit_claims?: boolean;
  } | null;
  /** Default: {}. */
  readonly logout?: {
    /** While `login.session` is on: whether a logout asks the person first: when it is not sure who asks (`unsure`), always or never. Default: "unsure". */
    readonly confirmation?: 'unsure' | 'always' | 'never';
    /** How long a client may take to answer a logout token, in milliseconds. Default: 5000. */
    readonly delivery_timeout_ms?: number;
    /** How often a logout token is sent again, after 1, 2, 4, 8 and 16 seconds. Default: 2. */
    readonly delivery_retries?: number;
    /** Logout tokens go only to servers whose certificate is trusted. Default: true. */
    readonly verify_tls?: boolean;
    /** The end of a session revokes its refresh tokens, unless their scope has `offline_access`. Default: false. */
    readonly revoke_refresh_tokens?: boolean;
  };
  /** Default: {}. */
  readonly runtime?: {
    /** Where runtime state lives; `postgres` is for several machines (docs/scale.md). With `memory` a restart forgets which tokens were revoked or spent, while the signing keys of a configuration directory stay: tokens from before it are good again. Default: "memory". */
    readonly store?: 'memory' | 'sqlite' | 'postgres';
    /** The store file, outside the configuration directory; with `sqlite` only, and needed there. */
    readonly path?: string | null;
    /** The database, as `postgres://user:password@host:5432/database`; with `postgres` only, and needed there. Hosts may be several, separated by commas; parameters `host` (directory of a socket), `sslmode`, `sslrootcert`, `sslcert`, `sslkey`, `sslpassword`. */
    readonly url?: string | null;
    /** The schema of that database that holds everything; made at the first start. Default: "test_idp". */
    readonly schema?: string;
    /** Sessions that a worker holds there at most, besides one that proves that it lives. Default: 4. */
    readonly pool_size?: number;
    /** `PATCH /api/runtime/users/{username}` changes a runtime user. Default: false. */
    readonly updates?: boolean;
  };
  /** Default: {}. */
  readonly hooks?: {
    /** Shell command run before a start or reload reads the files. */
    readonly on_before_load?: string | null;
    /** Shell command run after each file that was written. */
    readonly on_config_saved?: string | null;
    /** Shell command run after each audit event, which it gets as JSON on standard input. */
    readonly on_audit_event?: string | null;
    /** A failing hook or plugin fails the load. Default: false. */
    readonly strict?: boolean;
    /** How long a hook may run, in seconds; it ends with its process unless that is killed (SIGKILL). Default: 10. */
    readonly timeout_seconds?: number;
  };
  /** Another spelling of cors_allowed_originss. */
  readonly cors_allowed_origins?: readonly string[];
}
