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
  /** The users of the start, by name, with their passwords; none of an instance that this object did not start. */
  readonly users: Readonly<Record<string, NamedUser>>;
  /** The clients of the start, by client_id, with their secrets; none of an instance that this object did not start. */
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
  /** The process id of the supervisor. */
  readonly pid: number;
}
export interface StartIdp {
  (
    options: StartOptions & {
      readonly stack: true;
    },
  ): Promise<StackIdp>;
  (options?: StartOptions): Promise<Idp>;
}
export type ConnectIdp = (url: string, options?: ConnectOptions) => Promise<Idp>;
