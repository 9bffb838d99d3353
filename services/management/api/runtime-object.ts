// Deletes and promotes one runtime object, a user or a client, and defines the routes for it (RUN-15, RUN-22 to
// RUN-28).

import * as z from 'zod';
import type { Operation } from '#shared/engine/exchange/operation.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { endInvalidSessions, settleConsentsToClients } from '#shared/engine/login/end-invalid-sessions.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { IdentityKind, RuntimeKind } from '#shared/model/domain/runtime-identity.ts';
import { runtimeIdentityRefusals } from '#shared/model/refusals/families/runtime-identities.ts';
import { deleteRuntimeIdentity } from '../runtime-identities/delete-runtime-identity.ts';
import { promoteIdentity } from '../runtime-identities/promote-identity.ts';
import { identityEvent } from './runtime-events.ts';
import { notFound, promotionInProgress, promotionRefusal, promotionRefusals } from './runtime-refusals.ts';
import { auditOriginOf } from './sessions.ts';

const promotionModel = z
  .strictObject({
    promoted: z.string(),
    kind: z.enum(['user', 'client']),
    file: z.string().describe('The file that now contains it.'),
    mirror_hook_error: z.string().optional().describe('The error of the on_config_saved hook.'),
  })
  .meta({ id: 'Promotion' });

export const replacingQuery = {
  replace: z.enum(['true']).optional().describe('Replaces an existing object of that name in the same step.'),
};

/** With `?replace=true` an object with the same name is removed in the same step, as if it had been deleted before. */
export function replacementEvent(
  kind: RuntimeKind,
  request: ParsedRequest,
  context: ProtocolContext,
): ((name: string) => AuditEvent) | undefined {
  if (request.query.value('replace') !== 'true') return undefined;
  return (name) => identityEvent('runtime_identity_deleted', kind, name, request, context);
}

export async function deleteOne(kind: RuntimeKind, request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const name = request.pathParameters.name ?? '';
  const event = identityEvent('runtime_identity_deleted', kind, name, request, context);
  const removal = await deleteRuntimeIdentity(kind, name, event, context);
  if (removal === 'unknown') throw notFound(kind);
  if (removal === 'promotion_in_progress') throw promotionInProgress(kind);
  const ender = auditOriginOf(request, context);
  if (kind === 'user') await endInvalidSessions(context, name, ender);
  if (kind === 'client') await settleConsentsToClients(context, ender, name);
  return json(200, { deleted: name, kind });
}

export async function promoteOne(
  kind: IdentityKind,
  request: ParsedRequest,
  context: ManagementContext,
): Promise<Reply> {
  const name = request.pathParameters.name ?? '';
  const event = identityEvent('runtime_identity_promoted', kind, name, request, context);
  const promotion = await promoteIdentity(kind, name, event, context);
  if (promotion.outcome !== 'promoted') throw promotionRefusal(kind, promotion, context);
  const { file, hookError } = promotion;
  return json(200, {
    promoted: name,
    kind,
    file,
    ...(hookError === undefined ? {} : { mirror_hook_error: hookError }),
  });
}

export function deletion(kind: RuntimeKind, id: string): Operation {
  return {
    id,
    summary: `Deletes a runtime ${kind} with all its data.`,
    answers: { 200: z.strictObject({ deleted: z.string(), kind: z.literal(kind) }) },
    refusals: [
      runtimeIdentityRefusals.runtime_identity_not_found,
      runtimeIdentityRefusals.runtime_identity_being_promoted,
    ],
  };
}

/** `POST /api/runtime/<kind>s/:name/promote`. */
export function promotionRoute(kind: IdentityKind, id: string): Route {
  return {
    path: `/api/runtime/${kind}s/:name/promote`,
    audience: 'api',
    methods: { POST: (request, context) => promoteOne(kind, request, context) },
    operations: {
      POST: {
        id,
        summary: `Saves the runtime ${kind} to the configuration files.`,
        answers: { 200: promotionModel },
        refusals: promotionRefusals,
      },
    },
    inSandbox: runtimeIdentityRefusals.promotion_in_sandbox,
  };
}
