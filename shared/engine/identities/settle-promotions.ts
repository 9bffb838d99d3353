// When the process of a promotion is proved dead, the next process settles the promotion. The object is retired when
// the file holds its entry or, where machines share the store, when the newest generation does (CLU-22). Otherwise it
// is released. Each case records one event (RUN-30, RUN-31). A live owner is left alone, however slow (RUN-32).

import { auditMoment } from '#shared/model/domain/movable-clock.ts';
import {
  ConfigurationRejectedError,
  ConfigurationUnavailableError,
} from '#shared/state/configuration/active-configuration.ts';
import type { RuntimeIdentitiesContext } from './runtime-identities-context.ts';

/** Cheap when no promotion is in progress. Leaves claims unchanged while the declared objects cannot be read. */
export async function settlePromotions({ configuration, store, clock, log }: RuntimeIdentitiesContext): Promise<void> {
  const dead = await store.identities.deadClaims();
  if (dead.length === 0) return;
  let declared: Awaited<ReturnType<typeof configuration.declaredNames>>;
  try {
    declared = await configuration.declaredNames();
  } catch (error) {
    const unread = error instanceof ConfigurationRejectedError || error instanceof ConfigurationUnavailableError;
    if (!unread) throw error;
    log.warn(
      { err: error },
      'cannot complete the promotion of an ended process, because the configuration cannot be read',
    );
    return;
  }
  for (const { claim, identity } of dead) {
    const { kind, name } = identity;
    const isDeclared = (kind === 'user' ? declared.users : declared.clients).has(name);
    const outcome = isDeclared ? 'declared' : 'runtime';
    if (await store.identities.settleDeadClaim(claim, outcome, auditMoment(clock))) {
      const who = configuration.inForce().settings.logging.verbose_logging ? { identity: name } : {};
      log.warn({ kind, ...who, outcome }, 'completed the promotion of an ended process');
    }
  }
}
