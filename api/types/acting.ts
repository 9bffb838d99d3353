// Tokens, users, clients and logins: options and results.
import type { ClientEntry, UserEntry } from '../configuration-types.ts';
import type { IdpAbortSignal, IdpHeaders } from './platform.ts';

/** Seconds, or a number with a unit: `'90s'`, `'10m'`, `'1h'`, `'2d'`, `'-5m'`. */
export type Duration = number | string;

export interface TokenOptions {
  /** The user whose token it is. Without it, the client gets its own token, as with client credentials. */
  readonly user?: string;
  /**
   * A client that this object knows, or one with its secret. Without `user` and `client`: the first client with a
   * secret.
   */
  readonly client?: string | { readonly client_id: string; readonly client_secret?: string | null };
  /** Additional claims of the access token. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** A list, or names separated by spaces. `openid` adds an ID token. */
  readonly scope?: string | readonly string[];
  readonly resource?: string | readonly string[];
  /** `aud` of the access token, any text. Not together with `resource`. */
  readonly audience?: string | readonly string[];
  /** Claims of the access token, applied last. Any name and any JSON value. */
  readonly setClaims?: Readonly<Record<string, unknown>>;
  /** Names of claims that the access token must not have. */
  readonly removeClaims?: readonly string[];
  /** The same for the ID token. It needs `user` and the scope `openid`. */
  readonly idToken?: {
    readonly setClaims?: Readonly<Record<string, unknown>>;
    readonly removeClaims?: readonly string[];
  };
  /** A negative value issues a token that is already expired but otherwise valid. */
  readonly expiresIn?: Duration;
}

export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: string;
  /** Seconds. Negative for an expired token. */
  readonly expires_in: number;
  readonly scope?: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}

export interface AddOptions {
  /** Replaces a runtime object of that name, in one atomic step. */
  readonly replace?: boolean;
}

export interface AddedUser extends UserEntry {
  readonly username: string;
}

export interface AddedClient extends ClientEntry {
  readonly client_id: string;
}

export interface LoginOptions {
  /** An authorization URL of this instance, or the URL of a SAML redirect request to it. */
  readonly url: string;
  readonly user: string;
  /** Optional for users that this object knows, and in persona mode. */
  readonly password?: string;
  /** The six-digit code of the second factor. */
  readonly totp?: string;
  /** Pass the same browser to several logins to share its cookies. Without it, each login uses a new browser. */
  readonly browser?: Browser;
}

/** The authorization response for the client. The redirect URI itself is not called. */
export interface OAuthCallback {
  readonly callbackUrl: string;
  readonly params: Readonly<Record<string, string>>;
  /** With response_mode=form_post: the fields of the form that would be posted to callbackUrl. */
  readonly form?: Readonly<Record<string, string>>;
}

/** The SAML response that would be posted to the service provider. */
export interface SamlCallback {
  readonly acsUrl: string;
  /** The posted value, base64. */
  readonly samlResponse: string;
  readonly relayState: string | undefined;
}

export interface DeviceApproval {
  readonly userCode: string;
  readonly user: string;
  readonly password?: string;
  readonly totp?: string;
  /** `deny` rejects the device. Default: `approve`. */
  readonly decision?: 'approve' | 'deny';
  readonly browser?: Browser;
}

/** A browser without JavaScript, with its cookies. Create one with `idp.browser()`. */
export interface Browser {
  /** Cookie values by name. */
  readonly cookies: ReadonlyMap<string, string>;
}

/** Options as for `fetch`. Other options are rejected, because they would have no effect. */
export interface RequestOptions {
  readonly method?: string | undefined;
  readonly headers?:
    | Readonly<Record<string, string>>
    | readonly (readonly [name: string, value: string])[]
    | IdpHeaders
    | undefined;
  /** A body as for `fetch`. An object or a list is sent as JSON. */
  readonly body?: unknown;
  /**
   * Default: `follow`, but only within this instance. A redirect to another server is returned unchanged. `error`
   * rejects with kind `redirected`.
   */
  readonly redirect?: 'follow' | 'manual' | 'error' | undefined;
  /** When it is aborted, the request rejects with its reason. */
  readonly signal?: IdpAbortSignal | null | undefined;
}
