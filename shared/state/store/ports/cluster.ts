// Who else works on this store, from other machines, too (CLU-25). Only a store that machines share has one.
import type { LivingWorker, WorkerReport } from '#shared/model/domain/cluster.ts';

export interface Cluster {
  /** What is said of this process until it says otherwise or dies; asks nothing of the store when it was said before. */
  report(worker: Omit<WorkerReport, 'clockDistanceMilliseconds'>): Promise<void>;
  /** The processes that live, by their proof of life; none of them has to answer for it. */
  view(): Promise<ClusterView>;
}

interface ClusterView {
  readonly schema: string;
  /** The newest generation. */
  readonly generation: number;
  readonly workers: readonly LivingWorker[];
}
