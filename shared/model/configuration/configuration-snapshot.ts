// The immutable configuration that a request uses from beginning to end (ACT-13). The loader creates it.
import type { Client } from './client-entry.ts';
import type { ProfileRules } from './profile-rules.ts';
import type { ServiceProvider } from './service-provider.ts';
import type { TlsFiles } from './settings/tls.ts';
import type { Settings } from './settings.ts';
import type { User } from './user-entry.ts';

/** Lower-case hexadecimal SHA-256 of a file's bytes. A missing file has the hash of zero bytes (WRT-05). */
export type Revision = string;

export interface ConfigurationSnapshot {
  /**
   * Absolute path of the configuration directory. undefined: the embedded configuration, which has no directory
   * (PKG-13).
   */
  readonly directory: string | undefined;
  /** Grows by one with every accepted configuration of a store. Sibling processes activate the newest. */
  readonly generation: number;
  /**
   * Revisions of the files. Where machines share the store, revisions of the declared content, which each machine may
   * write differently.
   */
  readonly revisions: { readonly settings: Revision; readonly users: Revision };
  /** Identifies what the files declare for all machines that share a store (CLU-19). */
  readonly sharedDigest: string;
  readonly settings: Settings;
  /** The rules that the security profile sets. Read these instead of comparing the profile's name. */
  readonly rules: ProfileRules;
  /** Declared users in file order. */
  readonly users: ReadonlyMap<string, User>;
  /** Declared clients in file order. */
  readonly clients: ReadonlyMap<string, Client>;
  /** Declared service providers by entity ID, in file order. */
  readonly serviceProviders: ReadonlyMap<string, ServiceProvider>;
  /** The active management secret (file, else environment), or undefined: no gate (CFG-51). */
  readonly managementSecret: string | undefined;
  /** `server.host` if the file itself sets it. A default is replaced by that of the environment (IMG-04). */
  readonly declaredHost?: string | undefined;
  /** The value of `--profile`, or undefined (CLI-08). */
  readonly profileOverride: string | undefined;
  /** Absolute paths, resolved against the directory (CFG-13). */
  readonly paths: {
    /** undefined: keys exist only in the memory of the process. */
    readonly keysDirectory: string | undefined;
    readonly runtimeStore: string | undefined;
    /** The files that `server.tls: {cert, key, ca}` names. */
    readonly tlsFiles: TlsFiles | undefined;
    readonly logosDirectory: string | undefined;
    /** Paths, or the certificates themselves. A sandbox always has certificates (SBX-35). */
    readonly spCertificates: readonly (string | { readonly pem: string })[];
    readonly externalPrivateKey: string | undefined;
    readonly externalPublicKey: string | undefined;
  };
}

/** Where a worker gets the active configuration. */
export interface ConfigurationSource {
  /**
   * The snapshot for the operation that begins now. Activates a generation that a sibling accepted. With the shared
   * store it checks the files first (STO-18).
   * @throws ConfigurationUnavailableError when the directory cannot be observed or locked in time (STO-21, STO-22).
   */
  refreshed(): Promise<ConfigurationSnapshot>;
  /** The active snapshot without any check: for health, static files and log lines. */
  inForce(): ConfigurationSnapshot;
}
