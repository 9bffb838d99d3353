// Brings runtime objects in line with a configuration that just became active (RUN-21, RUN-27, RUN-30). It settles
// promotions of dead processes, retires objects that the files now declare, and ends promotions that waited for this
// load.

import type { Randomness } from '#shared/base/random.ts';
import { nextTurn } from '#shared/base/scheduling/event-loop-turns.ts';
import type { RuntimeIdentitiesContext } from '#shared/engine/identities/runtime-identities-context.ts';
import { settlePromotions } from '#shared/engine/identities/settle-promotions.ts';
import { endAllInvalidSessions } from '#shared/engine/login/end-invalid-sessions.ts';
import type { Sandboxes } from '#shared/engine/sandboxes/open-sandboxes.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { auditMoment } from '#shared/model/domain/movable-clock.ts';
import { NamespaceEndedError } from '#shared/state/store/namespace-id.ts';

const sentences = {
  removed: 'removed a runtime object, because the configuration now declares it',
  promoted: 'completed a promotion that waited for this load',
  abandoned: 'cancelled a promotion, because its entry is no longer in the file',
} as const;

export async function reconcileAfterLoad(
  { generation, settings, users, clients, serviceProviders }: ConfigurationSnapshot,
  context: RuntimeIdentitiesContext,
): Promise<void> {
  await settlePromotions(context);
  const declared = {
    generation,
    users: new Set(users.keys()),
    clients: new Set(clients.keys()),
    serviceProviders: new Set(serviceProviders.keys()),
  };
  const reconciled = await context.store.identities.reconcile(declared, auditMoment(context.clock));
  for (const { kind, name, outcome } of reconciled) {
    const level = outcome === 'promoted' ? 'info' : 'warn';
    const who = settings.logging.verbose_logging ? { identity: name } : {};
    context.log[level]({ kind, ...who }, sentences[outcome]);
  }
}

/** The number of sandboxes handled in one turn of the event loop. */
const sandboxesAtOnce = 50;

/** Reconciles the runtime objects of every sandbox. The sandbox's own audit records it (SBX-39). */
export async function reconcileSandboxes(
  snapshot: ConfigurationSnapshot,
  context: RuntimeIdentitiesContext & { readonly sandboxes: Sandboxes; readonly random: Randomness },
): Promise<void> {
  for (const [index, { name }] of (await context.sandboxes.list()).entries()) {
    if (index > 0 && index % sandboxesAtOnce === 0) await nextTurn();
    try {
      const open = await context.sandboxes.find(name);
      if (open === undefined) continue;
      const { store, log, clockOfRequest } = open;
      const inside = { store, log, clock: clockOfRequest() };
      await reconcileAfterLoad(snapshot, { ...context, ...inside });
      await endAllInvalidSessions({ ...inside, random: context.random, snapshot: open.configuration.inForce() });
    } catch (error) {
      if (!(error instanceof NamespaceEndedError)) throw error;
    }
  }
}
