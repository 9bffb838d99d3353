// Removes one runtime object with its registration. Tokens issued before keep verifying (RUN-15, RUN-16, RUN-29).
import type { AuditEvent } from '#shared/audit/audit-event.ts';
import type { IdentityKind } from '#shared/domain/runtime-identity.ts';
import type { Removal } from '#shared/store/ports/index.ts';
import type { AdministrationContext } from './administration-context.ts';
import { settlePromotions } from './settle-promotions.ts';

export async function deleteRuntimeIdentity(
  kind: IdentityKind,
  name: string,
  event: AuditEvent,
  context: AdministrationContext,
): Promise<Removal> {
  await settlePromotions(context);
  return context.store.identities.remove(kind, name, event);
}
