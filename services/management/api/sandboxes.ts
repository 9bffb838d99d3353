// /api/sandboxes: makes, shows, resets and ends sandboxes (SBX-01 to SBX-11). Nothing of one changes after its creation.
import type { Sandbox } from '#shared/domain/sandbox.ts';
import { parseJsonBody } from '#shared/http/json-body.ts';
import { json, type Reply, withHeaders } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { type ApiError, apiError, type Route } from '#shared/http/route.ts';
import { managementRefusals } from '#shared/refusals/families/management.ts';
import type { SandboxCreation } from '#shared/sandboxes/open-sandboxes.ts';
import { sandboxEvent, sandboxSummary } from '../sandboxes.ts';

export const sandboxesApiRoutes: readonly Route[] = [
  {
    path: '/api/sandboxes',
    surface: 'api',
    methods: { GET: listSandboxes, POST: createSandbox, DELETE: endAll },
    inSandbox: false,
  },
  { path: '/api/sandboxes/:name', surface: 'api', methods: { GET: showSandbox, DELETE: endOne }, inSandbox: false },
  { path: '/api/sandboxes/:name/reset', surface: 'api', methods: { POST: resetSandbox }, inSandbox: false },
];

async function createSandbox(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const created = sandboxEvent('sandbox_created', request, context);
  const creation = await context.sandboxes.create(parseJsonBody(request), created);
  if (creation.outcome === 'created') return json(201, sandboxSummary(creation.sandbox, context));
  if (creation.outcome !== 'limit') throw creationRefusal(creation);
  const seconds = creation.retryAfterSeconds;
  const { status, kind } = managementRefusals.sandbox_limit;
  const error = managementRefusals.sandbox_limit.answer({ seconds });
  return withHeaders(json(status, { error, kind }), { 'Retry-After': String(seconds) });
}

function creationRefusal(creation: Extract<SandboxCreation, { outcome: 'exists' | 'invalid' }>): ApiError {
  return creation.outcome === 'exists'
    ? apiError(managementRefusals.sandbox_exists)
    : apiError(managementRefusals.sandbox_invalid, { problem: creation.message });
}

async function listSandboxes(_request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const sandboxes = (await context.sandboxes.list()).map((sandbox) => sandboxSummary(sandbox, context));
  return json(200, { sandboxes, count: sandboxes.length });
}

async function showSandbox({ pathParameters }: ParsedRequest, context: RequestContext): Promise<Reply> {
  return json(200, sandboxSummary(required(await context.sandboxes.show(pathParameters.name ?? '')), context));
}

async function resetSandbox(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const event = sandboxEvent('sandbox_reset', request, context);
  const reset = await context.sandboxes.reset(request.pathParameters.name ?? '', event);
  return json(200, sandboxSummary(required(reset), context));
}

async function endOne(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const name = request.pathParameters.name ?? '';
  const ended = await context.sandboxes.end([name], sandboxEvent('sandbox_deleted', request, context));
  if (ended === 0) throw apiError(managementRefusals.sandbox_not_found);
  return json(200, { deleted: name });
}

async function endAll(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  return json(200, { deleted: await context.sandboxes.end('all', sandboxEvent('sandbox_deleted', request, context)) });
}

function required(sandbox: Sandbox | undefined): Sandbox {
  if (sandbox === undefined) throw apiError(managementRefusals.sandbox_not_found);
  return sandbox;
}
