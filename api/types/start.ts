// What an instance is started with, or connected to.
import type { ClientEntry, SettingsEntry, UserEntry } from '../configuration-types.ts';
import type { IdpAbortSignal } from './platform.ts';

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
  /**
   * A fixed issuer. Without it the issuer is the address that was asked, unless `settings` say otherwise. With `configDir` the
   * files say it, and it is refused.
   */
  readonly issuer?: string;
  /** A pair in PEM, a directory that keeps keys, or the `keys` of another instance. Without it: keys of its own. */
  readonly keys?: PemKeys | string | IdpKeys;
  /** true: the real processes, as `test-idp start` runs them. */
  readonly stack?: boolean;
  /** With `stack`: the number of OIDC workers that share the public port. Default 1. */
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
