// A process that shares its store with other machines reports its status and follows them, even without requests.
// Changes on other machines or in its own files become active within seconds (CLU-15, CLU-25).
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from '#shared/base/logger.ts';
import { pollEvery } from '#shared/base/scheduling/poll-every.ts';
import { version } from '#shared/base/version.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import type { Cluster } from '#shared/state/store/ports/index.ts';
import type { WorkerStart } from './mailbox.ts';

/**
 * The pause between two checks of one worker. A stack of any size queries its idle database at most twice a second
 * (CLU-32).
 */
export function idlePauses(workers: number) {
  return {
    chores: 2_000 * workers,
    follow: Math.max(5_000, 1_500 * workers),
    sweep: Math.max(10_000, 4_000 * workers),
  };
}

interface KeepInClusterOptions {
  readonly cluster: Cluster;
  readonly configuration: ActiveConfiguration;
  /** The process follows no other process. */
  readonly ownCopy: boolean;
  readonly kind: string;
  readonly stack: WorkerStart['stack'];
  /** When this process began, for a process outside any stack. */
  readonly startedAt: number;
  readonly log: Logger;
}

interface InCluster {
  /** Reports its own status before it reports on other processes. */
  readonly cluster: Cluster;
  /** Called as soon as the process serves. */
  begin(): Promise<void>;
  stop(): Promise<void>;
}

export function keepInCluster(options: KeepInClusterOptions): InCluster {
  const { cluster, configuration, ownCopy, kind, stack, startedAt, log } = options;
  const host = hostname();
  const place = stack?.directory ?? `${process.pid} ${startedAt}`;
  const worker = {
    ...{ host, version, kind, pid: process.pid, startedAt: stack?.startedAt ?? startedAt },
    stack: createHash('sha256').update(`${host}\0${place}`).digest('hex').slice(0, 12),
  };
  const report = () => cluster.report({ ...worker, configuration: ownCopy ? undefined : configuration.standing() });
  const look = async () => {
    if (!ownCopy) await configuration.refreshed();
    await report();
  };
  let stopLooking: (() => Promise<void>) | undefined;
  return {
    cluster: {
      report: cluster.report,
      view: async () => {
        await report();
        return cluster.view();
      },
    },
    async begin() {
      // A process that cannot report must not start: it would only watch, permanently.
      await report();
      const pauseMilliseconds = idlePauses(stack?.workers ?? 1).follow;
      const otherwise = 'this process reports to the cluster at the next check';
      stopLooking = pollEvery(look, { log, pauseMilliseconds, otherwise });
    },
    async stop() {
      await stopLooking?.();
    },
  };
}
