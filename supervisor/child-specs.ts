// Which workers a stack has: the list is the documentation. Every child is permanent (it is replaced whenever it ends),
// and each is started from a file by path: the supervisor imports no service.
import type { WorkerName } from '#shared/process/worker/mailbox.ts';

export interface ChildSpec {
  /** Unique in the stack, and what people read in log lines: `oidc`, or `oidc-2` among several. */
  readonly id: string;
  readonly worker: WorkerName;
  /**
   * `first`: at once, in parallel. `door`: once the first ones answer, so that the door opens as early as possible;
   * what the door relays meanwhile waits.
   */
  readonly starts: 'first' | 'door';
  /**
   * Children stop in ascending order, equal ones together: the demonstration takes its registrations back at the door, so it
   * goes first; SAML answers what the door relays, so it goes last.
   */
  readonly stops: 0 | 1 | 2;
}

export function childSpecs(oidcWorkers: number, { demo = false } = {}): readonly ChildSpec[] {
  const oidc = Array.from({ length: oidcWorkers }, (_, index): ChildSpec => {
    return { id: oidcWorkers === 1 ? 'oidc' : `oidc-${index + 1}`, worker: 'oidc', starts: 'first', stops: 1 };
  });
  return [
    ...oidc,
    { id: 'saml', worker: 'saml', starts: 'door', stops: 2 },
    { id: 'mcp', worker: 'mcp', starts: 'door', stops: 1 },
    ...(demo ? [{ id: 'demo', worker: 'demo', starts: 'door', stops: 0 } as const] : []),
  ];
}
