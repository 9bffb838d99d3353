// The shared part of creating runtime objects: the order of rejections (invalid, declared, exists: RUN-07), and a
// decision while the files cannot change (STO-24).

import type { RuntimeIdentitiesContext } from '#shared/engine/identities/runtime-identities-context.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { RuntimeKind } from '#shared/model/domain/runtime-identity.ts';
import { isSharedBetweenProcesses } from '#shared/model/runtime-store/store-location.ts';
import { ActivationError } from '#shared/state/configuration/active-configuration.ts';

export type Refusal =
  /** `message` names the field, never a value (RUN-03). */
  { readonly outcome: 'invalid'; readonly message: string } | { readonly outcome: 'declared' | 'exists' };

export type Creation<Made> =
  | { readonly outcome: 'created'; readonly made: Made; readonly warnings: readonly string[] }
  | Refusal;

/** The audit events of a creation, for the name in the entry. */
export interface CreationEvents {
  created(name: string): AuditEvent;
  /** The event for an object that is replaced. undefined: replacing is not allowed. */
  readonly replaced: ((name: string) => AuditEvent) | undefined;
}

/** Creates an object from the members of an entry. */
export type CreateRuntime<Made, Context> = (
  entry: Readonly<Record<string, unknown>>,
  events: CreationEvents,
  context: Context,
) => Promise<Creation<Made>>;

/** How often other processes may change the files between a refresh and the lock. */
const looksMax = 3;

type Names = { has(name: string): boolean };
type Declared = { readonly users: Names; readonly clients: Names; readonly serviceProviders: Names };

const namesOf: Readonly<Record<RuntimeKind, (declared: Declared) => Names>> = {
  user: ({ users }) => users,
  client: ({ clients }) => clients,
  service_provider: ({ serviceProviders }) => serviceProviders,
};

/**
 * Runs `create` unless the files on disk or the active configuration declare the name (RUN-06).
 * @throws ConfigurationRejectedError while the files do not load, its ActivationError while they cannot be read or
 * activated, ConfigurationUnavailableError without the directory lock (RUN-08).
 */
export async function createUndeclared<Created>(
  kind: RuntimeKind,
  name: string,
  { configuration }: Pick<RuntimeIdentitiesContext, 'configuration'>,
  create: () => Promise<Created>,
): Promise<Created | 'declared'> {
  for (let look = 1; ; look += 1) {
    const decision = await configuration.whileLocked(async () => {
      const onDisk = await configuration.declaredNames();
      const snapshot = configuration.inForce();
      if (!onDisk.inForce && isSharedBetweenProcesses({ kind: snapshot.settings.runtime.store })) return undefined;
      const names = namesOf[kind];
      const isDeclared = names(onDisk).has(name) || names(snapshot).has(name);
      return { created: isDeclared ? ('declared' as const) : await create() };
    });
    if (decision !== undefined) return decision.created;
    // With the shared store, a refresh activates the declared files unless they are unusable. Another machine may have
    // declared something since the last refresh.
    if (look === looksMax) throw new ActivationError('The configuration files cannot be activated.');
    await configuration.refreshed();
  }
}
