// A running identity provider, and the functions that return one.
import type { ClientEntry } from '../configuration-types.ts';
import type { Expectation, ExpectationHeld, Flow, Operations, Verdict } from '../operations.ts';
import type {
  AddedClient,
  AddedUser,
  AddOptions,
  Browser,
  DeviceApproval,
  LoginOptions,
  OAuthCallback,
  RequestOptions,
  SamlCallback,
  TokenOptions,
  TokenResponse,
} from './acting.ts';
import type { IdpApi } from './idp-api.ts';
import type { IdpResponse } from './platform.ts';
import type { ConnectOptions, IdpKeys, NamedUser, StartOptions } from './start.ts';
import type { AuditEntry, AuditFilter, Clock, Faults, VerdictSubject } from './steering.ts';

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
  /** The users at the start, by name, with their passwords. Empty for an instance that this object did not start. */
  readonly users: Readonly<Record<string, NamedUser>>;
  /**
   * The clients at the start, by client_id, with their secrets. Empty for an instance that this object did not start.
   */
  readonly clients: Readonly<Record<string, ClientEntry>>;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly api: IdpApi;

  token(options?: TokenOptions): Promise<TokenResponse>;
  addUser(user: NamedUser, options?: AddOptions): Promise<AddedUser>;
  /** Generates a `client_secret` if none exists, unless the client does not authenticate. */
  addClient(client: ClientEntry, options?: AddOptions): Promise<AddedClient>;
  /** Follows an authorization URL through the login pages, as a browser without JavaScript would. */
  login(options: LoginOptions): Promise<OAuthCallback>;
  /** The same for the URL of a SAML redirect request: `idp.login<SamlCallback>({ url, user })`. */
  login<Answer extends SamlCallback>(options: LoginOptions): Promise<Answer>;
  approveDevice(options: DeviceApproval): Promise<void>;
  browser(): Browser;
  /** The stored audit entries, newest last. */
  audit(filter?: AuditFilter): Promise<readonly AuditEntry[]>;
  /** The recorded protocol requests, grouped into flows, newest first. */
  flows(filter?: Operations['listFlows']['query']): Promise<readonly Flow[]>;
  /**
   * Waits for a number of requests of a kind. If they do not come, rejects with an IdpRequestError of kind `not_held`.
   */
  expect(expectation: Expectation): Promise<ExpectationHeld>;
  /** What a client did wrong, and what it did right. `docs/verdict.md` lists the rules. */
  verdict(subject: VerdictSubject): Promise<Verdict>;
  /** Restores the state after the start. Address, issuer and keys stay the same. */
  reset(): Promise<void>;
  fetch(path: string, options?: RequestOptions): Promise<IdpResponse>;
  /** Stops the instance. Further calls have no effect. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An instance with `stack: true`. */
export interface StackIdp extends Idp {
  readonly mcpUrl: string;
  /** The process id of the supervisor. */
  readonly pid: number;
}

export interface StartIdp {
  (options: StartOptions & { readonly stack: true }): Promise<StackIdp>;
  (options?: StartOptions): Promise<Idp>;
}

export type ConnectIdp = (url: string, options?: ConnectOptions) => Promise<Idp>;
