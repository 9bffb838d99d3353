// The validated authorization request, and what grants make of it. Property names are the parameters' own.

/** How long one may be that is sent as a form. */
export const postedRequestBytesMax = 8 * 1024;

/** The names asked for by the `claims` parameter (OIDC Core §5.5), in the order sent. */
export interface RequestedClaims {
  readonly id_token: readonly string[];
  readonly userinfo: readonly string[];
}

export const noRequestedClaims: RequestedClaims = { id_token: [], userinfo: [] };

export const responseModes = ['query', 'form_post', 'fragment'] as const;
export type ResponseMode = (typeof responseModes)[number];
/** What may be asked for; the words of the last one in either order. */
export const responseTypes = ['code', 'id_token', 'id_token token'] as const;
export type ResponseType = (typeof responseTypes)[number];
export type CodeChallengeMethod = 'plain' | 'S256';

export interface AuthorizationRequest {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly response_mode: ResponseMode;
  /** What the implicit flow is asked for; absent: a code. */
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
  /** The thumbprint of the key that has to redeem the code (RFC 9449 §10); absent: any. */
  readonly dpop_jkt?: string | undefined;
  /** The `request_uri` by which it came, when it was pushed (RFC 9126 §4). */
  readonly pushed?: string | undefined;
  /** Parameters that were sent and not read (CAM-05), for the audit. */
  readonly ignored_parameters?: readonly string[] | undefined;
  /** What it asks about the login of the person; absent: sessions are off, and a page may be shown. */
  readonly asks?: AskedLogin | undefined;
}

/** OIDC Core §3.1.2.1, read from `prompt`, `max_age`, `id_token_hint`, `acr_values` and `claims`. */
export interface AskedLogin {
  readonly prompts: readonly Prompt[];
  readonly maxAgeSeconds: number | undefined;
  /** The user who must answer (SSO-22, SSO-25). */
  readonly subject: string | undefined;
  /** Users who may answer as well, in order of preference (`values` of OIDC Core §5.5.1); absent: nobody. */
  readonly otherSubjects?: readonly string[] | undefined;
  readonly acr: AskedAcr | undefined;
}

export type Prompt = 'none' | 'login' | 'select_account' | 'consent';

export interface AskedAcr {
  /** In order of preference. */
  readonly values: readonly string[];
  /** Without one of them there is no answer (SSO-34). */
  readonly essential: boolean;
}

/** How the user proved who he is; becomes `amr` (CLM-26) and the SAML AuthnContextClassRef (SAM-51). */
export type AuthenticationMethod = 'password' | 'password+totp' | 'persona';
