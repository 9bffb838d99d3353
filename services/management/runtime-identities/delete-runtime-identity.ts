// Removes one runtime object with its registration. Tokens that were issued before remain verifiable (RUN-15, RUN-16,
// RUN-29).

import type { RuntimeIdentitiesContext } from '#shared/engine/identities/runtime-identities-context.ts';
import { settlePromotions } from '#shared/engine/identities/settle-promotions.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { RuntimeKind } from '#shared/model/domain/runtime-identity.ts';
import type { Removal } from '#shared/state/store/ports/index.ts';

export async function deleteRuntimeIdentity(
  kind: RuntimeKind,
  name: string,
  event: AuditEvent,
  context: RuntimeIdentitiesContext,
): Promise<Removal> {
  await settlePromotions(context);
  return context.store.identities.remove(kind, name, event);
}
