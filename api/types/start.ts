// The options of startIdp and connectIdp.
import type { ClientEntry, SettingsEntry, UserEntry } from '../configuration-types.ts';
import type { IdpAbortSignal } from './platform.ts';

/** A user entry with its name. */
export interface NamedUser extends UserEntry {
  readonly username: string;
}

/** A client entry without client_id, which is its key in the record. */
export type ClientMembers = Omit<ClientEntry, 'client_id'>;

/** A private and a public RSA key of 2048 bits or more, in PEM. */
export interface PemKeys {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** The keys of an instance, which can be passed to another instance. */
export interface IdpKeys {
  /**
   * The key pair with which the instance first signed. Waits until it is generated. Rejects if the keys are not
   * accessible.
   */
  pem(): Promise<PemKeys>;
}

export type SecurityProfile = 'dev' | 'stricter-dev' | 'oauth21';

export interface StartOptions {
  /** A list, or a record by username. Default: `admin` with password `admin`. */
  readonly users?: readonly NamedUser[] | Readonly<Record<string, UserEntry>>;
  /** A list, or a record by `client_id`. Default: `demo-client` with secret `demo-secret`. */
  readonly clients?: readonly ClientEntry[] | Readonly<Record<string, ClientMembers>>;
  /** Part of settings.yaml. */
  readonly settings?: SettingsEntry;
  readonly profile?: SecurityProfile;
  /** With false, unknown keys cause a warning instead of an error. */
  readonly strict?: boolean;
  /** The directory of settings.yaml and users.yaml. Excludes `users`, `clients`, `settings` and `issuer`. */
  readonly configDir?: string;
  /** Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default: 0, which picks a free port. */
  readonly port?: number;
  /**
   * A fixed issuer. By default, the issuer is the address that a request used, unless `settings` define it. Not allowed
   * with `configDir`, where the files define it.
   */
  readonly issuer?: string;
  /** A key pair in PEM, a directory that stores keys, or the `keys` of another instance. Default: new keys. */
  readonly keys?: PemKeys | string | IdpKeys;
  /** With true, the instance runs as separate processes, like `test-idp start`. */
  readonly stack?: boolean;
  /** With `stack`: the number of OIDC workers that share the public port. Default: 1. */
  readonly oidcWorkers?: number;
  /** The lowest level that is logged to standard error. Default: `silent`. */
  readonly log?: LogLevel;
  /** Aborts the start, which then rejects with the signal's reason. After the start, it stops the instance. */
  readonly signal?: IdpAbortSignal;
  /** How long the start may take, in milliseconds. Default: 15 000. */
  readonly timeout?: number;
}

export type LogLevel = 'silent' | 'debug' | 'info' | 'warning' | 'error' | 'critical';

export interface ConnectOptions {
  /** The management secret, if the instance has one. */
  readonly managementSecret?: string;
  /**
   * Default: true, which creates a sandbox that `stop` deletes. A name selects an existing sandbox. With false, the
   * default identity provider is used.
   */
  readonly sandbox?: boolean | string;
  /** How long to wait for a response, in milliseconds. Default: 15 000. */
  readonly timeout?: number;
}
