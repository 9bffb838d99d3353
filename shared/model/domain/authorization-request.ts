// The validated authorization request, and what grants derive from it. Property names are the parameter names.

/** The largest request that may be sent as a form. */
export const postedRequestBytesMax = 8 * 1024;

/** The names requested by the `claims` parameter (OIDC Core §5.5), in the order sent. */
export interface RequestedClaims {
  readonly id_token: readonly string[];
  readonly userinfo: readonly string[];
}

export const noRequestedClaims: RequestedClaims = { id_token: [], userinfo: [] };

export const responseModes = ['query', 'form_post', 'fragment'] as const;
export type ResponseMode = (typeof responseModes)[number];
/** The response types that a client may request. The words of the last one may have either order. */
export const responseTypes = ['code', 'id_token', 'id_token token'] as const;
export type ResponseType = (typeof responseTypes)[number];
export type CodeChallengeMethod = 'plain' | 'S256';

export interface AuthorizationRequest {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly response_mode: ResponseMode;
  /** The implicit flow's response type. Absent: `code`. */
  readonly response_type?: Exclude<ResponseType, 'code'> | undefined;
  /** Granted scope names in order, without duplicates. */
  readonly scope: readonly string[];
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  readonly code_challenge: string | undefined;
  readonly code_challenge_method: CodeChallengeMethod | undefined;
  readonly claims: RequestedClaims;
  readonly resource: readonly string[];
  readonly login_hint: string | undefined;
  /** The thumbprint of the key that must redeem the code (RFC 9449 §10). Absent: any. */
  readonly dpop_jkt?: string | undefined;
  /** The `request_uri` of a pushed request (RFC 9126 §4). */
  readonly pushed?: string | undefined;
  /** Parameters that were sent but are not read (CAM-05), for the audit. */
  readonly ignored_parameters?: readonly string[] | undefined;
  /** Unknown scopes that were dropped (UNK-02), for the audit. */
  readonly ignored_scopes?: readonly string[] | undefined;
  /** What it requires of the user's login. Absent: sessions are off, and a page may be shown. */
  readonly asks?: AskedLogin | undefined;
}

/** OIDC Core §3.1.2.1, read from `prompt`, `max_age`, `id_token_hint`, `acr_values` and `claims`. */
export interface AskedLogin {
  readonly prompts: readonly Prompt[];
  readonly maxAgeSeconds: number | undefined;
  /** The user who must log in (SSO-22, SSO-25). */
  readonly subject: string | undefined;
  /** Further users who are acceptable, in order of preference (`values` of OIDC Core §5.5.1). Absent: none. */
  readonly otherSubjects?: readonly string[] | undefined;
  readonly acr: AskedAcr | undefined;
}

export type Prompt = 'none' | 'login' | 'select_account' | 'consent';

export interface AskedAcr {
  /** In order of preference. */
  readonly values: readonly string[];
  /** Without one of the values the request fails (SSO-34). */
  readonly essential: boolean;
}

/** How the user authenticated. Becomes `amr` (CLM-26) and the SAML AuthnContextClassRef (SAM-51). */
export type AuthenticationMethod = 'password' | 'password+totp' | 'persona';
