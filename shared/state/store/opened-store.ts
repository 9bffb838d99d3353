// What opening a store answers: the ports of the default namespace, and those of others on the same connections.

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
  /** Real time, by which revocations are remembered (TIM-22); that of the machine or server unless a test says otherwise. */
  readonly realClock?: Clock | undefined;
  /** What this machine takes for real time, right or wrong; its own clock unless a test says otherwise. */
  readonly machineClock?: Clock | undefined;
  readonly random: Randomness;
  readonly log: Logger;
  /** For tests that end the process between two steps of a change. */
  readonly onStep?: OnStoreStep | undefined;
  /** The files are there already: a process that finds none refuses to make others. */
  readonly mustExist?: boolean | undefined;
  /**
   * Told once, in a sentence, that a newer program made of the store what this one cannot work with: from then on every
   * operation answers that it is unavailable (CLU-05). By default it is logged.
   */
  readonly onOutgrown?: ((reason: string) => void) | undefined;
  /** Aborted when nobody waits for the store's server any more. */
  readonly givenUp?: AbortSignal | undefined;
  /** With a location shared between processes: where no file of the store may lie (STO-02). */
  readonly configurationDirectory?: string | undefined;
}

/** Hears of an entry and of the namespace it belongs to. */
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
  /** This process among the owners of the store. */
  readonly owner: string;
  readonly namespaces: Namespaces;
  /** The namespaces that testers make. */
  readonly sandboxes: Sandboxes;
  /** Where machines share it; undefined: all its processes are on this one. */
  readonly cluster?: Cluster | undefined;
  /** What real time is for all machines that share it; undefined: the machine's own (CLU-23). */
  readonly realClock?: Clock | undefined;
  /** Generated signing keys, for all machines; undefined: they lie in a directory of the machine. */
  readonly signingKeys?: SigningKeys | undefined;
  /** Hears of each audit entry once, in the process that recorded it; set it before the first event (HOK-08). */
  onAuditRecorded(listener: AuditListener): void;
  /** Waits for events under way, then closes; the last process leaves no companion files behind. */
  close(): Promise<void>;
}

/** The namespaces of a store besides the default one. */
export interface Namespaces {
  /**
   * Makes it. Nothing but this makes rows of it possible: whatever is asked of a namespace that was not made, or that has
   * ended, throws NamespaceEndedError.
   */
  begin(id: NamespaceId, limits: NamespaceLimits): Promise<void>;
  /** The ports of a namespace, whether it lives or not; asks nothing of the store and costs some microseconds. */
  of(id: NamespaceId): NamespacePorts;
  /**
   * Ends them in one atomic step: from then on nobody finds a row of theirs, and none is left, not even of requests that
   * were under way. Answers how many lived; of several simultaneous calls one counts each.
   */
  end(ids: readonly NamespaceId[]): Promise<number>;
}
