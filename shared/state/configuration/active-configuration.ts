// The configuration in force in one process, and the one pipeline through which it is changed. Web UI, promotion and
// MCP's save_config write through `write`; POST /api/config/reload and reload_config come in through `reload`.

import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type {
  ConfigurationSnapshot,
  ConfigurationSource,
  Revision,
} from '#shared/model/configuration/configuration-snapshot.ts';
import type { ConfigurationFileName } from '#shared/model/configuration/finding.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import type { UserEntry } from '#shared/model/configuration/user-entry.ts';
import type { ConfigurationStanding } from '#shared/model/domain/cluster.ts';

/** A part of the process that must agree before a configuration is activated: keys, hooks and plugins, the store. */
export interface ActivationParticipant {
  /**
   * Proves that the candidate can be used, without changing anything. Answers the synchronous step that puts it into
   * force; all steps run after every participant has agreed.
   * @throws ActivationError
   */
  prepare(candidate: ConfigurationSnapshot): Promise<() => void>;
}

export type LoadFailureKind = 'invalid' | 'activation' | 'on_before_load' | 'plugin_load';

/** A configuration that is not accepted. `message` names file, key path and remedy, never the value (CFG-08). */
export class ConfigurationRejectedError extends Error {
  readonly kind: LoadFailureKind;
  /** What `message` says, fault by fault, for those who list them. */
  readonly faults: readonly string[];
  /** The files, or those that they name, are at fault, also where a worker finds it when it starts. */
  readonly isMendable: boolean = true;
  constructor(kind: LoadFailureKind, message: string | readonly string[], options?: { cause?: unknown }) {
    const faults = typeof message === 'string' ? [message] : message;
    super(faults.join('; '), options);
    this.kind = kind;
    this.faults = faults;
  }
}

/** Keys, certificates or the store of a candidate cannot be used (ACT-08). */
export class ActivationError extends ConfigurationRejectedError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('activation', message, options);
  }
}

type ObservationFailureKind = 'lock_timeout' | 'lock_unsupported' | 'freshness_in_progress';

/** The directory could not be observed in time: 503 `configuration_unavailable` (STO-21). */
export class ConfigurationUnavailableError extends Error {
  readonly kind: ObservationFailureKind;
  /** The lock of the directory comes free again. */
  readonly isMendable = true;
  constructor(kind: ObservationFailureKind, options?: { cause?: unknown }) {
    super('The configuration cannot be observed at the moment.', options);
    this.kind = kind;
  }
}

/** One change of the declared files. Values equal to what the file says (placeholders expanded) are left untouched. */
export type ConfigurationChange =
  /** Adds a user; `exists` when the file holds that name already. */
  | { readonly kind: 'add_user'; readonly username: string; readonly entry: UserEntry }
  | { readonly kind: 'replace_user'; readonly username: string; readonly entry: UserEntry }
  | { readonly kind: 'delete_user'; readonly username: string }
  | { readonly kind: 'add_client'; readonly entry: ClientEntry }
  | { readonly kind: 'replace_client'; readonly client_id: string; readonly entry: ClientEntry }
  | { readonly kind: 'delete_client'; readonly client_id: string }
  /** Named by their entity ID, which the metadata of an entry may say in its place. */
  | { readonly kind: 'add_service_provider'; readonly entity_id: string; readonly entry: ServiceProviderEntry }
  | { readonly kind: 'replace_service_provider'; readonly entity_id: string; readonly entry: ServiceProviderEntry }
  | { readonly kind: 'delete_service_provider'; readonly entity_id: string }
  /** Settings by dotted path (`oauth.audience`); undefined removes the key. */
  | { readonly kind: 'set'; readonly path: string; readonly value: unknown };

export interface WriteOptions {
  /** The revisions the change is based on; undefined members are not compared (WEB-12, MCP-42). */
  readonly expected?: { readonly settings?: Revision | undefined; readonly users?: Revision | undefined } | undefined;
  /**
   * The whole configuration is written, whatever the files hold by then, as far as that is `expected`: where they do not load
   * or are missing, the texts in force are changed in their place (MCP-42), and what applies without a file is written out.
   */
  readonly whole?: true;
  /**
   * Runs inside the lock after the result was proved loadable and before the first file is replaced; answering false
   * gives `refused` and writes nothing. For promotion's last look at its claim.
   */
  readonly lastLook?: (() => Promise<boolean>) | undefined;
}

