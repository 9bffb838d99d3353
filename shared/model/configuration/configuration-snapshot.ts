// The immutable whole that a request holds from beginning to end (ACT-13). Made by the loader, never changed.
import type { Client } from './client-entry.ts';
import type { ProfileRules } from './profile-rules.ts';
import type { ServiceProvider } from './service-provider.ts';
import type { TlsFiles } from './settings/tls.ts';
import type { Settings } from './settings.ts';
import type { User } from './user-entry.ts';

/** Lower-case hexadecimal SHA-256 of a file's bytes; that of no bytes for a missing file (WRT-05). */
export type Revision = string;

export interface ConfigurationSnapshot {
  /** Absolute path of the configuration directory; undefined: the embedded configuration, which lies nowhere (PKG-13). */
  readonly directory: string | undefined;
  /** Grows by one with every accepted configuration of a store; siblings activate the newest. */
  readonly generation: number;
  /** Of the files; where machines share the store, of what was declared, which each of them may write otherwise. */
  readonly revisions: { readonly settings: Revision; readonly users: Revision };
  /** Tells apart what the files say for all machines that share a store (CLU-19). */
  readonly sharedDigest: string;
  readonly settings: Settings;
  /** What the security profile makes of the settings; read this instead of asking for the profile's name. */
  readonly rules: ProfileRules;
  /** Declared users in file order. */
  readonly users: ReadonlyMap<string, User>;
  /** Declared clients in file order. */
  readonly clients: ReadonlyMap<string, Client>;
  /** Declared service providers by entity ID, in file order. */
  readonly serviceProviders: ReadonlyMap<string, ServiceProvider>;
  /** The management secret in force (file, else environment), or undefined: no gate (CFG-51). */
  readonly managementSecret: string | undefined;
  /** `server.host` where the file itself names it: what is a default gives way to that of the place (IMG-04). */
  readonly declaredHost?: string | undefined;
  /** The value of `--profile`, or undefined (CLI-08). */
  readonly profileOverride: string | undefined;
  /** Absolute paths, resolved against the directory (CFG-13). */
  readonly paths: {
    /** undefined: keys live in the memory of the process. */
    readonly keysDirectory: string | undefined;
    readonly runtimeStore: string | undefined;
    /** The files that `server.tls: {cert, key, ca}` names. */
    readonly tlsFiles: TlsFiles | undefined;
    readonly logosDirectory: string | undefined;
    /** Paths, or the certificates themselves: always so in a sandbox (SBX-35). */
    readonly spCertificates: readonly (string | { readonly pem: string })[];
    readonly externalPrivateKey: string | undefined;
    readonly externalPublicKey: string | undefined;
  };
}

/** Where a worker asks for the configuration in force. */
export interface ConfigurationSource {
  /**
   * The snapshot for the operation that begins now. Follows a generation that a sibling accepted, and with the shared
   * store looks at the files first (STO-18).
   * @throws ConfigurationUnavailableError when the directory cannot be observed or locked in time (STO-21, STO-22).
   */
  refreshed(): Promise<ConfigurationSnapshot>;
  /** The snapshot in force without looking anywhere: for health, static files and log lines. */
  inForce(): ConfigurationSnapshot;
}
