// The sandboxes of a store, with their own keys. They live by real time (SBX-13): `real` is a time of the machine's
// clock. A sandbox that ended before it does not exist, swept or not. An operation that must leave an audit event in
// the default namespace takes it as an argument and records it exactly once (SBX-45).

import type { Instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { Sandbox } from '#shared/model/domain/sandbox.ts';

/** The instance and the keys that a name currently has. Nothing else of a sandbox changes while it lives. */
export interface SandboxVersion {
  readonly instanceId: string;
  /** Increases with every own key. 0: the sandbox has none. */
  readonly newestKey: number;
}

export interface SandboxKey {
  readonly kid: string;
  readonly publicKeyPem: string;
  /** undefined: the key no longer signs, or never did here, and still verifies. */
  readonly privateKeyPem: string | undefined;
  /** undefined: a former key, which is listed without certificate. */
  readonly certificatePem: string | undefined;
}

interface AddKeyOptions {
  readonly first?: true;
  readonly former?: readonly SandboxKey[];
  /** The key to add instead, where the newest key, here or in `former`, is still `after` (SPM-31). */
  readonly announced?: { readonly after: string; readonly key: SandboxKey } | undefined;
  readonly keptMax: number;
}

export type SandboxCreation =
  | { readonly outcome: 'created' | 'exists' }
  /** The maximum number of sandboxes is live. The next one ends at `next`. */
  | { readonly outcome: 'limit'; readonly next: Instant };

/** Makes the event for each sandbox that an operation finds expired. */
type ExpiryEvent = (sandbox: Sandbox) => AuditEvent;

export interface Sandboxes {
  /** Called at every request of a sandbox, so it is cheap. */
  version(name: string, real: Instant): Promise<SandboxVersion | undefined>;
  find(name: string, real: Instant): Promise<Sandbox | undefined>;
  /** Returns the sandboxes in order of creation. */
  list(real: Instant): Promise<readonly Sandbox[]>;
  /**
   * Of any number of simultaneous calls for one name exactly one creates the sandbox and returns `created` (SBX-03).
   */
  create(
    sandbox: Sandbox,
    key: SandboxKey | undefined,
    real: Instant,
    event: AuditEvent,
    expired: ExpiryEvent,
  ): Promise<SandboxCreation>;
  /** Gives the sandbox a new instance id and deletes everything but its keys (SBX-11). undefined: it does not exist. */
  reset(
    name: string,
    instanceId: string,
    real: Instant,
    event: (reset: Sandbox) => AuditEvent,
  ): Promise<Sandbox | undefined>;
  /** Ends the sandboxes with these names, or all. Returns how many were live. */
  end(names: readonly string[] | 'all', real: Instant, event: (ended: Sandbox) => AuditEvent): Promise<number>;
  /** Ends expired sandboxes, and removes leftovers of processes that died while they created one. */
  sweep(real: Instant, expired: ExpiryEvent): Promise<number>;

  /** Returns the signing key first, then the keys that still verify, newest first. */
  keys(instance: Pick<Sandbox, 'name' | 'instanceId'>): Promise<readonly SandboxKey[]>;
  /**
   * Adds a key, and before it the keys in `former`, which verify from now on. With `first`, only while the sandbox has
   * no own key. From now on its keys are `own`. At most `keptMax` former keys stay. Returns all its keys, newest first.
   */
  addKey(
    instance: Pick<Sandbox, 'name' | 'instanceId'>,
    key: SandboxKey,
    options: AddKeyOptions,
  ): Promise<readonly SandboxKey[]>;
}
