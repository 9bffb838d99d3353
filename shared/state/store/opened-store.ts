// The result of opening a store: the ports of the default namespace, and those of other namespaces on the same
// connections.

import type { Clock, Stopwatch } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { Randomness } from '#shared/base/random.ts';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
import type { StoreLocation } from '#shared/model/runtime-store/store-location.ts';
import type { NamespaceId, NamespaceKey } from './namespace-id.ts';
import type { AuditLog, Cluster, RuntimeStore, Sandboxes, SigningKeys } from './ports/index.ts';
import type { OnStoreStep } from './store-steps.ts';

export interface OpenStoreDependencies {
  readonly stopwatch: Stopwatch;
  /** Real time, which the expiry of revocations uses (TIM-22). That of the machine or server except in tests. */
  readonly realClock?: Clock | undefined;
  /** The time of this machine, right or wrong. Its own clock except in tests. */
  readonly machineClock?: Clock | undefined;
  readonly random: Randomness;
  readonly log: Logger;
  /** For tests that end the process between two steps of a change. */
  readonly onStep?: OnStoreStep | undefined;
  /** The files already exist: a process that finds none fails instead of creating others. */
  readonly mustExist?: boolean | undefined;
  /**
   * Receives one sentence, once, when a newer program has made the store incompatible with this one. From then on every
   * operation fails because the store is unavailable (CLU-05). By default it is logged.
   */
  readonly onOutgrown?: ((reason: string) => void) | undefined;
  /** Aborted when the caller no longer waits for the store's server. */
  readonly givenUp?: AbortSignal | undefined;
  /** For a location that processes share: the directory that must contain no file of the store (STO-02). */
  readonly configurationDirectory?: string | undefined;
}

/** Receives an entry and its namespace. */
export type AuditListener = (entry: AuditEntry, namespace: NamespaceKey) => void;

export interface NamespacePorts {
  readonly key: NamespaceKey;
  readonly store: RuntimeStore;
  readonly audit: AuditLog;
}

interface NamespaceLimits {
  readonly auditEntriesMax: number;
}

export interface OpenedStore extends NamespacePorts {
  readonly location: StoreLocation;
  /** The name of this process among the owners of the store. */
  readonly owner: string;
  readonly namespaces: Namespaces;
  /** The namespaces that testers create. */
  readonly sandboxes: Sandboxes;
  /** Where machines share the store. undefined: all its processes run on this machine. */
  readonly cluster?: Cluster | undefined;
  /** The real time of all machines that share the store. undefined: the machine's own (CLU-23). */
  readonly realClock?: Clock | undefined;
  /** Generated signing keys for all machines. undefined: the keys are in a directory of the machine. */
  readonly signingKeys?: SigningKeys | undefined;
  /** Reports each audit entry once, in the process that recorded it. Must be set before the first event (HOK-08). */
  onAuditRecorded(listener: AuditListener): void;
  /** Waits for running events, then closes. The last process leaves no companion files behind. */
  close(): Promise<void>;
}

/** The namespaces of a store in addition to the default one. */
export interface Namespaces {
  /**
   * Creates the namespace. Every operation on a namespace that was not created, or that has ended, throws
   * NamespaceEndedError.
   */
  begin(id: NamespaceId, limits: NamespaceLimits): Promise<void>;
  /** Returns the ports of a namespace, live or not. Does not query the store and costs some microseconds. */
  of(id: NamespaceId): NamespacePorts;
  /**
   * Ends the namespaces in one atomic step. From then on none of their rows can be found or remains, including rows of
   * running requests. Returns how many were live. Of several simultaneous calls exactly one counts each namespace.
   */
  end(ids: readonly NamespaceId[]): Promise<number>;
}
