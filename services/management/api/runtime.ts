// Everything under /api/runtime. DELETE /api/runtime removes all runtime objects (RUN-17).

import * as z from 'zod';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import { auditEvent, type ManagementContext, type ParsedRequest } from '#shared/engine/exchange/request.ts';
import { apiError, type Route } from '#shared/engine/exchange/route.ts';
import { endAllInvalidSessions } from '#shared/engine/login/end-invalid-sessions.ts';
import type { ResetCounts } from '#shared/model/domain/runtime-identity.ts';
import { runtimeIdentityRefusals } from '#shared/model/refusals/families/runtime-identities.ts';
import { resetRuntimeIdentities } from '../runtime-identities/reset-runtime-identities.ts';
import { runtimeClientRoutes } from './runtime-clients.ts';
import { runtimeServiceProviderRoutes } from './runtime-service-providers.ts';
import { runtimeUserRoutes } from './runtime-users.ts';
import { auditOriginOf } from './sessions.ts';

export const runtimeApiRoutes: readonly Route[] = [
  {
    path: '/api/runtime',
    audience: 'api',
    methods: { DELETE: resetAll },
    operations: {
      DELETE: {
        id: 'deleteRuntimeObjects',
        summary: 'Deletes all runtime users, clients and service providers, including registrations.',
        doesMostWithout: true,
        answers: {
          200: z.strictObject({
            users_deleted: z.int().min(0),
            clients_deleted: z.int().min(0),
            service_providers_deleted: z
              .int()
              .min(0)
              .optional()
              .describe('Present if service providers exist or were deleted.'),
          }),
        },
        refusals: [runtimeIdentityRefusals.runtime_reset_during_promotion],
      },
    },
  },
  ...runtimeUserRoutes,
  ...runtimeClientRoutes,
  ...runtimeServiceProviderRoutes,
];

export async function resetAll(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const none = context.snapshot.serviceProviders.size === 0 ? {} : { service_providers_deleted: 0 };
  const eventOf = (counts: ResetCounts) =>
    auditEvent(request, context, {
      event_type: 'runtime_identities_reset',
      endpoint: '/api/runtime',
      status: 'success',
      details: { ...none, ...counts },
    });
  const counts = await resetRuntimeIdentities(eventOf, context);
  if (counts === 'promotion_in_progress') {
    throw apiError(runtimeIdentityRefusals.runtime_reset_during_promotion);
  }
  await endAllInvalidSessions(context, auditOriginOf(request, context));
  return json(200, { ...none, ...counts });
}
