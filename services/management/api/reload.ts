// POST /api/config/reload: reads both files again and activates both or neither (ACT-06 to ACT-11).
import * as z from 'zod';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { reloadRefusalOf } from '#shared/model/refusals/families/configuration.ts';
import { ConfigurationRejectedError, type LoadFailureKind } from '#shared/state/configuration/active-configuration.ts';
import { reloadConfiguration } from '../reload-configuration.ts';

const refusalModel = (...kinds: readonly [LoadFailureKind, ...LoadFailureKind[]]) =>
  z.strictObject({ status: z.literal('error'), error: z.string(), kind: z.enum(kinds) });

export const reloadRoutes: readonly Route[] = [
  {
    path: '/api/config/reload',
    audience: 'api',
    methods: { POST: reload },
    operations: {
      POST: {
        id: 'reloadConfiguration',
        summary: 'Reloads both configuration files and activates both, or neither.',
        answers: {
          200: z.strictObject({ status: z.literal('reloaded'), users_count: z.int().min(0) }),
          422: refusalModel('invalid', 'activation'),
          503: refusalModel('on_before_load', 'plugin_load'),
        },
      },
    },
    inSandbox: false,
  },
];

async function reload(_request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const reloaded = await reloadConfiguration(context);
  if (reloaded instanceof ConfigurationRejectedError) {
    const { kind, message } = reloaded;
    return json(reloadRefusalOf[kind].status, { status: 'error', error: message, kind });
  }
  return json(200, { status: 'reloaded', users_count: reloaded.users.size });
}
