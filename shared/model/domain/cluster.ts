// The stacks on one PostgreSQL, as their workers report them (CLU-25).

export interface ConfigurationStatus {
  /** The active generation. */
  readonly inForce: number;
  /** The files of the machine differ from it (CLU-16). */
  readonly behind: boolean;
  /** A newer generation that cannot be activated here (CLU-17). */
  readonly failed: { readonly generation: number; readonly reason: string } | undefined;
}

export interface WorkerReport {
  /** The name that all workers of one stack share, unique to the stack. */
  readonly stack: string;
  readonly host: string;
  readonly version: string;
  /** When the stack was started, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly kind: string;
  readonly pid: number;
  /** undefined: it works on its own copy. */
  readonly configuration: ConfigurationStatus | undefined;
  /** The difference between its clock and the database's. undefined: not measured. */
  readonly clockDistanceMilliseconds: number | undefined;
}

export interface RunningWorker extends WorkerReport {
  /** Its sessions on the database, including the one that proves that it is alive. */
  readonly sessions: number;
}

export interface StackView extends Pick<WorkerReport, 'host' | 'version' | 'startedAt' | 'clockDistanceMilliseconds'> {
  readonly id: string;
  readonly workers: readonly Pick<RunningWorker, 'kind' | 'pid'>[];
  readonly sessions: number;
  /** The state of the worker that is furthest behind. undefined: none of them follows the other stacks. */
  readonly configuration: ConfigurationStatus | undefined;
}

/** In the order in which they were started. */
export function stacksOf(workers: readonly RunningWorker[]): readonly StackView[] {
  const ids = [...new Set(workers.map(({ stack }) => stack))];
  return ids
    .flatMap((id) => stackOf(workers.filter(({ stack }) => stack === id)))
    .toSorted((one, other) => one.startedAt - other.startedAt);
}

function stackOf(workers: readonly RunningWorker[]): StackView[] {
  const [first] = workers;
  if (first === undefined) return [];
  const { stack: id, host, version } = first;
  const standings = workers.flatMap(({ configuration }) => configuration ?? []);
  const furthest = standings.toSorted((one, other) => one.inForce - other.inForce)[0];
  return [
    {
      ...{ id, host, version },
      startedAt: Math.min(...workers.map(({ startedAt }) => startedAt)),
      workers: workers
        .map(({ kind, pid }) => ({ kind, pid }))
        .toSorted((one, other) => one.kind.localeCompare(other.kind) || one.pid - other.pid),
      sessions: workers.reduce((sum, { sessions }) => sum + sessions, 0),
      configuration: furthest && {
        inForce: furthest.inForce,
        behind: standings.some(({ behind }) => behind),
        failed: standings.find(({ failed }) => failed !== undefined)?.failed,
      },
      clockDistanceMilliseconds: furthestDistance(workers),
    },
  ];
}

function furthestDistance(workers: readonly RunningWorker[]): number | undefined {
  return workers
    .flatMap(({ clockDistanceMilliseconds }) => clockDistanceMilliseconds ?? [])
    .toSorted((one, other) => Math.abs(other) - Math.abs(one))[0];
}
