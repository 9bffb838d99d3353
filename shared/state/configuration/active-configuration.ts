// The active configuration of one process, and the only pipeline that changes it. Web UI, promotion and MCP's
// save_config write through `write`. POST /api/config/reload and reload_config use `reload`.

import { joinSentences } from '#shared/base/sentence.ts';
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type {
  ConfigurationSnapshot,
  ConfigurationSource,
  Revision,
} from '#shared/model/configuration/configuration-snapshot.ts';
import type { ConfigurationFileName } from '#shared/model/configuration/finding.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import type { UserEntry } from '#shared/model/configuration/user-entry.ts';
import type { ConfigurationStatus } from '#shared/model/domain/cluster.ts';

/**
 * A part of the process that must accept a configuration before it is activated: keys, hooks and plugins, the store.
 */
export interface ActivationParticipant {
  /**
   * Checks that the candidate can be used, without changing anything. Returns the synchronous step that activates it.
   * All steps run after every participant has accepted.
   * @throws ActivationError
   */
  prepare(candidate: ConfigurationSnapshot): Promise<() => void>;
}

export type LoadFailureKind = 'invalid' | 'activation' | 'on_before_load' | 'plugin_load';

/** A configuration that is rejected. `message` names file, key path and remedy, never the value (CFG-08). */
export class ConfigurationRejectedError extends Error {
  readonly kind: LoadFailureKind;
  /** The errors in `message`, one by one, for callers that list them. */
  readonly faults: readonly string[];
  /** The files, or files that they name, cause the error, even if a worker finds it only at its start. */
  readonly isMendable: boolean = true;
  constructor(kind: LoadFailureKind, message: string | readonly string[], options?: { cause?: unknown }) {
    const faults = typeof message === 'string' ? [message] : message;
    super(joinSentences(faults), options);
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
  /** The lock of the directory becomes free again. */
  readonly isMendable = true;
  constructor(kind: ObservationFailureKind, options?: { cause?: unknown }) {
    super('The configuration cannot be read at the moment.', options);
    this.kind = kind;
  }
}

/** One change of the declared files. Values equal to the file's (placeholders expanded) are left untouched. */
export type ConfigurationChange =
  /** Adds a user; `exists` when the file already has that name. */
  | { readonly kind: 'add_user'; readonly username: string; readonly entry: UserEntry }
  | { readonly kind: 'replace_user'; readonly username: string; readonly entry: UserEntry }
  | { readonly kind: 'delete_user'; readonly username: string }
  | { readonly kind: 'add_client'; readonly entry: ClientEntry }
  | { readonly kind: 'replace_client'; readonly client_id: string; readonly entry: ClientEntry }
  | { readonly kind: 'delete_client'; readonly client_id: string }
  /** Identified by their entity ID, which may come from the metadata of an entry instead. */
  | { readonly kind: 'add_service_provider'; readonly entity_id: string; readonly entry: ServiceProviderEntry }
  | { readonly kind: 'replace_service_provider'; readonly entity_id: string; readonly entry: ServiceProviderEntry }
  | { readonly kind: 'delete_service_provider'; readonly entity_id: string }
  /** Settings by dotted path (`oauth.audience`); undefined removes the key. */
  | { readonly kind: 'set'; readonly path: string; readonly value: unknown };

export interface WriteOptions {
  /** The revisions the change is based on; undefined members are not compared (WEB-12, MCP-42). */
  readonly expected?: { readonly settings?: Revision | undefined; readonly users?: Revision | undefined } | undefined;
  /**
   * Writes the whole configuration, whatever the files contain, as far as that is `expected`. Where they do not load or
   * are missing, the active texts are changed in their place (MCP-42). Defaults of a missing file are written out.
   */
  readonly whole?: true;
  /**
   * Runs inside the lock, after the result was proved loadable and before the first file is replaced. If it returns
   * false, the outcome is `refused` and nothing is written. Promotion uses it for the last check of its claim.
   */
  readonly lastLook?: (() => Promise<boolean>) | undefined;
}

export type WriteOutcome =
  | {
      readonly outcome: 'written';
      readonly revisions: { readonly settings: Revision; readonly users: Revision };
      /** Every machine that shares the store has activated it, or will at its next operation (CLU-20). */
      readonly declared?: true;
      /** A strict on_config_saved failed after the file was written and activated (HOK-07). */
      readonly hookError?: string;
      /** The file is written but could not be activated. The running configuration stays active (WRT-16, WEB-14). */
      readonly activationError?: string;
    }
  /** A name to add already exists in the file. */
  | { readonly outcome: 'exists' }
  /** A name to replace or delete does not exist in the file. */
  | { readonly outcome: 'unknown' }
  /**
   * A revision no longer matches, or the lock was lost meanwhile (WRT-06, WRT-07), or the declaration for all machines
   * changed meanwhile (CLU-21). `stale`, where known: the version that the change should have been based on.
   */
  | { readonly outcome: 'conflict'; readonly stale?: 'in_force' | 'on_disk' }
  /** The result would not load; the message names file and key (WRT-08). */
  | { readonly outcome: 'unloadable'; readonly message: string }
  | { readonly outcome: 'lock_timeout' | 'lock_unsupported' }
  | { readonly outcome: 'refused' }
  /** The files of this machine cannot be written, in a write that declares for all machines (CLU-20). */
  | { readonly outcome: 'not_writable' }
  /** The embedded configuration has no files, so a change cannot be stored (PKG-17). */
  | { readonly outcome: 'no_configuration_directory' }
  | { readonly outcome: 'write_failed'; readonly message: string };

/**
 * `refreshed`, `reload`, `write` and `whileLocked` may wait for each other. Code that runs inside one of them (a
 * participant, a listener, a last check, a decision under the lock) must not call any of them. Such a call throws an
 * Error at once. `inForce`, `declaredNames`, `changedOnDisk` and `standing` can always be called.
 */
export interface ActiveConfiguration extends ConfigurationSource {
  /**
   * Reads both files again, activates them and records the generation, so that every other process follows (ACT-06,
   * ACT-12).
   * @throws ConfigurationRejectedError, ConfigurationUnavailableError; then nothing has changed (ACT-11).
   */
  reload(): Promise<ConfigurationSnapshot>;
  /**
   * The write pipeline: lock, read, change, prove, compare, rename, hooks, activate. Where machines share the store,
   * the change is based on the newest generation. It is declared together with the rename, or not written at all
   * (CLU-20, CLU-21).
   */
  write(changes: readonly ConfigurationChange[], options?: WriteOptions): Promise<WriteOutcome>;
  /** Whether a write may replace the files. Always true where the write itself reports it (CLU-20). */
  areFilesWritable(): boolean;
  /**
   * The declared names, for RUN-06: those of the files on disk, read under the directory lock. If the files are behind,
   * those of the active configuration. Where machines share the store, those of the newest generation (CLU-12, CLU-22).
   * @throws ConfigurationRejectedError when they do not load, its ActivationError when a file cannot be read,
   * ConfigurationUnavailableError without the lock.
   */
  declaredNames(): Promise<DeclaredNames>;
  /**
   * The files that differ from the active configuration: edited and not reloaded, or not loadable. Checked without the
   * lock, for output to people. It costs two stats.
   */
  changedOnDisk(): readonly ConfigurationFileName[];
  /**
   * The different content on disk was active before, and another directory of the same store superseded it (CLU-16).
   */
  isBehind(): boolean;
  /**
   * The active configuration of this machine, compared with its files and with the declarations of other machines
   * (CLU-16, CLU-17).
   */
  standing(): ConfigurationStatus;
  /**
   * Runs `decide` while holding the directory lock, after changed files were activated (STO-24).
   * @throws ConfigurationUnavailableError without the lock, and when the files change faster than they can be loaded.
   */
  whileLocked<Result>(decide: () => Promise<Result>): Promise<Result>;
  /** Adds a participant for all later configurations; it has already read the active one (`inForce`). */
  join(participant: ActivationParticipant): void;
  /**
   * Called with the new snapshot after every successful load, before the load returns (reconciling runtime objects).
   * Errors are logged.
   */
  onActivated(listener: (snapshot: ConfigurationSnapshot) => Promise<void>): void;
  /** The member `hooks` of GET /api/config (HOK-12). */
  hooksReport(): HooksReport;
  /** Passes an audit event to on_audit_event hooks; never delays or fails (HOK-08). */
  publishAuditEvent(entry: Readonly<Record<string, unknown>>): void;
  /**
   * Resolves when the received events were delivered to their hooks, or after this time. Without a limit, only the
   * hooks' own limits apply.
   */
  close(withinMilliseconds?: number): Promise<void>;
}

export interface DeclaredNames {
  readonly users: ReadonlySet<string>;
  readonly clients: ReadonlySet<string>;
  readonly serviceProviders: ReadonlySet<string>;
  /** The active configuration has the same content. */
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
