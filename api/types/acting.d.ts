import type { ClientEntry, UserEntry } from '../configuration-types.ts';
import type { IdpAbortSignal, IdpHeaders } from './platform.ts';
/** Seconds, or a number with a unit: `'90s'`, `'10m'`, `'1h'`, `'2d'`, `'-5m'`. */
export type Duration = number | string;
export interface TokenOptions {
  /** The user whose token it is. Without it: the client's own token, as by client credentials. */
  readonly user?: string;
  /** A client that this object knows, or one with its secret. Without user and client: the first one with a secret. */
  readonly client?:
    | string
    | {
        readonly client_id: string;
        readonly client_secret?: string | null;
      };
  /** Further claims of the access token. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** A list, or names separated by spaces. `openid` brings an ID token. */
  readonly scope?: string | readonly string[];
  readonly resource?: string | readonly string[];
  /** Negative: it ran out that long ago, and is valid otherwise. */
  readonly expiresIn?: Duration;
}
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: string;
  /** Seconds; negative for one that ran out. */
  readonly expires_in: number;
  readonly scope?: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}
export interface AddOptions {
  /** A runtime object of that name gives way in the same step. */
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
  /** May be left out for users that this object knows, and in persona mode. */
  readonly password?: string;
  /** The six digits of the second factor. */
  readonly totp?: string;
  /** Several logins in one browser; without it each is a browser of its own. */
  readonly browser?: Browser;
}
/** What the client is told at its redirect URI, which is not called. */
export interface OAuthCallback {
  readonly callbackUrl: string;
  readonly params: Readonly<Record<string, string>>;
  /** With response_mode=form_post: what would be posted to callbackUrl. */
  readonly form?: Readonly<Record<string, string>>;
}
/** What would be posted to the service provider. */
export interface SamlCallback {
  readonly acsUrl: string;
  /** As it is posted, base64. */
  readonly samlResponse: string;
  readonly relayState: string | undefined;
}
export interface DeviceApproval {
  readonly userCode: string;
  readonly user: string;
  readonly password?: string;
  readonly totp?: string;
  /** `deny` refuses the device; default `approve`. */
  readonly decision?: 'approve' | 'deny';
  readonly browser?: Browser;
}
/** A browser without script: its cookies. Made by `idp.browser()`. */
export interface Browser {
  /** By name. */
  readonly cookies: ReadonlyMap<string, string>;
}
/** As `fetch` takes them. Those that are not here are refused, since they would have no effect. */
export interface RequestOptions {
  readonly method?: string | undefined;
  readonly headers?:
    | Readonly<Record<string, string>>
    | readonly (readonly [name: string, value: string])[]
    | IdpHeaders
    | undefined;
  /** What `fetch` takes; an object or a list is sent as JSON. */
  readonly body?: unknown;
  /** Default `follow`, within this instance; a redirect that leads elsewhere is answered as it is. `error` rejects with kind `redirected`. */
  readonly redirect?: 'follow' | 'manual' | 'error' | undefined;
  /** Aborted: rejects with its reason. */
  readonly signal?: IdpAbortSignal | null | undefined;
}
