// The public types of the package. Nothing is imported that a consumer would need the types of: these lines are what
// stands in the package (PKG-08).
import type { ClientEntry, SettingsEntry, UserEntry } from './configuration-types.ts';
import type { Expectation, ExpectationHeld, Flow, Operations, Verdict } from './operations.ts';

export type { ClientEntry, SettingsEntry, UserEntry } from './configuration-types.ts';
export type { Expectation, ExpectationHeld, Flow, Verdict } from './operations.ts';

declare global {
  // As the standard library declares them, for consumers whose `lib` does not yet (TypeScript merges equal declarations).
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** The platform's own type where the consumer's project knows it, else what is used of it. */
type Platform<Name extends string, Otherwise> = typeof globalThis extends {
  readonly [name in Name]: { readonly prototype: infer Instance };
}
  ? Instance
  : Otherwise;

export type IdpAbortSignal = Platform<
  'AbortSignal',
  { readonly aborted: boolean; readonly reason: unknown; addEventListener(type: 'abort', listener: () => void): void }
>;

export type IdpResponse = Platform<
  'Response',
  {
    readonly status: number;
    readonly ok: boolean;
    readonly headers: { get(name: string): string | null };
    text(): Promise<string>;
    json(): Promise<unknown>;
  }
>;

/** A user with its name. */
export interface NamedUser extends UserEntry {
  readonly username: string;
}

/** A client without the name that its place in a record gives. */
export type ClientMembers = Omit<ClientEntry, 'client_id'>;

/** A private and a public RSA key of 2048 bits or more, in PEM. */
export interface PemKeys {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** The keys of an instance, to be handed to another one. */
export interface IdpKeys {
  /** The pair that the instance began to sign with; waits until it is drawn. Rejects where the keys are out of reach. */
  pem(): Promise<PemKeys>;
}

export type SecurityProfile = 'dev' | 'stricter-dev' | 'oauth21';

export interface StartOptions {
  /** A list, or a record by name. Without it: `admin`, password `admin`. */
  readonly users?: readonly NamedUser[] | Readonly<Record<string, UserEntry>>;
  /** A list, or a record by `client_id`. Without it: `demo-client`, secret `demo-secret`. */
  readonly clients?: readonly ClientEntry[] | Readonly<Record<string, ClientMembers>>;
  /** A part of settings.yaml. */
  readonly settings?: SettingsEntry;
  readonly profile?: SecurityProfile;
  /** false: unknown keys are warned of instead of refused. */
  readonly strict?: boolean;
  /** Reads settings.yaml and users.yaml there; `users`, `clients` and `settings` are then refused. */
  readonly configDir?: string;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** A fixed issuer. Without it the issuer is the address that was asked, unless `settings` say otherwise. */
  readonly issuer?: string;
  /** A pair in PEM, a directory that keeps keys, or the `keys` of another instance. Without it: keys of its own. */
  readonly keys?: PemKeys | string | IdpKeys;
  /** true: the real processes, as `test-idp start` runs them. */
  readonly stack?: boolean;
  /** With `stack`: how many OIDC frontends share the door; default 1. */
  readonly oidcWorkers?: number;
  /** Written to standard error from this level on; default `silent`. */
  readonly log?: LogLevel;
  /** Aborted before the start is done: rejects it with its reason. Later: stops the instance. */
  readonly signal?: IdpAbortSignal;
  /** Milliseconds; default 15 000. */
  readonly timeout?: number;
}

export type LogLevel = 'silent' | 'debug' | 'info' | 'warning' | 'error' | 'critical';

export interface ConnectOptions {
  /** Where the instance has one. */
  readonly managementSecret?: string;
  /** Default true: a sandbox of its own, which `stop` deletes. A name: that one. false: the default identity provider. */
  readonly sandbox?: boolean | string;
  /** How long to wait until it answers, in milliseconds; default 15 000. */
  readonly timeout?: number;
}

/** Seconds, or a number with a unit: `'90s'`, `'10m'`, `'1h'`, `'2d'`, `'-5m'`. */
export type Duration = number | string;

export interface TokenOptions {
  /** Whose token. Without it: the client's own, as by client credentials. */
  readonly user?: string;
  /** A client that this object knows, or one with its secret. Without user and client: the first one with a secret. */
  readonly client?: string | { readonly client_id: string; readonly client_secret?: string | null };
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

export interface ClockView {
  /** RFC 3339. */
  readonly now: string;
  readonly offset_seconds: number;
  readonly frozen: boolean;
}

export interface Clock {
  /** What time it is there. */
  read(): Promise<ClockView>;
  advance(by: Duration): Promise<ClockView>;
  /** From now on it is this moment there: a Date, or an RFC 3339 text. */
  set(moment: string | { toISOString(): string }): Promise<ClockView>;
  /** Stands still, at this moment where one is given. */
  freeze(moment?: string | { toISOString(): string }): Promise<ClockView>;
  /** Real time again. */
  reset(): Promise<ClockView>;
}

/** What goes wrong, where and how often: the body of POST /api/faults. `docs/faults.md` lists the faults. */
export interface FaultOrder {
  readonly fault: string;
  readonly [member: string]: unknown;
}

export interface Fault {
  readonly id: string;
  readonly fault: string;
  /** How often it fired. */
  readonly hits: number;
  /** How often it still fires; null: without end. */
  readonly remaining: number | null;
  readonly [member: string]: unknown;
}

export interface Faults {
  add(fault: string | FaultOrder): Promise<Fault>;
  list(): Promise<readonly Fault[]>;
  /** All that were added, or the one of this id. Answers how many went. */
  clear(id?: string): Promise<number>;
}

export interface AuditEntry {
  readonly timestamp: string;
  readonly clock: string | null;
  readonly event_type: string;
  readonly status: string;
  readonly username: string | null;
  readonly client_id: string | null;
  readonly endpoint: string | null;
  readonly method: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditFilter {
  readonly event_type?: string;
  readonly username?: string;
  readonly client_id?: string;
  readonly status?: string;
}

/** Whose requests are judged: a client's, a SAML service provider's (its Issuer) or those of one flow. */
export type VerdictSubject = ({ readonly client_id: string } | { readonly sp: string } | { readonly flow: string }) & {
  /** The cursor of an expectation: only what was recorded later is judged. */
  readonly after?: string;
};

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object or a list is sent as JSON, URLSearchParams as a form. */
  readonly body?: unknown;
  /** Default `follow`, within this instance; a redirect that leads elsewhere is answered as it is. */
  readonly redirect?: 'follow' | 'manual';
}

/** What an operation without parameters declares is no parameter. */
type Parameters<Declared> = string extends keyof Declared ? unknown : Declared;

type Body<Declared> = undefined extends Declared ? { readonly body?: Declared } : { readonly body: Declared };

type Argument<Operation extends { parameters: unknown; query: unknown; body: unknown }> = Parameters<
  Operation['parameters']
> &
  Parameters<Operation['query']> &
  Body<Operation['body']> & { readonly headers?: Readonly<Record<string, string>> };

/**
 * The REST API: one method for each operation of /openapi.json. It takes the parameters of path and query by their names,
 * and the body: `idp.api.createUserToken({ username: 'alice', body: { exp_minutes: 5 } })`.
 */
export type IdpApi = {
  readonly [Id in keyof Operations]: object extends Argument<Operations[Id]>
    ? (asked?: Argument<Operations[Id]>) => Promise<Operations[Id]['answer']>
    : (asked: Argument<Operations[Id]>) => Promise<Operations[Id]['answer']>;
};

/** A running identity provider. */
export interface Idp {
  /** The base address, without a trailing slash. */
  readonly url: string;
  readonly issuer: string;
  readonly discoveryUrl: string;
  readonly jwksUrl: string;
  readonly samlMetadataUrl: string;
  readonly samlSsoUrl: string;
  readonly port: number;
  readonly keys: IdpKeys;
  /** Those of the start, by name, with their passwords; none of an instance that this object did not start. */
  readonly users: Readonly<Record<string, NamedUser>>;
  /** Those of the start, by client_id, with their secrets; none of an instance that this object did not start. */
  readonly clients: Readonly<Record<string, ClientEntry>>;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly api: IdpApi;

  token(options?: TokenOptions): Promise<TokenResponse>;
  addUser(user: NamedUser, options?: AddOptions): Promise<AddedUser>;
  /** Without a `client_secret` one is drawn, unless the client has no authentication. */
  addClient(client: ClientEntry, options?: AddOptions): Promise<AddedClient>;
  /** Follows an authorization URL through the login pages, as a browser without script would. */
  login(options: LoginOptions): Promise<OAuthCallback>;
  /** The same for the URL of a SAML redirect request: `idp.login<SamlCallback>({ url, user })`. */
  login<Answer extends SamlCallback>(options: LoginOptions): Promise<Answer>;
  approveDevice(options: DeviceApproval): Promise<void>;
  browser(): Browser;
  /** The kept audit, newest entry last. */
  audit(filter?: AuditFilter): Promise<readonly AuditEntry[]>;
  /** What belongs together of the protocol requests that were recorded, newest first. */
  flows(filter?: Operations['listFlows']['query']): Promise<readonly Flow[]>;
  /** Waits until so many requests of a kind came. Rejects as an IdpRequestError of kind `not_held` when they do not. */
  expect(expectation: Expectation): Promise<ExpectationHeld>;
  /** What a client did wrong, and what it did right. `docs/verdict.md` lists the rules. */
  verdict(subject: VerdictSubject): Promise<Verdict>;
  /** Everything as it was after the start; address, issuer and keys stay. */
  reset(): Promise<void>;
  fetch(path: string, options?: RequestOptions): Promise<IdpResponse>;
  /** Ends it; may be called any number of times. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** With `stack: true`. */
export interface StackIdp extends Idp {
  readonly mcpUrl: string;
  /** Of the supervisor. */
  readonly pid: number;
}

export interface StartIdp {
  (options: StartOptions & { readonly stack: true }): Promise<StackIdp>;
  (options?: StartOptions): Promise<Idp>;
}

export type ConnectIdp = (url: string, options?: ConnectOptions) => Promise<Idp>;
