// Which other processes work on this store, on other machines too (CLU-25). Only a store that machines share has a
// cluster.
import type { RunningWorker, WorkerReport } from '#shared/model/domain/cluster.ts';

export interface Cluster {
  /** Publishes this report until the process replaces it or dies. Skips the store when the report is unchanged. */
  report(worker: Omit<WorkerReport, 'clockDistanceMilliseconds'>): Promise<void>;
  /** Returns the live processes, by their proof of life. None of them has to respond. */
  view(): Promise<ClusterView>;
}

interface ClusterView {
  readonly schema: string;
  /** The newest generation. */
  readonly generation: number;
  readonly workers: readonly RunningWorker[];
}
