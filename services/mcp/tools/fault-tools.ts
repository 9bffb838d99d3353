// Faults of the running server (FLT-35), as in /api/faults. These tools do not change the copy of the configuration.
import * as z from 'zod';
import { faultCatalogue, furtherFaults } from '#shared/engine/faults/catalogue/index.ts';
import { createFault, type FaultEvent } from '#shared/engine/faults/create-fault.ts';
import type { FaultRow } from '#shared/engine/faults/fault-row.ts';
import { faultOrderModel, problemsText } from '#shared/engine/faults/read-fault-order.ts';
import { shownFault, shownRow } from '#shared/engine/faults/show-fault.ts';
import { everyFaultEndpoint } from '#shared/model/domain/fault.ts';
import { auditMoment } from '#shared/model/domain/movable-clock.ts';
import { faultRefusals } from '#shared/model/refusals/families/faults.ts';
import { successOutput } from '../common-models.ts';
import { defineTool, requireServer, type Tool, type ToolContext } from '../tool.ts';
import { ToolFailure, toolFailure } from '../tool-failure.ts';

const anyObject = z.record(z.string(), z.unknown());
const list = { faults: z.array(anyObject), count: z.int() };

const listFaultCatalogue = defineTool({
  name: 'list_fault_catalogue',
  takesSandbox: true,
  title: 'Read the catalogue of faults',
  description:
    'Lists the faults that the running server can simulate: name, effect, endpoints, parameters, and how a correct client reacts. Filter with at.',
  arguments: {
    at: z.string('must be a string').optional().meta({ description: 'Only faults at this endpoint, such as `token`.' }),
  },
  output: { ...list, further: z.array(anyObject) },
  handle({ at }, context) {
    requireServer(context);
    if (at !== undefined && !everyFaultEndpoint.some((each) => each === at)) {
      throw toolFailure(faultRefusals.fault_invalid, { problem: `at must be one of ${everyFaultEndpoint.join(', ')}` });
    }
    const isThere = (row: FaultRow) => at === undefined || row.at.some((each) => each === at);
    const faults = faultCatalogue.filter(isThere).map(shownRow);
    return { faults, count: faults.length, further: furtherFaults.filter(isThere).map(shownRow) };
  },
});

const listFaults = defineTool({
  name: 'list_faults',
  takesSandbox: true,
  title: 'Read the active faults',
  description:
    'Lists the running server’s faults in order of creation, with how often each fired (hits) and can still fire (remaining, null: no limit). Used faults stay listed until they are deleted.',
  arguments: {},
  output: list,
  async handle(_args, context) {
    requireServer(context);
    const faults = await context.store.faults.list();
    return { faults: faults.map(shownFault), count: faults.length };
  },
});

const { at, times, parameters, ttl_seconds, quiet } = faultOrderModel.shape;

const createFaultTool = defineTool({
  name: 'create_fault',
  takesSandbox: true,
  title: 'Set a fault',
  description:
    'Makes the running server misbehave, once or as often as times says. Use when to limit it to one client.',
  mutating: true,
  refusesUnknown: true,
  arguments: {
    fault: z.string('must be a string').meta({ description: 'A name from list_fault_catalogue.' }),
    at: at.meta({ description: 'Default: all its endpoints.' }),
    when: anyObject.optional().meta({
      description:
        'Conditions on the request: client_id, sp, username, grant_type, scope, header, parameter ({name, value}), nth.',
    }),
    ...{ times, parameters, ttl_seconds, quiet },
  },
  output: { ...successOutput, fault: anyObject.optional() },
  async handle(args, context) {
    requireServer(context);
    const creation = await createFault(args, eventOf('create_fault', context), context);
    if (creation.outcome === 'created') return { success: true, fault: shownFault(creation.fault) };
    if (creation.outcome === 'full') throw toolFailure(faultRefusals.fault_limit);
    if (creation.outcome === 'key_not_rotatable') throw new ToolFailure(creation.refusal, creation.refusal);
    const [first] = creation.problems;
    const row = first?.kind === 'unknown_fault' ? faultRefusals.fault_unknown : faultRefusals.fault_invalid;
    throw toolFailure(row, { problem: problemsText(creation.problems) });
  },
});

const deleteFault = defineTool({
  name: 'delete_fault',
  takesSandbox: true,
  title: 'Delete faults',
  description:
    'Deletes a fault of the running server, or without id all faults that were set at run time. Takes effect from the next request. Declared faults stay.',
  mutating: true,
  destructive: true,
  refusesUnknown: true,
  arguments: {
    id: z.string('must be a string').optional().meta({ description: 'An id from list_faults. Default: all.' }),
  },
  output: { ...successOutput, deleted: z.union([z.string(), z.int()]).optional() },
  async handle({ id }, context) {
    requireServer(context);
    const { faults } = context.store;
    const event = eventOf('delete_fault', context);
    const deleted = (fault: { readonly fault: string; readonly id: string }) =>
      event('fault_deleted', { name: fault.fault, id: fault.id });
    if (id === undefined) return { success: true, deleted: await faults.deleteAll(deleted) };
    const outcome = await faults.delete(id, deleted);
    if (outcome === 'deleted') return { success: true, deleted: id };
    throw toolFailure(outcome === 'declared' ? faultRefusals.fault_declared : faultRefusals.fault_not_found);
  },
});

export const faultTools: readonly Tool[] = [listFaultCatalogue, listFaults, createFaultTool, deleteFault];

function eventOf(tool: string, { clock }: ToolContext): FaultEvent {
  return (event_type, { name, id }) => ({
    event_type,
    ...auditMoment(clock),
    ...{ username: 'mcp', endpoint: `mcp:${tool}`, method: 'MCP', status: 'success', details: { name, id } },
  });
}
