// The sandboxes of a store, with the keys that are their own. They live by real time (SBX-13): `real` is a moment of the
// machine's clock, and whatever ended before it is not there, swept or not. What must leave an audit event in the default
// namespace takes it as an argument and leaves it exactly once (SBX-45).

import type { Instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { Sandbox } from '#shared/model/domain/sandbox.ts';

/** Which life of a name this is, and with which keys; nothing else of a sandbox changes while it lives. */
export interface SandboxVersion {
  readonly instanceId: string;
  /** Grows with every key of its own; 0: there is none. */
  readonly newestKey: number;
}

export interface SandboxKey {
  readonly kid: string;
  readonly publicKeyPem: string;
  /** undefined: it signs no longer, or never did here, and still verifies. */
  readonly privateKeyPem: string | undefined;
  /** undefined: of a former key, which nobody lists with it. */
  readonly certificatePem: string | undefined;
}

interface AddKeyOptions {
  readonly first?: true;
  readonly former?: readonly SandboxKey[];
  /** What is added in place of the key where the newest one, here or of `former`, is still `after` (SPM-31). */
  readonly announced?: { readonly after: string; readonly key: SandboxKey } | undefined;
  readonly keptMax: number;
}

export type SandboxCreation =
  | { readonly outcome: 'created' | 'exists' }
  /** As many live as may; the next one ends at `next`. */
  | { readonly outcome: 'limit'; readonly next: Instant };

/** The event of each sandbox that an operation finds expired. */
type ExpiryEvent = (sandbox: Sandbox) => AuditEvent;

export interface Sandboxes {
  /** Asked at every request of a sandbox: cheap. */
  version(name: string, real: Instant): Promise<SandboxVersion | undefined>;
  find(name: string, real: Instant): Promise<Sandbox | undefined>;
  /** In order of creation. */
  list(real: Instant): Promise<readonly Sandbox[]>;
  /** Of any number of simultaneous calls for one name exactly one makes the sandbox and answers `created` (SBX-03). */
  create(
    sandbox: Sandbox,
    key: SandboxKey | undefined,
    real: Instant,
    event: AuditEvent,
    expired: ExpiryEvent,
  ): Promise<SandboxCreation>;
  /** The same sandbox under another instance id, with nothing but its keys left (SBX-11); undefined: there is none. */
  reset(
    name: string,
    instanceId: string,
    real: Instant,
    event: (reset: Sandbox) => AuditEvent,
  ): Promise<Sandbox | undefined>;
  /** Ends those of these names, or all; answers how many lived. */
  end(names: readonly string[] | 'all', real: Instant, event: (ended: Sandbox) => AuditEvent): Promise<number>;
  /** Ends what has expired, and removes what a process left behind that died while it made one. */
  sweep(real: Instant, expired: ExpiryEvent): Promise<number>;

  /** Newest first: its signing key, then those that still verify. */
  keys(instance: Pick<Sandbox, 'name' | 'instanceId'>): Promise<readonly SandboxKey[]>;
  /**
   * Adds a key, and before it those that verify from now on; with `first` only while it has none of its own. From now on
   * its keys are `own`. At most `keptMax` former keys stay. Answers what it has then, newest first.
   */
  addKey(
    instance: Pick<Sandbox, 'name' | 'instanceId'>,
    key: SandboxKey,
    options: AddKeyOptions,
  ): Promise<readonly SandboxKey[]>;
}
