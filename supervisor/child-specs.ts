// The workers of a stack. Every child is permanent: it is replaced whenever it ends. Each is started from a file by
// path, because the supervisor imports no service.
import type { WorkerName } from '#shared/process/worker/mailbox.ts';

export interface ChildSpec {
  /** Unique in the stack and shown in log lines: `oidc`, or `oidc-2` if there are several. */
  readonly id: string;
  readonly worker: WorkerName;
  /**
   * `first`: at once, in parallel. `second`: once the first ones are ready, so that the public socket opens as early as
   * possible. Requests that it relays wait until then.
   */
  readonly starts: 'first' | 'second';
  /**
   * Children stop in ascending order, equal ones together. The demonstration removes its registrations through the
   * public socket, so it stops first. SAML handles requests that the OIDC worker relays, so it stops last.
   */
  readonly stops: 0 | 1 | 2;
}

export function childSpecs(oidcWorkers: number, { demo = false } = {}): readonly ChildSpec[] {
  const oidc = Array.from({ length: oidcWorkers }, (_, index): ChildSpec => {
    return { id: oidcWorkers === 1 ? 'oidc' : `oidc-${index + 1}`, worker: 'oidc', starts: 'first', stops: 1 };
  });
  return [
    ...oidc,
    { id: 'saml', worker: 'saml', starts: 'second', stops: 2 },
    { id: 'mcp', worker: 'mcp', starts: 'second', stops: 1 },
    ...(demo ? [{ id: 'demo', worker: 'demo', starts: 'second', stops: 0 } as const] : []),
  ];
}