export type WriteOutcome =
  | {
      readonly outcome: 'written';
      readonly revisions: { readonly settings: Revision; readonly users: Revision };
      /** It is in force on every machine that shares the store, or will be with its next operation (CLU-20). */
      readonly declared?: true;
      /** A strict on_config_saved failed after file and activation were done (HOK-07). */
      readonly hookError?: string;
      /** The file is written but could not be activated; the running configuration stays (WRT-16, WEB-14). */
      readonly activationError?: string;
    }
  /** A name to add is in the file already. */
  | { readonly outcome: 'exists' }
  /** A name to replace or delete is not in the file. */
  | { readonly outcome: 'unknown' }
  /**
   * A revision no longer matches, or the lock was lost meanwhile (WRT-06, WRT-07), or what is declared for all machines
   * changed meanwhile (CLU-21). `stale`, where that is known: what the change should have been made of.
   */
  | { readonly outcome: 'conflict'; readonly stale?: 'in_force' | 'on_disk' }
  /** The result would not load; the message names file and key (WRT-08). */
  | { readonly outcome: 'unloadable'; readonly message: string }
  | { readonly outcome: 'lock_timeout' | 'lock_unsupported' }
  | { readonly outcome: 'refused' }
  /** The files of this machine cannot be written, where a write declares for all machines (CLU-20). */
  | { readonly outcome: 'not_writable' }
  /** The embedded configuration lies nowhere, so there is no place for a change (PKG-17). */
  | { readonly outcome: 'no_configuration_directory' }
  | { readonly outcome: 'write_failed'; readonly message: string };

/**
 * `current`, `reload`, `write` and `whileLocked` may wait for each other, so none of them may be called by what takes part
 * in one: a participant, a listener, a last look, a decision under the lock. Such a call is refused at once with an
 * Error. `peek`, `declaredNames`, `changedOnDisk` and `standing` are there for all of them.
 */
export interface ActiveConfiguration extends ConfigurationSource {
  /**
   * Reads both files anew, activates them and records the generation, so that every sibling follows (ACT-06, ACT-12).
   * @throws ConfigurationRejectedError, ConfigurationUnavailableError; then nothing has changed (ACT-11).
   */
  reload(): Promise<ConfigurationSnapshot>;
  /**
   * The write pipeline: lock, read, change, prove, compare, rename, hooks, activate. Where machines share the store the change
   * is made of the newest generation, and is declared with the rename or not written at all (CLU-20, CLU-21).
   */
  write(changes: readonly ConfigurationChange[], options?: WriteOptions): Promise<WriteOutcome>;
  /** Whether a write would find files that it may replace; always true where the write itself says so (CLU-20). */
  areFilesWritable(): boolean;
  /**
   * The names that are declared, for RUN-06: by the files as they stand on disk, read under the directory lock; by what is
   * in force where those are behind it; and where machines share the store by the newest generation (CLU-12, CLU-22).
   * @throws ConfigurationRejectedError when they do not load, its ActivationError when a file cannot be read,
   * ConfigurationUnavailableError without the lock.
   */
  declaredNames(): Promise<DeclaredNames>;
  /**
   * The files that say something else than what is in force: edited and not reloaded, or not loadable. Looked at without
   * the lock, for telling people; it costs two stats.
   */
  changedOnDisk(): readonly ConfigurationFileName[];
  /** What differs on disk was in force before and was superseded from another directory of the same store (CLU-16). */
  isBehind(): boolean;
  /** What is in force here, beside what the files of this machine say and what others declared (CLU-16, CLU-17). */
  standing(): ConfigurationStanding;
  /**
   * Runs `decide` while the directory lock is held, after changed files were taken over (STO-24).
   * @throws ConfigurationUnavailableError without the lock, and when the files change faster than they can be loaded.
   */
  whileLocked<Result>(decide: () => Promise<Result>): Promise<Result>;
  /** Makes a part agree to each further configuration; it has seen the one in force (`peek`). */
  join(participant: ActivationParticipant): void;
  /**
   * Called after every successful load with the new snapshot, before it is answered (reconciling runtime objects). What
   * it throws is logged.
   */
  onActivated(listener: (snapshot: ConfigurationSnapshot) => Promise<void>): void;
  /** The member `hooks` of GET /api/config (HOK-12). */
  hooksReport(): HooksReport;
  /** Hands an audit event to on_audit_event hooks; never delays or fails (HOK-08). */
  publishAuditEvent(entry: Readonly<Record<string, unknown>>): void;
  /** When the events taken in were delivered to their hooks, or after so long; without a bound hooks bound themselves. */
  close(withinMilliseconds?: number): Promise<void>;
}

export interface DeclaredNames {
  readonly users: ReadonlySet<string>;
  readonly clients: ReadonlySet<string>;
  readonly serviceProviders: ReadonlySet<string>;
  /** The configuration in force says the same. */
  readonly inForce: boolean;
}

export interface HooksReport {
  readonly hook_api_version: 1;
  readonly strict: boolean;
  readonly timeout_seconds: number;
  readonly shell: readonly { readonly event: string; readonly failures: number }[];
  readonly plugins: readonly {
    readonly module: string;
    readonly events: readonly string[];
    readonly failures: number;
  }[];
  readonly failed_plugins: readonly { readonly module: string; readonly reason: string }[];
}
