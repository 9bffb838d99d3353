// POST /api/config/reload: reads both files anew and activates both or neither (ACT-06 to ACT-11). A directory that
// cannot be observed is the dispatcher's 503, as for any request (ACT-10).
import { ConfigurationRejectedError, type LoadFailureKind } from '#shared/configuration/active-configuration.ts';
import { json, type Reply } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';

export const reloadRoutes: readonly Route[] = [
  { path: '/api/config/reload', surface: 'api', methods: { POST: reloadConfiguration } },
];

const refusalStatus: Record<LoadFailureKind, number> = {
  invalid: 422,
  activation: 422,
  on_before_load: 503,
  plugin_load: 503,
};

async function reloadConfiguration(_request: ParsedRequest, context: RequestContext): Promise<Reply> {
  try {
    const { users } = await context.configuration.reload();
    return json(200, { status: 'reloaded', users_count: users.size });
  } catch (error) {
    if (!(error instanceof ConfigurationRejectedError)) throw error;
    context.log.warn({ kind: error.kind, reason: error.message, err: error.cause }, 'reload refused');
    return json(refusalStatus[error.kind], { status: 'error', error: error.message, kind: error.kind });
  }
}
