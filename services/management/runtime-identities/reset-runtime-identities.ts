// Removes every runtime user, client and service provider, registrations included. It waits for a promotion in
// progress, and leaves codes, device grants and the audit unchanged (RUN-17, RUN-18). Logins and grants that began
// later than the clock's current time are removed too.
import { setTimeout as pause } from 'node:timers/promises';
import type { RuntimeIdentitiesContext } from '#shared/engine/identities/runtime-identities-context.ts';
import { settlePromotions } from '#shared/engine/identities/settle-promotions.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { ResetCounts } from '#shared/model/domain/runtime-identity.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';

/** All attempts together take longer than a promotion may wait for the directory lock. */
const attemptsMax = 160;
const pauseMilliseconds = 100;

/** `promotion_in_progress`: a promotion did not end in time. */
export async function resetRuntimeIdentities(
  event: (counts: ResetCounts) => AuditEvent,
  context: RuntimeIdentitiesContext & { readonly store: Pick<RuntimeStore, 'clock'> },
): Promise<ResetCounts | 'promotion_in_progress'> {
  for (let attempt = 1; ; attempt += 1) {
    await settlePromotions(context);
    const counts = await context.store.identities.reset(event);
    if (counts !== 'promotion_in_progress') await context.store.clock.endAhead(context.clock.real());
    if (counts !== 'promotion_in_progress' || attempt === attemptsMax) return counts;
    await pause(pauseMilliseconds);
  }
}
