// Sandboxes of the running server (SBX-47), as in /api/sandboxes. These tools do not change the copy of the
// configuration.

import * as z from 'zod';
import { effectiveAddresses } from '#shared/engine/exchange/issuer.ts';
import { describeSandbox } from '#shared/engine/sandboxes/describe-sandbox.ts';
import type { SandboxCreation, SandboxEvent } from '#shared/engine/sandboxes/open-sandboxes.ts';
import { sandboxRequestShape } from '#shared/engine/sandboxes/sandbox-request.ts';
import type { AuditEventType } from '#shared/model/audit/audit-event.ts';
import { auditMoment } from '#shared/model/domain/movable-clock.ts';
import type { Sandbox } from '#shared/model/domain/sandbox.ts';
import { sandboxRefusals } from '#shared/model/refusals/families/sandboxes.ts';
import { successOutput } from '../common-models.ts';
import { defineTool, requireServer, type Tool, type ToolContext } from '../tool.ts';
import { type ToolFailure, toolFailure } from '../tool-failure.ts';

const descriptionOutput = {
  ...successOutput,
  name: z.string().optional(),
  issuer: z.string().optional(),
  discovery_url: z.string().optional(),
  expires_at: z.string().optional(),
};

const nameArgument = z.string('must be a string').meta({ description: 'The name of the sandbox.' });

const listSandboxes = defineTool({
  name: 'list_sandboxes',
  title: 'List the sandboxes',
  description: 'Lists the running server’s sandboxes with their addresses, in order of creation.',
  arguments: {},
  output: { sandboxes: z.array(z.record(z.string(), z.unknown())), count: z.int() },
  async handle(_args, context) {
    requireServer(context);
    const sandboxes = (await context.sandboxes.list()).map((sandbox) => described(sandbox, context));
    return { sandboxes, count: sandboxes.length };
  },
});

const createSandbox = defineTool({
  name: 'create_sandbox',
  title: 'Create a sandbox',
  description:
    'Creates an isolated identity provider in the running server, at /s/<name>, with its own issuer, codes, tokens, sessions and audit. It has the declared users and clients, and can have its own. It expires automatically. Use one for each test run that must be isolated.',
  mutating: true,
  refusesUnknown: true,
  arguments: sandboxRequestShape,
  output: descriptionOutput,
  async handle(args, context) {
    requireServer(context);
    const creation = await context.sandboxes.create(args, eventOf('sandbox_created', 'create_sandbox', context));
    if (creation.outcome !== 'created') throw creationFailure(creation);
    return { success: true, ...described(creation.sandbox, context) };
  },
});

const resetSandbox = defineTool({
  name: 'reset_sandbox',
  title: 'Reset a sandbox',
  description:
    'Resets a sandbox. Deletes its runtime users and clients, tokens, sessions, clock move and audit. Its name, settings, keys and expiry stay.',
  mutating: true,
  destructive: true,
  arguments: { name: nameArgument },
  output: descriptionOutput,
  async handle({ name }, context) {
    requireServer(context);
    const reset = await context.sandboxes.reset(name, eventOf('sandbox_reset', 'reset_sandbox', context));
    if (reset === undefined) throw notFound();
    return { success: true, ...described(reset, context) };
  },
});

const deleteSandbox = defineTool({
  name: 'delete_sandbox',
  title: 'Delete a sandbox',
  description: 'Permanently deletes a sandbox with its users, tokens, sessions and audit.',
  mutating: true,
  destructive: true,
  arguments: { name: nameArgument },
  output: { ...successOutput, deleted: z.string().optional() },
  async handle({ name }, context) {
    requireServer(context);
    const ended = await context.sandboxes.end([name], eventOf('sandbox_deleted', 'delete_sandbox', context));
    if (ended === 0) throw notFound();
    return { success: true, deleted: name };
  },
});

export const sandboxTools: readonly Tool[] = [listSandboxes, createSandbox, resetSandbox, deleteSandbox];

function described(sandbox: Sandbox, { draft }: ToolContext) {
  return { ...describeSandbox(sandbox, effectiveAddresses(draft.snapshot().settings.oauth, undefined, '')) };
}

function eventOf(
  event_type: Extract<AuditEventType, `sandbox_${string}`>,
  tool: string,
  { clock }: ToolContext,
): SandboxEvent {
  const reason = event_type === 'sandbox_deleted' ? { reason: 'deleted' } : {};
  return ({ name, instanceId }) => ({
    event_type,
    ...auditMoment(clock),
    ...{ username: 'mcp', endpoint: `mcp:${tool}`, method: 'MCP', status: 'success' },
    details: { name, instance_id: instanceId, ...reason },
  });
}

function creationFailure(creation: Exclude<SandboxCreation, { outcome: 'created' }>): ToolFailure {
  const { sandbox_invalid, sandbox_exists, sandbox_limit } = sandboxRefusals;
  switch (creation.outcome) {
    case 'invalid':
      return toolFailure(sandbox_invalid, { problem: creation.message });
    case 'exists':
      return toolFailure(sandbox_exists);
    case 'limit':
      return toolFailure(sandbox_limit, { seconds: creation.retryAfterSeconds });
  }
}

function notFound(): ToolFailure {
  return toolFailure(sandboxRefusals.sandbox_not_found);
}
