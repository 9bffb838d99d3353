// Runtime objects as the API shows them: the summary that the model of an entry says, and the object's own id. A secret
// is in none (RUN-12).

import { clientKind, userKind } from '#shared/configuration/model/entry-kinds.ts';
import { entrySummary } from '#shared/configuration/model/projections/api-summary.ts';
import type { RuntimeClient, RuntimeUser } from '#shared/domain/runtime-identity.ts';

/** The members of an item of GET /api/users, and the object's own id (RUN-01). */
export function runtimeUserSummary({ name, entry, instance_id }: RuntimeUser) {
  return { ...entrySummary(userKind, userKind.effective(name, entry)), origin: 'runtime', instance_id };
}

/** RUN-02. */
export function runtimeClientSummary({ name, entry, instance_id, registration }: RuntimeClient) {
  return {
    ...entrySummary(clientKind, clientKind.effective(name, entry)),
    origin: 'runtime',
    ...(registration === undefined ? {} : { source: 'dcr' }),
    instance_id,
  };
}
