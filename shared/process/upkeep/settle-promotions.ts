// Promotions whose process is proved dead are settled by whoever comes next: the object is retired when the file holds
// its entry, where machines share the store when the newest generation does (CLU-22), else it is free again, with one
// event either way (RUN-30, RUN-31). A live owner, however slow, is left alone (RUN-32).

import { auditMoment } from '#shared/model/domain/movable-clock.ts';
import {
  ConfigurationRejectedError,
  ConfigurationUnavailableError,
} from '#shared/state/configuration/active-configuration.ts';
import type { RuntimeIdentitiesContext } from './runtime-identities-context.ts';

/** Cheap when no promotion is under way. Leaves claims as they are while what is declared cannot be read. */
export async function settlePromotions({ configuration, store, clock, log }: RuntimeIdentitiesContext): Promise<void> {
  const dead = await store.identities.deadClaims();
  if (dead.length === 0) return;
  let declared: Awaited<ReturnType<typeof configuration.declaredNames>>;
  try {
    declared = await configuration.declaredNames();
  } catch (error) {
    const unread = error instanceof ConfigurationRejectedError || error instanceof ConfigurationUnavailableError;
    if (!unread) throw error;
    log.warn({ err: error }, 'a promotion of a dead process cannot be settled: what is declared cannot be read');
    return;
  }
  for (const { claim, identity } of dead) {
    const { kind, name } = identity;
    const isDeclared = (kind === 'user' ? declared.users : declared.clients).has(name);
    const outcome = isDeclared ? 'declared' : 'runtime';
    if (await store.identities.settleDeadClaim(claim, outcome, auditMoment(clock))) {
      const who = configuration.inForce().settings.logging.verbose_logging ? { identity: name } : {};
      log.warn({ kind, ...who, outcome }, 'settled the promotion of a process that died');
    }
  }
}
