// /api/sandboxes: creates, shows, resets and deletes sandboxes (SBX-01 to SBX-11). A sandbox cannot be changed after
// its creation.
import * as z from 'zod';
import { parseJsonBody } from '#shared/engine/exchange/json-body.ts';
import { json, type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { type ApiError, apiError, type Route } from '#shared/engine/exchange/route.ts';
import type { SandboxCreation } from '#shared/engine/sandboxes/open-sandboxes.ts';
import { sandboxRequestShape } from '#shared/engine/sandboxes/sandbox-request.ts';
import { type Sandbox, sandboxKeyKinds } from '#shared/model/domain/sandbox.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { sandboxRefusals } from '#shared/model/refusals/families/sandboxes.ts';
import { ownSettingsModel } from '#shared/state/configuration/sandbox-settings.ts';
import { sandboxEvent, sandboxSummary } from '../sandboxes.ts';
import { requireDeclaredQuery } from '../strict-request.ts';

const { sandbox_not_found } = sandboxRefusals;

const newSandboxModel = z
  .strictObject({
    ...sandboxRequestShape,
    settings: ownSettingsModel.optional().describe('Its own settings, nested as in settings.yaml.'),
  })
  .meta({ id: 'NewSandbox' });

const sandboxModel = z
  .strictObject({
    name: z.string(),
    instance_id: z.string(),
    issuer: z.string(),
    discovery_url: z.string(),
    jwks_url: z.string(),
    saml: z.strictObject({ entity_id: z.string(), metadata_url: z.string(), sso_url: z.string() }),
    api_url: z.string(),
    keys: z.enum(sandboxKeyKinds),
    settings: z.record(z.string(), z.unknown()),
    ttl_seconds: z.int(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Sandbox' });

export const sandboxesApiRoutes: readonly Route[] = [
  {
    path: '/api/sandboxes',
    audience: 'api',
    methods: { GET: listSandboxes, POST: createSandbox, DELETE: endAll },
    operations: {
      GET: {
        id: 'listSandboxes',
        summary: 'Lists the sandboxes in order of creation.',
        answers: { 200: z.strictObject({ sandboxes: z.array(sandboxModel), count: z.int().min(0) }) },
      },
      POST: {
        id: 'createSandbox',
        summary: 'Creates an isolated identity provider at /s/<name>.',
        body: newSandboxModel.optional(),
        checksItsNames: true,
        answers: { 201: sandboxModel },
        refusals: [
          managementRefusals.body_not_json,
          sandboxRefusals.sandbox_invalid,
          sandboxRefusals.sandbox_exists,
          { ...sandboxRefusals.sandbox_limit, headers: { 'Retry-After': 'seconds' } },
        ],
      },
      DELETE: {
        id: 'endSandboxes',
        summary: 'Deletes all sandboxes.',
        doesMostWithout: true,
        answers: { 200: z.strictObject({ deleted: z.int().min(0) }) },
      },
    },
    inSandbox: false,
  },
  {
    path: '/api/sandboxes/:name',
    audience: 'api',
    methods: { GET: showSandbox, DELETE: endOne },
    operations: {
      GET: {
        id: 'showSandbox',
        summary: 'Returns a sandbox.',
        answers: { 200: sandboxModel },
        refusals: [sandbox_not_found],
      },
      DELETE: {
        id: 'endSandbox',
        summary: 'Deletes a sandbox.',
        answers: { 200: z.strictObject({ deleted: z.string() }) },
        refusals: [sandbox_not_found],
      },
    },
    inSandbox: false,
  },
  {
    path: '/api/sandboxes/:name/reset',
    audience: 'api',
    methods: { POST: resetSandbox },
    operations: {
      POST: {
        id: 'resetSandbox',
        summary: 'Resets a sandbox and restarts its lifetime.',
        answers: { 200: sandboxModel },
        refusals: [sandbox_not_found],
      },
    },
    inSandbox: false,
  },
];

async function createSandbox(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  // A setting that a sandbox cannot have is not unknown, and its rejection says so (SBX-34).
  requireDeclaredQuery({}, request.query);
  const created = sandboxEvent('sandbox_created', request, context);
  const creation = await context.sandboxes.create(parseJsonBody(request), created);
  if (creation.outcome === 'created') return json(201, sandboxSummary(creation.sandbox, context));
  if (creation.outcome !== 'limit') throw creationRefusal(creation);
  const seconds = creation.retryAfterSeconds;
  const { status, kind } = sandboxRefusals.sandbox_limit;
  const error = sandboxRefusals.sandbox_limit.answer({ seconds });
  return withHeaders(json(status, { error, kind }), { 'Retry-After': String(seconds) });
}

function creationRefusal(creation: Extract<SandboxCreation, { outcome: 'exists' | 'invalid' }>): ApiError {
  return creation.outcome === 'exists'
    ? apiError(sandboxRefusals.sandbox_exists)
    : apiError(sandboxRefusals.sandbox_invalid, { problem: creation.message });
}

async function listSandboxes(_request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const sandboxes = (await context.sandboxes.list()).map((sandbox) => sandboxSummary(sandbox, context));
  return json(200, { sandboxes, count: sandboxes.length });
}

async function showSandbox({ pathParameters }: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return json(200, sandboxSummary(required(await context.sandboxes.show(pathParameters.name ?? '')), context));
}

async function resetSandbox(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const event = sandboxEvent('sandbox_reset', request, context);
  const reset = await context.sandboxes.reset(request.pathParameters.name ?? '', event);
  return json(200, sandboxSummary(required(reset), context));
}

async function endOne(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const name = request.pathParameters.name ?? '';
  const ended = await context.sandboxes.end([name], sandboxEvent('sandbox_deleted', request, context));
  if (ended === 0) throw apiError(sandboxRefusals.sandbox_not_found);
  return json(200, { deleted: name });
}

async function endAll(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return json(200, { deleted: await context.sandboxes.end('all', sandboxEvent('sandbox_deleted', request, context)) });
}

function required(sandbox: Sandbox | undefined): Sandbox {
  if (sandbox === undefined) throw apiError(sandboxRefusals.sandbox_not_found);
  return sandbox;
}
